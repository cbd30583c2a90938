/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random trees of groups and random schedules of everything that presses the
 * books; at rest every law holds, to the tick and to the nanosecond.
 *
 * A storm is a set of tasks that share a table of groups, a table of tasks, two
 * semaphores and a mutex, and draw what they do from the seed.  Handles in the
 * tables may be stale: then the call must say so and do nothing.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "law/laws.h"
#include "os/clock.h"
#include "sched/cpu.h"

#define MOST_TASKS  256
#define MOST_GROUPS 24
#define DEPTH       8
#define FIRST_TASKS 12
#define STEPS       50

struct born {
	struct a64 task; /* its handle, once its creator has it */
	uint64_t seed;
	uint64_t create_ns; /* before it was created */
	uint64_t first_ns;  /* in its function: begin and end */
	uint64_t last_ns;
};

static struct born born[MOST_TASKS];
static struct a32 born_count;
static struct a64 group_table[MOST_GROUPS];
static struct a32 names;
static struct mete_sem sems[2] = {METE_SEM_INIT(1), METE_SEM_INIT(3)};
static struct mete_mutex mutex = METE_MUTEX_INIT;
static unsigned steps;

static mete_group some_group(uint64_t dice)
{
	return (mete_group){a64_load_acquire(&group_table[dice % MOST_GROUPS])};
}

static void spin(uint64_t ns, bool checkpoints)
{
	uint64_t end = os_monotonic_ns() + ns;

	/* As the tick does; with nobody left who waits, it settles. */
	if (checkpoints)
		a32_or_release(&sched_cpu()->due, DUE_SLICE);
	while (os_monotonic_ns() < end)
		if (checkpoints)
			mete_checkpoint();
}

static void *run(void *arg);

static void spawn(uint64_t seed, mete_group group)
{
	struct mete_task_attr attr = METE_TASK_ATTR_INIT;
	uint32_t index = a32_add_seq_cst(&born_count, 1);
	mete_task task;
	int error;

	if (index >= MOST_TASKS)
		return;
	born[index].seed = seed;
	born[index].create_ns = os_monotonic_ns();
	attr.group = group;
	error = mete_task_create(&task, &attr, run, &born[index]);
	if (error == -ESRCH) { /* the group has gone: inherit */
		attr.group.id = 0;
		error = mete_task_create(&task, &attr, run, &born[index]);
	}
	CHECK_EQ(error, 0);
	a64_store_release(&born[index].task, task.id);
}

static void make_group(uint64_t dice)
{
	struct a64 *place = &group_table[dice % MOST_GROUPS];
	mete_group old = {a64_load_acquire(place)};
	char name[METE_NAME_MAX + 1];
	mete_group group;
	int error;

	error = mete_group_destroy(old);
	CHECK(!error || error == -EBUSY || error == -ESRCH);
	if (error == -EBUSY)
		return;
	snprintf(name, sizeof(name), "g%u", a32_add_seq_cst(&names, 1));
	error = mete_group_create(&group, some_group(dice / 32), name, NULL);
	if (error == -ESRCH)
		error = mete_group_create(&group, METE_ROOT, name, NULL);
	if (error != -ELOOP) {
		CHECK_EQ(error, 0);
		a64_store_release(place, group.id);
	}
}

static void scoped_charge(uint64_t dice)
{
	mete_group before = mete_charge(some_group(dice));

	spin(dice % 16 * US, dice & 16);
	if (dice & 32)
		mete_task_yield();
	mete_charge(before);
}

static void move_task(uint64_t dice)
{
	uint32_t count = a32_load_acquire(&born_count);
	uint32_t index =
		(uint32_t)dice % (count < MOST_TASKS ? count : MOST_TASKS);
	mete_task task = {a64_load_acquire(&born[index].task)};
	int error = mete_task_move(dice & 1024 ? mete_task_self() : task,
				   some_group(dice / 2048));

	CHECK(!error || error == -ESRCH);
}

static void step(uint64_t dice)
{
	struct mete_sem *sem = &sems[dice & 1];
	uint64_t rest = dice >> 8;

	switch (dice % 16) {
	case 0:
		mete_task_sleep(rest % 200 * US);
		break;
	case 1:
	case 2:
		spin(rest % 50 * US, false);
		break;
	case 3:
		spin(rest % 400 * US, true);
		break;
	case 4:
	case 5:
		if (!mete_sem_wait(sem, os_monotonic_ns() + 300 * US)) {
			spin(rest % 20 * US, true);
			mete_sem_post(sem, 1);
		}
		break;
	case 6:
		CHECK_EQ(mete_mutex_lock(&mutex, METE_FOREVER), 0);
		if (rest & 1)
			mete_task_yield();
		CHECK_EQ(mete_mutex_unlock(&mutex), 0);
		break;
	case 7:
	case 8:
		scoped_charge(rest);
		break;
	case 9:
	case 10:
		move_task(rest);
		break;
	case 11:
		make_group(rest);
		break;
	case 12:
		spawn(rest,
		      (mete_group){rest & 1 ? some_group(rest / 2).id : 0});
		break;
	case 13:
		if (rest % 16 == 0)
			mete_task_exit(NULL);
		break;
	default:
		mete_task_yield();
	}
}

static void note_end(void *born_of)
{
	((struct born *)born_of)->last_ns = os_monotonic_ns();
}

static mete_key end_key;

static void *run(void *arg)
{
	struct born *self = arg;
	uint64_t state = self->seed;

	self->first_ns = os_monotonic_ns();
	CHECK_EQ(mete_key_set(end_key, self), 0);
	for (unsigned i = 0; i < steps; i++)
		step(test_random(&state));
	return NULL;
}

/* Parts of a life add up to it, within what the clocks' rates differ by. */
static void check_life(const struct born *b, uint64_t seen_ns)
{
	mete_task task = {a64_load_acquire(&b->task)};
	struct mete_usage usage;
	uint64_t parts;

	CHECK_EQ(mete_task_usage(task, 0, &usage, sizeof(usage)), 0);
	parts = usage.held_ns + usage.wait_ns + usage.blocked_ns;
	CHECK_LE(parts, (seen_ns - b->create_ns) * 101 / 100 + 100 * US);
	CHECK_GE(parts * 101 / 100 + 100 * US, b->last_ns - b->first_ns);
}

static void wait_for_all(enum mete_books books)
{
	for (uint32_t i = 0; i < MOST_TASKS; i++) {
		uint64_t id;

		if (i >= a32_load_acquire(&born_count))
			break;
		id = a64_load_acquire(&born[i].task);
		CHECK_NE(id, 0); /* its creator has ended before */
		CHECK_EQ(mete_task_wait((mete_task){id}, METE_FOREVER), 0);
		if (books == METE_BOOKS_TASK)
			check_life(&born[i], os_monotonic_ns());
	}
}

static void make_tree(uint64_t *state)
{
	mete_group parent = METE_ROOT;

	/* One path of full depth, the rest anywhere. */
	for (unsigned i = 0; i < MOST_GROUPS; i++) {
		mete_group group;
		char name[METE_NAME_MAX + 1];

		snprintf(name, sizeof(name), "g%u", a32_add_seq_cst(&names, 1));
		CHECK_EQ(mete_group_create(&group, parent, name, NULL), 0);
		a64_store_release(&group_table[i], group.id);
		parent = group;
		if (i >= DEPTH - 1)
			parent = some_group(test_random(state) % (i + 1));
	}
}

static void round_of(enum mete_books books, uint64_t *state)
{
	struct mete_snapshot *snapshot;
	uint32_t count;

	a32_store_release(&born_count, 0);
	for (unsigned i = 0; i < MOST_TASKS; i++)
		a64_store_release(&born[i].task, 0);
	for (unsigned i = 0; i < FIRST_TASKS; i++)
		spawn(test_random(state), some_group(test_random(state)));
	wait_for_all(books);
	count = a32_load_acquire(&born_count);
	if (count > MOST_TASKS)
		count = MOST_TASKS;
	if (books != METE_BOOKS_OFF) {
		snapshot = law_snapshot();
		CHECK_EQ(snapshot->task_count, count);
		CHECK_GE(snapshot->groups[0].usage.tasks, count);
		law_check(snapshot, METE_BOOKS_GROUP);
		mete_snapshot_free(snapshot);
	} else {
		CHECK_EQ(mete_snapshot(&snapshot), -ENOTSUP);
	}
}

static void join_all(void)
{
	uint32_t count = a32_load_acquire(&born_count);

	for (uint32_t i = 0; i < count && i < MOST_TASKS; i++)
		CHECK_EQ(mete_task_join((mete_task){a64_load_acquire(
						&born[i].task)},
					METE_FOREVER, NULL),
			 0);
}

static void storm(unsigned cpus, enum mete_books books, unsigned rounds)
{
	struct mete_options options = METE_OPTIONS_INIT;
	uint64_t state = test_seed() * 1000 + cpus * 10 + (unsigned)books;
	struct mete_snapshot *snapshot;

	options.cpus = cpus;
	options.books = books;
	options.slice_ns = 200 * US;
	options.flags = METE_IGNORE_ENV;
	CHECK_EQ(mete_start(&options), 0);
	CHECK_EQ(mete_key_create(&end_key, note_end), 0);
	steps = (unsigned)test_rounds(STEPS);
	make_tree(&state);
	for (unsigned i = 0; i < rounds; i++) {
		round_of(books, &state);
		if (!i && books == METE_BOOKS_TASK) {
			/* Nobody has been joined: all tasks are there. */
			snapshot = law_snapshot();
			law_check(snapshot, books);
			mete_snapshot_free(snapshot);
		}
		join_all();
	}
	CHECK_EQ(mete_key_delete(end_key), 0);
	CHECK_EQ(mete_stop(), 0);
}

TEST(one_cpu_by_task)
{
	storm(1, METE_BOOKS_TASK, 2);
}

TEST(two_cpus_by_task)
{
	storm(2, METE_BOOKS_TASK, 2);
}

TEST(four_cpus_by_task)
{
	storm(4, METE_BOOKS_TASK, 2);
}

TEST(one_cpu_by_group)
{
	storm(1, METE_BOOKS_GROUP, 2);
}

TEST(two_cpus_by_group)
{
	storm(2, METE_BOOKS_GROUP, 2);
}

TEST(four_cpus_by_group)
{
	storm(4, METE_BOOKS_GROUP, 2);
}

TEST(without_books)
{
	storm(1, METE_BOOKS_OFF, 1);
}

TEST(four_cpus_without_books)
{
	storm(4, METE_BOOKS_OFF, 1);
}

/* Another program computes on the same CPUs. */
static void under_load(enum mete_books books)
{
	pid_t parent = getpid();
	pid_t child[2];

	for (int i = 0; i < 2; i++) {
		child[i] = fork();
		CHECK_GE(child[i], 0);
		if (child[i])
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		while (getppid() == parent)
			;
		_exit(0);
	}
	storm(2, books, 1);
	for (int i = 0; i < 2; i++) {
		kill(child[i], SIGKILL);
		waitpid(child[i], NULL, 0);
	}
}

TEST(by_task_while_others_compute)
{
	under_load(METE_BOOKS_TASK);
}

TEST(by_group_while_others_compute)
{
	under_load(METE_BOOKS_GROUP);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A task changes its group or its CPUs, by itself and by others, running,
 * ready and blocked.
 */
#include <pthread.h>

#include "unit/sched/running.h"

static atomic_int going;
static atomic_int ending;
static atomic_int arrived_on;
static _Atomic uint64_t arrived_in;

/* How a task passes its time; each is a safe point. */
enum way {
	BY_YIELD,
	BY_CHECKPOINT,
	BY_SLEEP,
	WAYS,
};

static void pass_time(enum way way)
{
	if (way == BY_YIELD)
		mete_task_yield();
	else if (way == BY_CHECKPOINT)
		mete_checkpoint();
	else
		mete_task_sleep(MS / 10);
}

/* Runs until it is told to end, and says where it is. */
static void *wander(void *arg)
{
	enum way way = *(enum way *)arg;

	going = 1;
	while (!ending) {
		pass_time(way);
		arrived_on = mete_cpu_self();
		arrived_in = mete_group_self().id;
	}
	return NULL;
}

/* It must obey while it is alone on its CPU, whatever safe point it passes. */
TEST(a_running_task_goes_where_it_is_sent)
{
	start_cpus(2);
	for (enum way way = BY_YIELD; way < WAYS; way++) {
		mete_task task;

		going = ending = 0;
		task = spawn_on(0, wander, &way);
		await(&going);
		for (unsigned i = 0; i < 20; i++) {
			unsigned cpu = (i + 1) % 2;
			uint64_t end = soon();

			CHECK_EQ(bind_to(task, cpu), 0);
			while ((unsigned)arrived_on != cpu)
				CHECK_LT(now_ns(), end);
		}
		ending = 1;
		join(task);
	}
	stop();
}

TEST(a_running_task_is_charged_to_its_new_group)
{
	mete_group a, b;

	start_cpus(2);
	a = group_below(METE_ROOT, "a");
	b = group_below(METE_ROOT, "b");
	for (enum way way = BY_YIELD; way < WAYS; way++) {
		uint64_t before, end = soon();
		mete_task task;

		going = ending = 0;
		task = spawn_in(a, wander, &way);
		await(&going);
		before = group_usage(b, 0).held_ns;
		CHECK_EQ(mete_task_move(task, b), 0);
		/* The books must follow while it is alone on its CPU. */
		do {
			struct mete_usage usage;

			CHECK_LT(now_ns(), end);
			if (!mete_group_usage(b, METE_LIVE, &usage,
					      sizeof(usage)) &&
			    usage.held_ns > before)
				break;
			usleep(100);
		} while (true);
		CHECK_EQ(arrived_in, b.id);
		ending = 1;
		join(task);
	}
	stop();
}

static void *move_self(void *arg)
{
	mete_group *groups = arg;
	mete_task self = mete_task_self();

	for (int i = 0; i < 100; i++) {
		CHECK_EQ(mete_task_move(self, groups[i % 2]), 0);
		CHECK_EQ(mete_group_self().id, groups[i % 2].id);
	}
	compute(2 * MS);
	CHECK_EQ(mete_charge(groups[0]).id, groups[1].id);
	CHECK_EQ(mete_charge(groups[0]).id, groups[0].id);
	compute(2 * MS);
	CHECK_EQ(mete_charge(groups[1]).id, groups[0].id);
	return NULL;
}

TEST(a_task_moves_itself)
{
	mete_group groups[2];

	start_cpus(1);
	groups[0] = group_below(METE_ROOT, "a");
	groups[1] = group_below(METE_ROOT, "b");
	join(spawn(move_self, groups));
	for (int i = 0; i < 2; i++) {
		CHECK_GE(group_usage(groups[i], METE_OWN).held_ns, 2 * MS);
		CHECK_EQ(group_usage(groups[i], METE_OWN).held_ns,
			 group_usage(groups[i], 0).held_ns);
	}
	stop();
}

static void *sleep_once(void *arg)
{
	going = 1;
	CHECK_EQ(mete_sem_wait(arg, soon()), 0);
	arrived_in = mete_group_self().id;
	arrived_on = mete_cpu_self();
	return NULL;
}

TEST(a_blocked_task_goes_when_it_next_runs)
{
	struct mete_sem sem = METE_SEM_INIT(0);
	mete_group group;
	mete_task task;

	start_cpus(2);
	group = group_below(METE_ROOT, "g");
	for (unsigned i = 0; i < 20; i++) {
		enum mete_task_state state = METE_TASK_READY;
		uint64_t end = soon();

		task = spawn(sleep_once, &sem);
		while (state != METE_TASK_BLOCKED) {
			CHECK_EQ(mete_task_state(task, &state), 0);
			CHECK_LT(now_ns(), end);
		}
		CHECK_EQ(mete_task_move(task, group), 0);
		CHECK_EQ(bind_to(task, i % 2), 0);
		mete_sem_post(&sem, 1);
		join(task);
		CHECK_EQ(arrived_in, group.id);
		CHECK_EQ(arrived_on, i % 2);
	}
	stop();
}

static void *in_its_place(void *arg)
{
	CHECK_EQ(mete_cpu_self(), *(int *)arg);
	return NULL;
}

/* Ready tasks behind one that does not let go of their CPU. */
static void *rebind_ready_ones(void *arg)
{
	static int other = 1;
	mete_task tasks[10];

	for (int i = 0; i < 10; i++)
		tasks[i] = spawn_on(0, in_its_place, &other);
	for (int i = 0; i < 10; i++)
		CHECK_EQ(bind_to(tasks[i], 1), 0);
	for (int i = 0; i < 10; i++)
		join(tasks[i]);
	return arg;
}

TEST(a_ready_task_never_runs_where_it_must_not)
{
	start_cpus(2);
	join(spawn_on(0, rebind_ready_ones, NULL));
	stop();
}

static void *everywhere(void *arg)
{
	mete_task self = mete_task_self();
	unsigned both[] = {1, 0};
	struct mete_cpuset set = {both, 2};

	for (int i = 0; i < 50; i++) {
		CHECK_EQ(bind_to(self, (unsigned)i % 2), 0);
		CHECK_EQ(mete_cpu_self(), i % 2);
	}
	CHECK_EQ(mete_task_set_affinity(self, &set), 0);
	CHECK_EQ(mete_task_set_affinity(self, NULL), 0);
	return arg;
}

TEST(a_task_binds_itself)
{
	start_cpus(2);
	join(spawn(everywhere, NULL));
	stop();
}

TEST(errors)
{
	unsigned wrong[] = {0, 2};
	struct mete_cpuset set = {wrong, 2};
	struct mete_task_attr attr = METE_TASK_ATTR_INIT;
	static enum way way = BY_SLEEP;
	mete_group group;
	mete_task task;

	start_cpus(2);
	ending = going = 0;
	task = spawn(wander, &way);
	group = group_below(METE_ROOT, "g");
	CHECK_EQ(mete_group_destroy(group), 0);
	CHECK_EQ(mete_task_move(task, group), -ESRCH);
	CHECK_EQ(mete_task_move(task, (mete_group){0}), -ESRCH);
	CHECK_EQ(mete_task_move((mete_task){0}, METE_ROOT), -ESRCH);
	CHECK_EQ(mete_charge(group).id, group.id);
	CHECK_EQ(mete_task_set_affinity(task, &set), -EINVAL);
	wrong[1] = UINT32_MAX;
	CHECK_EQ(mete_task_set_affinity(task, &set), -EINVAL);
	attr.affinity = &set;
	CHECK_EQ(mete_task_create(&task, &attr, in_its_place, NULL), -EINVAL);
	CHECK_EQ(mete_task_set_affinity((mete_task){0}, NULL), -ESRCH);
	ending = 1;
	join(task);
	stop();
}

static _Atomic uint64_t short_lived;

static mete_group the_short_lived(void)
{
	return (mete_group){short_lived};
}

static void *charge_it(void *arg)
{
	while (!ending) {
		mete_group before = mete_charge(the_short_lived());

		mete_task_yield();
		mete_charge(before);
	}
	return arg;
}

static void *nothing(void *arg)
{
	return arg;
}

static void *spawn_into_it(void *arg)
{
	struct mete_task_attr attr = METE_TASK_ATTR_INIT;

	attr.detached = true;
	while (!ending) {
		int error;

		attr.group = the_short_lived();
		error = mete_task_create(NULL, &attr, nothing, NULL);
		CHECK(!error || error == -ESRCH || error == -EAGAIN);
	}
	return arg;
}

static void *move_into_it(void *task)
{
	while (!ending) {
		int error =
			mete_task_move(*(mete_task *)task, the_short_lived());

		CHECK(!error || error == -ESRCH);
	}
	return NULL;
}

/* Those who come as a group goes are inside of it, or told; its books pass on
 * whole in any case (the stop looks). */
TEST(a_group_goes_while_tasks_come)
{
	static void *(*const callers[])(void *) = {spawn_into_it, move_into_it};
	uint64_t rounds = test_rounds(3000);
	pthread_t threads[2];
	mete_task charger;
	mete_task moved;

	start_cpus(2);
	ending = 0;
	charger = spawn(charge_it, NULL);
	moved = spawn(wander, &(enum way){BY_YIELD});
	for (int i = 0; i < 2; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, callers[i], &moved),
			 0);
	for (uint64_t i = 0; i < rounds; i++) {
		mete_group group = group_below(METE_ROOT, "short");

		short_lived = group.id;
		if (i % 8 == 0)
			usleep(1);
		CHECK_EQ(mete_group_destroy(group), 0);
	}
	ending = 1;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	join(charger);
	join(moved);
	stop();
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A task's line in the dump: what it is, what it waits for and for how long.
 */
#include "sched/wait.h"
#include "unit/stat/dumped.h"

static struct mete_sem sem;
static struct mete_mutex mutex;
static struct mete_cond cond;
static struct mete_barrier barrier;
static atomic_int flag;

static void *wait_sem(void *arg)
{
	mete_sem_wait(&sem, METE_FOREVER);
	return arg;
}

static void *wait_mutex(void *arg)
{
	mete_mutex_lock(&mutex, METE_FOREVER);
	mete_mutex_unlock(&mutex);
	return arg;
}

static void *wait_cond(void *arg)
{
	CHECK_EQ(mete_mutex_lock(&mutex, METE_FOREVER), 0);
	mete_cond_wait(&cond, &mutex, METE_FOREVER);
	mete_mutex_unlock(&mutex);
	return arg;
}

static void *wait_barrier(void *arg)
{
	mete_barrier_wait(&barrier, METE_FOREVER);
	return arg;
}

static void *wait_join(void *arg)
{
	mete_task task = {(uintptr_t)arg};

	join(task);
	return NULL;
}

static void *sleep_long(void *arg)
{
	mete_task_sleep((uintptr_t)arg);
	return NULL;
}

static void *nothing(void *arg)
{
	return arg;
}

static void *spin(void *arg)
{
	flag = 1;
	while (flag == 1)
		;
	return arg;
}

static void check_wait(mete_task task, const char *kind, const void *object)
{
	struct dumped_task line = dumped_once(task, "blocked");

	CHECK_STR(line.kind, kind);
	CHECK_EQ(line.object, (uintptr_t)object);
}

TEST(every_kind_of_wait)
{
	mete_task tasks[6];

	mete_sem_init(&sem, 0);
	mete_mutex_init(&mutex);
	mete_cond_init(&cond);
	mete_barrier_init(&barrier, 2);
	start_cpus(1);
	/* A place's first handle is but its number. */
	join(spawn(nothing, NULL));
	tasks[0] = spawn(wait_sem, NULL);
	CHECK_GT(tasks[0].id >> 32, 0);
	tasks[1] = spawn(wait_cond, NULL);
	tasks[2] = spawn(wait_barrier, NULL);
	tasks[3] = spawn(wait_join, (void *)(uintptr_t)tasks[0].id);
	tasks[4] = spawn(sleep_long, (void *)(uintptr_t)(500 * MS));
	check_wait(tasks[0], "semaphore", &sem);
	check_wait(tasks[1], "condition", &cond);
	check_wait(tasks[2], "barrier", &barrier);
	check_wait(tasks[3], "join", (void *)(uintptr_t)tasks[0].id);
	check_wait(tasks[4], "sleep", NULL);
	CHECK_EQ(mete_mutex_lock(&mutex, METE_FOREVER), 0);
	tasks[5] = spawn(wait_mutex, NULL);
	check_wait(tasks[5], "mutex", &mutex);
	CHECK_EQ(mete_mutex_unlock(&mutex), 0);
	mete_sem_post(&sem, 1);
	mete_cond_signal(&cond);
	mete_barrier_wait(&barrier, METE_FOREVER);
	for (int i = 1; i < 6; i++)
		join(tasks[i]);
	stop();
}

/* Those that no object has yet, too. */
static struct mete_waiter odd;
static atomic_int odd_waits;

/* Until it is woken by end_wait(). */
static void *wait_oddly(void *arg)
{
	wait_prepare(&odd, (unsigned)(uintptr_t)arg, &odd, METE_FOREVER);
	odd_waits = 1;
	wait_sleep(&odd, METE_FOREVER);
	return NULL;
}

static void end_wait(mete_task task)
{
	for (uint64_t end = soon(); !odd_waits;)
		CHECK_LT(now_ns(), end);
	odd_waits = 0;
	CHECK(wait_wake(&odd));
	join(task);
}

TEST(each_kind_has_its_name)
{
	static const char *const names[WAIT_KINDS] = {
		"something", "sleep",     "join",    "semaphore",
		"mutex",     "condition", "barrier", "rwlock",
		"once",      "waitgroup", "event",   "channel",
		"select",    "park",      "fd",      "blocking"};

	start_cpus(1);
	for (unsigned kind = 0; kind < WAIT_KINDS; kind++) {
		mete_task task;
		struct dumped_task line;

		/* A join shows a handle, not an address. */
		if (kind == WAIT_JOIN)
			continue;
		task = spawn(wait_oddly, (void *)(uintptr_t)kind);
		line = dumped_once(task, "blocked");
		CHECK_STR(line.kind, names[kind]);
		CHECK_NE(line.object, 0);
		end_wait(task);
	}
	stop();
}

TEST(what_a_join_shows_is_a_handle_or_nothing_known)
{
	mete_task task;

	start_cpus(1);
	/* An address in place of a number: shown as it is. */
	task = spawn(wait_oddly, (void *)(uintptr_t)WAIT_JOIN);
	CHECK_NE(dumped_once(task, "blocked").object, 0);
	end_wait(task);
	stop();
}

static void *await_spin(void *arg)
{
	mete_sem_wait(&sem, METE_FOREVER);
	flag = 3;
	return arg;
}

TEST(running_ready_ended)
{
	struct dumped_task line;
	mete_task spinner;
	mete_task second;
	mete_task dead;
	uint64_t woken;

	mete_sem_init(&sem, 0);
	start_cpus(1);
	second = spawn(await_spin, NULL);
	dumped_once(second, "blocked");
	usleep(50000);
	dead = spawn(nothing, NULL);
	line = dumped_once(dead, "ended");
	CHECK_STR(line.kind, "-");
	spinner = spawn(spin, NULL);
	await(&flag);
	line = dumped_once(spinner, "running");
	CHECK_EQ(line.cpu, 0);
	CHECK_STR(line.kind, "-");
	/* Woken, but the CPU is kept from it. */
	woken = now_ns();
	mete_sem_post(&sem, 1);
	line = dumped_once(second, "ready");
	usleep(20000);
	line = dumped_once(second, "ready");
	CHECK_STR(line.kind, "-");
	CHECK(line.for_s >= 0.019);
	CHECK(line.for_s <= (double)(now_ns() - woken) / 1e9);
	flag = 2;
	join(second);
	join(spinner);
	join(dead);
	stop();
}

/* Between two moments that the test knows. */
TEST(for_how_long)
{
	struct dumped_task line;
	mete_task task;
	uint64_t begin;

	mete_sem_init(&sem, 0);
	start_cpus(2);
	begin = now_ns();
	task = spawn(wait_sem, NULL);
	dumped_once(task, "blocked");
	usleep(30000);
	line = dumped_once(task, "blocked");
	CHECK(line.for_s >= 0.029);
	CHECK(line.for_s <= (double)(now_ns() - begin) / 1e9);
	mete_sem_post(&sem, 1);
	join(task);
	begin = now_ns();
	task = spawn(spin, NULL);
	await(&flag);
	usleep(30000);
	line = dumped_once(task, "running");
	CHECK(line.for_s >= 0.02);
	CHECK(line.for_s <= (double)(now_ns() - begin) / 1e9);
	flag = 2;
	join(task);
	stop();
}

TEST(without_books_by_task_there_is_no_how_long)
{
	static const enum mete_books modes[] = {METE_BOOKS_GROUP,
						METE_BOOKS_OFF};

	for (int i = 0; i < 2; i++) {
		struct dumped_task line;
		mete_task task;

		mete_sem_init(&sem, 0);
		start_with(1, modes[i]);
		task = spawn(wait_sem, NULL);
		line = dumped_once(task, "blocked");
		CHECK(line.for_s == -1);
		CHECK_EQ(line.cpu, 0);
		CHECK_STR(line.kind, "semaphore");
		mete_sem_post(&sem, 1);
		join(task);
		stop();
	}
}

TEST(who_never_ran_has_no_cpu)
{
	struct mete_task_attr attr = METE_TASK_ATTR_INIT;
	struct dumped_task line;
	mete_task spinner;
	mete_task task;

	start_cpus(1);
	spinner = spawn(spin, NULL);
	await(&flag);
	attr.name = "a \"quoted\"\tname";
	attr.group = group_below(group_below(METE_ROOT, "up"), "per");
	CHECK_EQ(mete_task_create(&task, &attr, nothing, NULL), 0);
	line = dumped_once(task, "ready");
	CHECK_EQ(line.cpu, -1);
	CHECK(line.for_s >= 0);
	CHECK_STR(line.name, "a ?quoted??name");
	CHECK_STR(line.group, "/up/per");
	flag = 2;
	join(spinner);
	join(task);
	stop();
}

/* One that was joined is gone, its successor in the same place another. */
TEST(only_those_that_live)
{
	struct dumped_task line;
	mete_task first;
	mete_task next;
	char *text;

	start_cpus(1);
	first = spawn(nothing, NULL);
	join(first);
	text = dump_text();
	CHECK(!dumped_find(text, first, &line));
	CHECK_HAS(text,
		  "end   0 tasks: 0 running, 0 ready, 0 blocked, 0 ended\n");
	free(text);
	next = spawn(nothing, NULL);
	dumped_once(next, "ended");
	text = dump_text();
	CHECK(!dumped_find(text, first, &line));
	CHECK_HAS(text,
		  "end   1 tasks: 0 running, 0 ready, 0 blocked, 1 ended\n");
	free(text);
	join(next);
	stop();
}

/* Each once, however many there are. */
TEST(all_of_many)
{
	static mete_task tasks[20000];
	unsigned many = (unsigned)test_rounds(20000);
	struct dumped_task line;
	uint64_t end = soon();
	unsigned waiting = 0;
	char *text = NULL;

	mete_sem_init(&sem, 0);
	start_cpus(2);
	for (unsigned i = 0; i < many; i++)
		tasks[i] = spawn(wait_sem, NULL);
	while (waiting != many) {
		char *last;

		CHECK_LT(now_ns(), end);
		free(text);
		text = dump_text();
		last = strstr(text, "\nend ");
		CHECK(last != NULL);
		CHECK_EQ(sscanf(last,
				"\nend %*u tasks: %*u running, %*u ready,"
				" %u blocked",
				&waiting),
			 1);
	}
	CHECK_EQ(dumped_check(text).tasks, many);
	for (unsigned i = 0; i < many; i += many / 50)
		CHECK(dumped_find(text, tasks[i], &line));
	free(text);
	mete_sem_post(&sem, many);
	for (unsigned i = 0; i < many; i++)
		join(tasks[i]);
	stop();
}

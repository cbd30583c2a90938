/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a woken task goes: in order, where it may, to an idle CPU if there is
 * one, and past nobody's turn.
 */
#include "sched/sched.h"
#include "unit/sched/running.h"

enum {
	TASKS = 64
};

static struct mete_sem sem;
static int order[TASKS];
static atomic_int came;
static atomic_int waiting;

static void *wait_and_sign(void *arg)
{
	waiting++;
	CHECK_EQ(mete_sem_wait(&sem, soon()), 0);
	order[came++] = (int)(intptr_t)arg;
	return NULL;
}

static void check_order(mete_task *tasks)
{
	for (int i = 0; i < TASKS; i++)
		join(tasks[i]);
	for (int i = 0; i < TASKS; i++)
		CHECK_EQ(order[i], i);
}

static void spawn_waiters(mete_task *tasks)
{
	for (intptr_t i = 0; i < TASKS; i++) {
		tasks[i] = spawn_on(0, wait_and_sign, (void *)i);
		for (uint64_t end = soon(); waiting != i + 1;)
			CHECK_LT(now_ns(), end);
		await_blocked(tasks[i]);
	}
	/* The last one stands a little later than it seems to wait. */
	usleep(2000);
}

/* From a thread, through the wake list, one call each and all in one. */
TEST(in_order_from_a_thread)
{
	mete_task tasks[TASKS];

	for (int at_once = 0; at_once < 2; at_once++) {
		start_cpus(1);
		waiting = came = 0;
		mete_sem_init(&sem, 0);
		spawn_waiters(tasks);
		for (int i = 0; i < TASKS && !at_once; i++)
			mete_sem_post(&sem, 1);
		if (at_once)
			mete_sem_post(&sem, TASKS);
		check_order(tasks);
		stop();
	}
}

static void *post_all(void *arg)
{
	for (int i = 0; i < TASKS; i++)
		mete_sem_post(&sem, 1);
	return arg;
}

/* From a task of the same CPU, and of another. */
TEST(in_order_from_a_task)
{
	mete_task tasks[TASKS];

	for (unsigned cpu = 0; cpu < 2; cpu++) {
		start_cpus(2);
		waiting = came = 0;
		mete_sem_init(&sem, 0);
		spawn_waiters(tasks);
		join(spawn_on(cpu, post_all, NULL));
		check_order(tasks);
		stop();
	}
}

static void *wakeups_of(void *arg)
{
	for (int i = 0; i < 50; i++)
		CHECK_EQ(mete_sem_wait(arg, soon()), 0);
	return arg;
}

/* One wake-up a wait that did wait; never more. */
TEST(wakeups_are_counted)
{
	struct mete_sem own = METE_SEM_INIT(0);
	mete_group group;
	mete_task task;

	start_cpus(2);
	group = group_below(METE_ROOT, "g");
	task = spawn_in(group, wakeups_of, &own);
	for (int i = 0; i < 50; i++) {
		await_blocked(task);
		mete_sem_post(&own, 1);
		for (uint64_t end = soon(); mete_sem_value(&own);)
			CHECK_LT(now_ns(), end);
		if (i < 49)
			usleep(200);
	}
	CHECK_EQ(mete_task_wait(task, soon()), 0);
	CHECK_LE(usage_of(task).wakeups, 50);
	CHECK_GE(usage_of(task).wakeups, 40);
	CHECK_EQ(group_usage(group, 0).wakeups, usage_of(task).wakeups);
	CHECK_EQ(cpu_usage(0).wakeups + cpu_usage(1).wakeups,
		 usage_of(task).wakeups);
	join(task);
	stop();
}

static atomic_int over;
static atomic_int progress;

static void *yield_bound(void *arg)
{
	while (!over)
		mete_task_yield();
	return arg;
}

static void *yield_and_count(void *arg)
{
	while (!over) {
		progress++;
		mete_task_yield();
	}
	return arg;
}

/* Bound tasks and free ones share a CPU, whoever came first. */
TEST(bound_and_free_tasks_take_turns)
{
	for (int counted_is_bound = 0; counted_is_bound < 2;
	     counted_is_bound++) {
		mete_task others[3];
		mete_task counted;
		uint64_t end = soon();

		start_cpus(1);
		over = progress = 0;
		for (int i = 0; i < 3; i++)
			others[i] = counted_is_bound
					    ? spawn(yield_bound, NULL)
					    : spawn_on(0, yield_bound, NULL);
		counted = counted_is_bound ? spawn_on(0, yield_and_count, NULL)
					   : spawn(yield_and_count, NULL);
		while (progress < 1000)
			CHECK_LT(now_ns(), end);
		over = 1;
		for (int i = 0; i < 3; i++)
			join(others[i]);
		join(counted);
		stop();
	}
}

static int came_in[8];
static int came_count;

static void *sign(void *arg)
{
	came_in[came_count++] = (int)(intptr_t)arg;
	return NULL;
}

static void *create_mixed(void *arg)
{
	mete_task tasks[8];

	/* Bound and free ones, in no regular order. */
	for (intptr_t i = 0; i < 8; i++)
		tasks[i] = 0x4b >> i & 1 ? spawn_on(0, sign, (void *)i)
					 : spawn(sign, (void *)i);
	for (int i = 0; i < 8; i++)
		join(tasks[i]);
	return arg;
}

static void *keep_busy(void *arg)
{
	while (!over)
		compute(MS);
	return arg;
}

/* Whether bound or not, tasks run in the order in which they were queued. */
TEST(bound_and_free_tasks_keep_their_order)
{
	mete_task other;

	over = came_count = 0;
	start_cpus(2);
	/* So that nobody steals. */
	other = spawn_on(1, keep_busy, NULL);
	usleep(2000);
	join(spawn_on(0, create_mixed, NULL));
	over = 1;
	join(other);
	for (int i = 0; i < 8; i++)
		CHECK_EQ(came_in[i], i);
	stop();
}

static atomic_int ran_on[4];

static void *count_cpu(void *arg)
{
	ran_on[mete_cpu_self()]++;
	compute(MS);
	return arg;
}

/* New tasks of a foreign thread do not all go to one CPU. */
TEST(a_threads_tasks_spread)
{
	mete_task tasks[TASKS];
	int used = 0;

	start_cpus(4);
	for (int i = 0; i < TASKS; i++)
		tasks[i] = spawn(count_cpu, NULL);
	for (int i = 0; i < TASKS; i++)
		join(tasks[i]);
	for (int i = 0; i < 4; i++)
		used += ran_on[i] > 0;
	CHECK_GE(used, 2);
	stop();
}

static atomic_int released;

static void *hold_without_safe_points(void *arg)
{
	uint64_t end = soon();

	waiting = 1;
	while (!released)
		CHECK_LT(now_ns(), end);
	return arg;
}

static void *short_work(void *arg)
{
	progress++;
	return arg;
}

/* What a thread creates or wakes must not be kept by a CPU whose task never
 * comes to a safe point while another CPU has time. */
TEST(nobody_waits_behind_one_that_never_rests)
{
	mete_task holder;
	mete_task tasks[TASKS];
	uint64_t end;

	start_cpus(2);
	for (int round = 0; round < 10; round++) {
		released = waiting = progress = 0;
		holder = spawn(hold_without_safe_points, NULL);
		await(&waiting);
		for (int i = 0; i < TASKS; i++)
			tasks[i] = spawn(short_work, NULL);
		end = now_ns() + 5000 * MS * test_slow();
		while (progress < TASKS)
			if (now_ns() > end)
				FAIL("%d of %d have run", progress, TASKS);
		released = 1;
		join(holder);
		for (int i = 0; i < TASKS; i++)
			join(tasks[i]);
	}
	stop();
}

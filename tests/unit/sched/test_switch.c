/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The switch: order, errno, counts, and what each leaves behind.
 */
#include "unit/sched/running.h"

static void *own_errno(void *arg)
{
	int mine = (int)(intptr_t)arg;

	CHECK_EQ(errno, 0);
	errno = mine;
	for (int i = 0; i < 200; i++) {
		mete_task_yield();
		CHECK_EQ(errno, mine);
	}
	mete_task_sleep(MS);
	CHECK_EQ(errno, mine);
	return NULL;
}

TEST(errno_is_each_tasks_own)
{
	mete_task tasks[10];

	start_cpus(1);
	for (intptr_t i = 0; i < 10; i++)
		tasks[i] = spawn(own_errno, (void *)(i + 1000));
	for (int i = 0; i < 10; i++)
		join(tasks[i]);
	stop();
}

enum {
	TASKS = 5,
	TURNS = 1000,
};

static int turns[TASKS * TURNS];
static int turn;
static atomic_int ready;

static void *take_turns(void *arg)
{
	/* On one CPU, so nothing here is shared at one time. */
	ready++;
	while (ready < TASKS)
		mete_task_yield();
	for (int i = 0; i < TURNS; i++) {
		turns[turn++] = (int)(intptr_t)arg;
		mete_task_yield();
	}
	return NULL;
}

TEST(yielding_goes_round)
{
	mete_task tasks[TASKS];

	start_cpus(1);
	for (intptr_t i = 0; i < TASKS; i++)
		tasks[i] = spawn(take_turns, (void *)i);
	for (int i = 0; i < TASKS; i++)
		join(tasks[i]);
	for (int i = TASKS; i < TASKS * TURNS; i++)
		CHECK_EQ(turns[i], turns[i - TASKS]);
	stop();
}

static void *yield_often(void *arg)
{
	for (int i = 0; i < 100; i++)
		mete_task_yield();
	return arg;
}

static void *yield_together(void *arg)
{
	mete_task other = spawn(yield_often, NULL);

	for (int i = 0; i < 100; i++)
		mete_task_yield();
	CHECK_EQ(mete_task_wait(other, soon()), 0);
	/* Its yields and its end. */
	CHECK_EQ(usage_of(other).voluntary, 101);
	CHECK_EQ(usage_of(other).involuntary, 0);
	join(other);
	return arg;
}

TEST(switches_are_counted)
{
	mete_task task;
	struct mete_usage usage;

	start_cpus(1);
	task = spawn(yield_together, NULL);
	CHECK_EQ(mete_task_wait(task, soon()), 0);
	usage = usage_of(task);
	/* 100 yields, one wait, the end; or it found the other ended. */
	CHECK_GE(usage.voluntary, 101);
	CHECK_LE(usage.voluntary, 102);
	CHECK_EQ(usage.migrations, 0);
	CHECK_EQ(group_usage(METE_ROOT, 0).voluntary, usage.voluntary + 101);
	CHECK_EQ(cpu_usage(0).voluntary, usage.voluntary + 101);
	join(task);
	stop();
}

TEST(alone_a_yield_switches_nothing)
{
	mete_task task;

	start_cpus(1);
	task = spawn(yield_often, NULL);
	CHECK_EQ(mete_task_wait(task, soon()), 0);
	CHECK_EQ(usage_of(task).voluntary, 1);
	join(task);
	CHECK_EQ(mete_task_yield(), 0);
	stop();
}

static atomic_int over;

static void *hold_the_cpu(void *arg)
{
	while (!over)
		mete_checkpoint();
	return arg;
}

static void *end_it(void *arg)
{
	over = 1;
	return arg;
}

TEST(a_slice_that_is_over_is_involuntary)
{
	mete_task holder;

	start_cpus(1);
	holder = spawn(hold_the_cpu, NULL);
	/* It only comes to run when the slice is over. */
	join(spawn(end_it, NULL));
	CHECK_EQ(mete_task_wait(holder, soon()), 0);
	CHECK_EQ(usage_of(holder).involuntary, 1);
	CHECK_EQ(usage_of(holder).voluntary, 1);
	CHECK_EQ(group_usage(METE_ROOT, 0).involuntary, 1);
	CHECK_EQ(cpu_usage(0).involuntary, 1);
	join(holder);
	stop();
}

static void *exit_early(void *arg)
{
	mete_task_exit(arg);
}

static void *spawn_exiting(void *arg)
{
	for (int i = 0; i < 1000; i++)
		CHECK(join(spawn(exit_early, &turns[i])) == &turns[i]);
	return arg;
}

TEST(exit_ends_as_return_does)
{
	start_cpus(2);
	join(spawn(spawn_exiting, NULL));
	spawn_exiting(NULL);
	stop();
}

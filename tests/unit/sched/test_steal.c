/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stealing: what waits behind a task that does not let go is run elsewhere,
 * bound tasks are not, and everything runs once.
 */
#include "sched/sched.h"
#include "unit/sched/running.h"

enum {
	TASKS = 100
};

static atomic_int ran[TASKS];
static atomic_int ran_total;
static atomic_int on_own_cpu;

static void *run(void *arg)
{
	ran[(intptr_t)arg]++;
	ran_total++;
	on_own_cpu += mete_cpu_self() == 0;
	return NULL;
}

/* Spawns on its CPU and computes on without any safe point. */
static void *hog(void *arg)
{
	mete_task *tasks = arg;
	uint64_t end = soon();

	for (intptr_t i = 0; i < TASKS; i++)
		tasks[i] = spawn(run, (void *)i);
	while (ran_total < TASKS)
		CHECK_LT(now_ns(), end);
	return NULL;
}

TEST(a_task_that_never_rests_keeps_nobody)
{
	static mete_task tasks[TASKS];

	start_cpus(2);
	join(spawn_on(0, hog, tasks));
	for (int i = 0; i < TASKS; i++) {
		join(tasks[i]);
		CHECK_EQ(ran[i], 1);
	}
	CHECK_EQ(on_own_cpu, 0);
	CHECK_GE(cpu_usage(1).steals, 1);
	CHECK_EQ(cpu_usage(0).steals, 0);
	CHECK_GE(cpu_usage(1).voluntary, TASKS);
	stop();
}

static void *run_bound(void *arg)
{
	CHECK_EQ(mete_cpu_self(), 0);
	ran_total++;
	return arg;
}

static void *hog_before_bound(void *arg)
{
	mete_task *tasks = arg;

	for (int i = 0; i < TASKS; i++)
		tasks[i] = spawn_on(0, run_bound, NULL);
	compute(20 * MS);
	CHECK_EQ(ran_total, 0);
	return NULL;
}

TEST(bound_tasks_are_not_stolen)
{
	static mete_task tasks[TASKS];

	start_cpus(3);
	join(spawn_on(0, hog_before_bound, tasks));
	for (int i = 0; i < TASKS; i++)
		join(tasks[i]);
	CHECK_EQ(ran_total, TASKS);
	stop();
}

static void *busy(void *arg)
{
	for (int i = 0; i < 50; i++) {
		compute(20 * US);
		mete_task_yield();
	}
	ran_total++;
	return arg;
}

static void *spread(void *arg)
{
	mete_task tasks[TASKS];

	for (int i = 0; i < TASKS; i++)
		tasks[i] = spawn(busy, NULL);
	for (int i = 0; i < TASKS; i++)
		join(tasks[i]);
	return arg;
}

/* One task creates all; all CPUs work. */
TEST(work_spreads)
{
	start_cpus(2);
	join(spawn(spread, NULL));
	CHECK_EQ(ran_total, TASKS);
	for (unsigned cpu = 0; cpu < 2; cpu++) {
		NOTE("cpu %u: held %.1f ms, steals %llu", cpu,
		     (double)cpu_usage(cpu).held_ns / MS,
		     (unsigned long long)cpu_usage(cpu).steals);
		CHECK_GE(cpu_usage(cpu).held_ns, 5 * MS);
	}
	stop();
}

static void *run_one(void *arg)
{
	ran_total++;
	return arg;
}

static void *hog_before_one(void *arg)
{
	mete_task task = spawn(run_one, NULL);
	uint64_t end = soon();

	while (!ran_total)
		CHECK_LT(now_ns(), end);
	join(task);
	return arg;
}

TEST(a_single_one_is_not_forgotten)
{
	start_cpus(2);
	join(spawn_on(0, hog_before_one, NULL));
	CHECK_EQ(cpu_usage(1).steals, 1);
	stop();
}

static struct mete_sem turns[2];

static void *pass_on(void *arg)
{
	intptr_t me = (intptr_t)arg;

	for (uint64_t i = test_rounds(200000); i; i--) {
		CHECK_EQ(mete_sem_wait(&turns[me], METE_FOREVER), 0);
		CHECK_EQ(mete_sem_post(&turns[!me], 1), 0);
	}
	return NULL;
}

/* Each is alone in the queue when it has been woken, and runs in a moment: only
 * where its CPU is stopped just then it is taken. */
TEST(one_that_has_just_come_is_left)
{
	mete_task tasks[2];

	start_cpus(2);
	for (intptr_t i = 0; i < 2; i++)
		tasks[i] = spawn(pass_on, (void *)i);
	CHECK_EQ(mete_sem_post(&turns[0], 1), 0);
	for (int i = 0; i < 2; i++)
		join(tasks[i]);
	CHECK_LT(cpu_usage(0).steals + cpu_usage(1).steals,
		 10 + test_rounds(200000) / 1000);
	stop();
}

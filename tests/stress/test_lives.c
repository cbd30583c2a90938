/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ends of lives: tasks that end right after being woken again, that are woken
 * as they are made, and whose time is read all the while.
 */
#include <pthread.h>

#include "unit/sched/running.h"

static atomic_int over;
static uint64_t rounds;

/* A waker for each wait, and the sleeper's end right after the last. */
static void *end_after_wake(void *arg)
{
	CHECK_EQ(mete_sem_wait(arg, soon()), 0);
	return arg;
}

static void *spawn_and_wake(void *arg)
{
	struct mete_sem sems[4];
	mete_task tasks[4];

	for (uint64_t i = 0; i < rounds; i++) {
		for (int t = 0; t < 4; t++) {
			mete_sem_init(&sems[t], 0);
			tasks[t] = spawn(end_after_wake, &sems[t]);
			if (i % 3 == 0)
				mete_task_yield();
			mete_sem_post(&sems[t], 1);
		}
		for (int t = 3; t >= 0; t--)
			CHECK(join(tasks[t]) == &sems[t]);
	}
	return arg;
}

TEST(exit_right_after_being_woken_again)
{
	mete_task tasks[3];

	start_cpus(2);
	rounds = test_rounds(3000);
	for (int i = 0; i < 3; i++)
		tasks[i] = spawn(spawn_and_wake, NULL);
	spawn_and_wake(NULL);
	for (int i = 0; i < 3; i++)
		join(tasks[i]);
	stop();
}

/* Spawn, migrate, wake: all three meet in a task's first instants. */
static void *first_instants(void *arg)
{
	CHECK_EQ(bind_to(mete_task_self(), mete_cpu_self() == 0), 0);
	CHECK_EQ(mete_sem_wait(arg, soon()), 0);
	CHECK_EQ(bind_to(mete_task_self(), mete_cpu_self() == 0), 0);
	return NULL;
}

static void *spawn_migrate_wake(void *arg)
{
	for (uint64_t i = 0; i < rounds; i++) {
		struct mete_sem sem = METE_SEM_INIT(0);
		mete_task task = spawn(first_instants, &sem);

		/* By others while it is made, queued or runs. */
		if (i & 1)
			CHECK_EQ(bind_to(task, (unsigned)(i >> 1 & 1)), 0);
		mete_sem_post(&sem, 1);
		join(task);
	}
	return arg;
}

TEST(spawn_migrate_wake_storm)
{
	mete_task tasks[3];

	start_cpus(2);
	rounds = test_rounds(2000);
	for (int i = 0; i < 3; i++)
		tasks[i] = spawn(spawn_migrate_wake, NULL);
	for (int i = 0; i < 3; i++)
		join(tasks[i]);
	stop();
}

/* Exit storm, read all the while: no figure goes back, the sum is whole at
 * rest, a reader never waits long. */
static void *short_life(void *arg)
{
	for (volatile int i = 0; i < 500; i++)
		;
	return arg;
}

static void *exit_storm(void *arg)
{
	mete_group group = *(mete_group *)arg;

	while (!over) {
		mete_task tasks[8];

		for (int i = 0; i < 8; i++)
			tasks[i] = spawn_in(group, short_life, NULL);
		for (int i = 0; i < 8; i++)
			join(tasks[i]);
	}
	return NULL;
}

static mete_group watched;

static void *watch(void *arg)
{
	struct mete_usage last = {0}, last_live = {0};

	while (!over) {
		struct mete_usage usage = group_usage(watched, 0);
		int error;

		CHECK_EQ(usage.held_ns, usage.exec_ns + usage.stolen_ns);
		CHECK_GE(usage.exec_ns, last.exec_ns);
		CHECK_GE(usage.stolen_ns, last.stolen_ns);
		CHECK_GE(usage.wait_ns, last.wait_ns);
		CHECK_GE(usage.voluntary, last.voluntary);
		CHECK_GE(usage.tasks, last.tasks);
		last = usage;
		error = mete_group_usage(watched, METE_LIVE, &usage,
					 sizeof(usage));
		CHECK(!error || error == -EAGAIN);
		if (error)
			continue;
		CHECK_GE(usage.held_ns, last_live.held_ns);
		last_live = usage;
	}
	return arg;
}

TEST(exit_storm_under_readers)
{
	mete_group groups[3];
	mete_task tasks[3];
	pthread_t watcher;
	uint64_t sum;

	start_cpus(2);
	watched = group_below(METE_ROOT, "watched");
	for (int i = 0; i < 3; i++) {
		char name[2] = {(char)('a' + i), '\0'};

		groups[i] = group_below(watched, name);
		tasks[i] = spawn_in(watched, exit_storm, &groups[i]);
	}
	CHECK_EQ(pthread_create(&watcher, NULL, watch, NULL), 0);
	usleep(700000);
	over = 1;
	pthread_join(watcher, NULL);
	sum = 0;
	for (int i = 0; i < 3; i++) {
		join(tasks[i]);
		sum += group_usage(groups[i], 0).tasks;
	}
	CHECK_EQ(group_usage(watched, 0).tasks, sum + 3);
	CHECK_GE(sum, 100);
	NOTE("%llu lives", (unsigned long long)sum);
	stop();
}

/* Handles of the dead, all the while: stale, never somebody else's. */
static _Atomic uint64_t published;

static void *use_stale_handles(void *arg)
{
	uint64_t state = test_seed();

	while (!over) {
		mete_task task = {published};
		struct mete_usage usage;
		enum mete_task_state seen;
		char name[METE_NAME_MAX + 1];
		int error;

		switch (test_random(&state) % 5) {
		case 0:
			error = mete_task_join(task, 0, NULL);
			CHECK(error == -ESRCH || error == -EINVAL ||
			      error == -ETIMEDOUT);
			break;
		case 1:
			error = mete_task_usage(task, 0, &usage, sizeof(usage));
			CHECK(!error || error == -ESRCH);
			break;
		case 2:
			error = mete_task_state(task, &seen);
			CHECK(!error || error == -ESRCH);
			break;
		case 3:
			error = mete_task_name(task, name, sizeof(name));
			CHECK(!error || error == -ESRCH);
			if (!error)
				CHECK_STR(name, "mayfly");
			break;
		default:
			error = mete_task_move(task, watched);
			CHECK(!error || error == -ESRCH);
			break;
		}
	}
	return arg;
}

static void *mayflies(void *arg)
{
	struct mete_task_attr attr = METE_TASK_ATTR_INIT;

	attr.name = "mayfly";
	attr.detached = true;
	for (uint64_t i = 0; i < rounds; i++) {
		mete_task task;

		CHECK_EQ(mete_task_create(&task, &attr, short_life, NULL), 0);
		published = task.id;
		mete_task_yield();
	}
	return arg;
}

TEST(stale_handles_in_a_storm)
{
	pthread_t threads[2];
	mete_task spawner;

	start_cpus(2);
	rounds = test_rounds(30000);
	watched = group_below(METE_ROOT, "watched");
	spawner = spawn(mayflies, NULL);
	for (int i = 0; i < 2; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, use_stale_handles,
					NULL),
			 0);
	join(spawner);
	over = 1;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	stop();
}

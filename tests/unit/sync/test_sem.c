/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Semaphore: units are neither lost nor made, go out in order, and every end
 * of a wait is told apart; from tasks, from threads, without a runtime.
 */
#include <pthread.h>

#include "unit/sched/running.h"

static struct mete_sem sem;

static void *all_ends(void *arg)
{
	struct mete_sem own = METE_SEM_INIT(2);
	uint64_t begin = now_ns();

	CHECK_EQ(mete_sem_wait(&own, 0), 0);
	CHECK_EQ(mete_sem_wait(&own, METE_FOREVER), 0);
	CHECK_EQ(mete_sem_wait(&own, 0), -ETIMEDOUT);
	CHECK_EQ(mete_sem_wait(&own, 1), -ETIMEDOUT);
	CHECK_EQ(mete_sem_wait(&own, begin), -ETIMEDOUT);
	begin = now_ns();
	CHECK_EQ(mete_sem_wait(&own, begin + 3 * MS), -ETIMEDOUT);
	CHECK_GE(now_ns() - begin, 3 * MS);
	CHECK(own.units.word == 0);
	/* Whoever timed out has taken nothing. */
	CHECK_EQ(mete_sem_post(&own, 1), 0);
	CHECK_EQ(mete_sem_value(&own), 1);
	CHECK_EQ(mete_sem_post(&own, 0), 0);
	CHECK_EQ(mete_sem_value(&own), 1);
	/* A past deadline is enough when a unit is there. */
	CHECK_EQ(mete_sem_wait(&own, 1), 0);
	mete_sem_init(&own, 7);
	CHECK_EQ(mete_sem_value(&own), 7);
	return arg;
}

TEST(a_wait_has_its_ends)
{
	all_ends(NULL); /* no runtime */
	start_cpus(2);
	all_ends(NULL);
	join(spawn(all_ends, NULL));
	stop();
}

TEST(too_many_units_are_refused)
{
	struct mete_sem own = METE_SEM_INIT((uint64_t)INT64_MAX - 5);

	CHECK_EQ(mete_sem_post(&own, 6), -EOVERFLOW);
	CHECK_EQ(mete_sem_value(&own), INT64_MAX - 5);
	CHECK_EQ(mete_sem_post(&own, 5), 0);
	CHECK_EQ(mete_sem_value(&own), INT64_MAX);
	CHECK_EQ(mete_sem_post(&own, 1), -EOVERFLOW);
	CHECK_EQ(mete_sem_wait(&own, 0), 0);
	CHECK_EQ(mete_sem_post(&own, 1), 0);
	mete_sem_init(&own, 0);
	CHECK_EQ(mete_sem_post(&own, UINT32_MAX), 0);
	CHECK_EQ(mete_sem_value(&own), UINT32_MAX);
}

enum {
	WORKERS = 8
};

static atomic_int taken;
static atomic_int given_up;

static void *take(void *arg)
{
	uint64_t rounds = test_rounds(2000);
	uint64_t state = test_seed() + (uintptr_t)arg;

	for (uint64_t i = 0; i < rounds; i++) {
		uint64_t wait = test_random(&state) % 4;
		uint64_t deadline = wait == 0   ? 0
				    : wait == 1 ? now_ns() + 3 * US
						: now_ns() + 100 * US;

		if (mete_sem_wait(&sem, deadline))
			given_up++;
		else
			taken++;
	}
	return NULL;
}

static atomic_int posted;
static atomic_int over;

static void *post(void *arg)
{
	uint64_t state = test_seed();

	while (!over) {
		unsigned count = (unsigned)(test_random(&state) % 4);

		CHECK_EQ(mete_sem_post(&sem, count), 0);
		posted += (int)count;
		if (test_random(&state) % 8 == 0)
			mete_task_sleep(20 * US);
		else
			mete_task_yield();
	}
	return arg;
}

/* Taken and left make up what was posted, whatever races. */
TEST(units_are_conserved)
{
	mete_task takers[WORKERS];
	mete_task poster;
	pthread_t thread;

	start_cpus(2);
	mete_sem_init(&sem, 0);
	poster = spawn(post, NULL);
	for (intptr_t i = 0; i < WORKERS; i++)
		takers[i] = spawn(take, (void *)i);
	CHECK_EQ(pthread_create(&thread, NULL, take, (void *)99), 0);
	for (int i = 0; i < WORKERS; i++)
		join(takers[i]);
	pthread_join(thread, NULL);
	over = 1;
	join(poster);
	CHECK(!(sem.units.word & 1));
	CHECK_EQ(posted, taken + (int)mete_sem_value(&sem));
	NOTE("%d posted, %d taken, %d given up", posted, taken, given_up);
	stop();
}

static atomic_int waiting, order;
static int came[WORKERS];

static void *take_in_turn(void *arg)
{
	waiting++;
	CHECK_EQ(mete_sem_wait(&sem, soon()), 0);
	came[order++] = (int)(intptr_t)arg;
	return NULL;
}

TEST(one_post_wakes_as_many_as_it_gives)
{
	mete_task takers[WORKERS];

	start_cpus(1);
	mete_sem_init(&sem, 0);
	for (intptr_t i = 0; i < WORKERS; i++) {
		takers[i] = spawn(take_in_turn, (void *)i);
		for (uint64_t end = soon(); waiting != i + 1;)
			CHECK_LT(now_ns(), end);
	}
	usleep(2000);
	CHECK_EQ(mete_sem_post(&sem, 3), 0);
	for (uint64_t end = soon(); order < 3;)
		CHECK_LT(now_ns(), end);
	usleep(2000);
	CHECK_EQ(order, 3);
	/* More than wait: the rest stays. */
	CHECK_EQ(mete_sem_post(&sem, WORKERS), 0);
	for (int i = 0; i < WORKERS; i++)
		join(takers[i]);
	CHECK_EQ(mete_sem_value(&sem), 3);
	for (int i = 0; i < WORKERS; i++)
		CHECK_EQ(came[i], i);
	stop();
}

enum {
	CROWD = 8
};

static struct mete_sem each[CROWD];
static int woken;

static void *be_woken(void *arg)
{
	CHECK_EQ(mete_sem_wait(arg, METE_FOREVER), 0);
	woken++;
	return arg;
}

static void *wake_a_crowd(void *arg)
{
	struct mete_sem *sems[CROWD];
	mete_task tasks[CROWD];

	for (int i = 0; i < CROWD; i++) {
		sems[i] = &each[i];
		tasks[i] = spawn(be_woken, &each[i]);
	}
	mete_task_yield();
	CHECK_EQ(mete_sem_post_each(sems, CROWD - 1), 0);
	CHECK_EQ(woken, 0);
	mete_task_yield();
	CHECK_EQ(woken, CROWD - 1);
	CHECK_EQ(mete_sem_post(&each[CROWD - 1], 1), 0);
	for (int i = 0; i < CROWD; i++) {
		join(tasks[i]);
		tasks[i] = spawn(be_woken, &each[i]);
	}
	mete_task_yield();
	woken = 0;
	CHECK_EQ(mete_sem_post_each(sems, CROWD), 0);
	CHECK_EQ(woken, CROWD);
	for (int i = 0; i < CROWD; i++)
		join(tasks[i]);
	return arg;
}

TEST(who_wakes_a_crowd_lets_it_run)
{
	start_cpus(1);
	join(spawn(wake_a_crowd, NULL));
	stop();
}

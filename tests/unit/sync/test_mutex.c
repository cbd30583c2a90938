/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mutex: one holder, in the order of arrival, and misuse told.
 */
#include <pthread.h>

#include "unit/sched/running.h"

static struct mete_mutex mutex;
static atomic_int going;
static int sum; /* under the mutex */

static void *misuse(void *arg)
{
	struct mete_mutex own = METE_MUTEX_INIT;

	CHECK_EQ(mete_mutex_unlock(&own), -EPERM);
	CHECK_EQ(mete_mutex_lock(&own, METE_FOREVER), 0);
	CHECK_EQ(mete_mutex_lock(&own, METE_FOREVER), -EDEADLK);
	CHECK_EQ(mete_mutex_lock(&own, 0), -EDEADLK);
	CHECK_EQ(mete_mutex_lock(&own, 1), -EDEADLK);
	CHECK_EQ(mete_mutex_unlock(&own), 0);
	CHECK_EQ(mete_mutex_unlock(&own), -EPERM);
	CHECK_EQ(mete_mutex_lock(&own, 0), 0);
	CHECK_EQ(mete_mutex_unlock(&own), 0);
	mete_mutex_init(&own);
	CHECK_EQ(mete_mutex_lock(&own, 1), 0);
	return arg;
}

TEST(misuse_is_told)
{
	misuse(NULL); /* no runtime */
	start_cpus(1);
	misuse(NULL);
	join(spawn(misuse, NULL));
	stop();
}

static void *not_the_holder(void *arg)
{
	uint64_t begin = now_ns();

	CHECK_EQ(mete_mutex_unlock(&mutex), -EPERM);
	CHECK_EQ(mete_mutex_lock(&mutex, 0), -ETIMEDOUT);
	CHECK_EQ(mete_mutex_lock(&mutex, 1), -ETIMEDOUT);
	CHECK_EQ(mete_mutex_lock(&mutex, begin), -ETIMEDOUT);
	begin = now_ns();
	CHECK_EQ(mete_mutex_lock(&mutex, begin + 3 * MS), -ETIMEDOUT);
	CHECK_GE(now_ns() - begin, 3 * MS);
	CHECK_EQ(mutex.units.word, 1 << 1);
	CHECK_EQ(mete_mutex_unlock(&mutex), -EPERM);
	return arg;
}

/* Tasks and threads keep one another out. */
TEST(others_are_kept_out)
{
	pthread_t thread;

	start_cpus(2);
	CHECK_EQ(mete_mutex_lock(&mutex, 0), 0);
	join(spawn(not_the_holder, NULL));
	CHECK_EQ(pthread_create(&thread, NULL, not_the_holder, NULL), 0);
	pthread_join(thread, NULL);
	CHECK_EQ(mete_mutex_unlock(&mutex), 0);
	join(spawn(misuse, NULL));
	stop();
}

static void *add(void *arg)
{
	uint64_t rounds = test_rounds(2000);

	for (uint64_t i = 0; i < rounds; i++) {
		int before;

		while (mete_mutex_lock(&mutex, i % 3 ? METE_FOREVER
						     : now_ns() + 50 * US))
			;
		before = sum;
		if (i % 16 == 0)
			mete_task_yield();
		sum = before + 1;
		CHECK_EQ(mete_mutex_unlock(&mutex), 0);
	}
	return arg;
}

TEST(one_at_a_time)
{
	int rounds = (int)test_rounds(2000);
	mete_task tasks[8];
	pthread_t thread;

	start_cpus(2);
	for (int i = 0; i < 8; i++)
		tasks[i] = spawn(add, NULL);
	CHECK_EQ(pthread_create(&thread, NULL, add, NULL), 0);
	for (int i = 0; i < 8; i++)
		join(tasks[i]);
	pthread_join(thread, NULL);
	CHECK_EQ(sum, 9 * rounds);
	CHECK_EQ(mutex.owner, 0);
	CHECK_EQ(mutex.units.word, 0);
	stop();
}

static int came[8];
static int order;

static void *lock_in_turn(void *arg)
{
	going++;
	CHECK_EQ(mete_mutex_lock(&mutex, soon()), 0);
	came[order++] = (int)(intptr_t)arg;
	CHECK_EQ(mete_mutex_unlock(&mutex), 0);
	return NULL;
}

TEST(the_oldest_waiter_comes_next)
{
	mete_task tasks[8];

	start_cpus(2);
	CHECK_EQ(mete_mutex_lock(&mutex, 0), 0);
	for (intptr_t i = 0; i < 8; i++) {
		enum mete_task_state state = METE_TASK_READY;

		tasks[i] = spawn(lock_in_turn, (void *)i);
		for (uint64_t end = soon();
		     going != i + 1 || state != METE_TASK_BLOCKED;) {
			CHECK_EQ(mete_task_state(tasks[i], &state), 0);
			CHECK_LT(now_ns(), end);
		}
	}
	CHECK_EQ(mete_mutex_unlock(&mutex), 0);
	/* It is handed on: nobody overtakes those who wait. */
	for (int i = 0; i < 8; i++)
		join(tasks[i]);
	for (int i = 0; i < 8; i++)
		CHECK_EQ(came[i], i);
	stop();
}

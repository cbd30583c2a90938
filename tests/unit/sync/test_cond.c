/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Condition: no signal lost, none made up, the mutex held afterwards.
 */
#include <pthread.h>

#include "unit/sched/running.h"

static struct mete_mutex mutex;
static struct mete_cond cond;

static void *all_ends(void *arg)
{
	struct mete_mutex own = METE_MUTEX_INIT;
	struct mete_cond none = METE_COND_INIT;
	uint64_t begin = now_ns();

	CHECK_EQ(mete_cond_wait(&none, &own, METE_FOREVER), -EPERM);
	CHECK_EQ(mete_mutex_lock(&own, 0), 0);
	CHECK_EQ(mete_cond_wait(&none, &own, 0), -ETIMEDOUT);
	CHECK_EQ(mete_cond_wait(&none, &own, 1), -ETIMEDOUT);
	CHECK_EQ(mete_cond_wait(&none, &own, begin), -ETIMEDOUT);
	begin = now_ns();
	CHECK_EQ(mete_cond_wait(&none, &own, begin + 3 * MS), -ETIMEDOUT);
	CHECK_GE(now_ns() - begin, 3 * MS);
	CHECK_EQ(none.units.word, 0);
	/* Still ours. */
	CHECK_EQ(mete_mutex_lock(&own, 0), -EDEADLK);
	/* A signal that nobody waits for is gone. */
	CHECK_EQ(mete_cond_signal(&none), 0);
	CHECK_EQ(mete_cond_broadcast(&none), 0);
	CHECK_EQ(mete_cond_wait(&none, &own, now_ns() + MS), -ETIMEDOUT);
	CHECK_EQ(mete_mutex_unlock(&own), 0);
	mete_cond_init(&none);
	return arg;
}

TEST(a_wait_has_its_ends)
{
	all_ends(NULL);
	start_cpus(2);
	all_ends(NULL);
	join(spawn(all_ends, NULL));
	stop();
}

enum {
	WORKERS = 8,
	ITEMS = 2000,
};

static int stock, eaten; /* under the mutex */

static void *eat(void *arg)
{
	int items = (int)test_rounds(ITEMS);

	for (int i = 0; i < items; i++) {
		CHECK_EQ(mete_mutex_lock(&mutex, METE_FOREVER), 0);
		while (!stock) {
			int result = mete_cond_wait(&cond, &mutex, soon());

			CHECK_EQ(result, 0);
		}
		stock--;
		eaten++;
		CHECK_EQ(mete_mutex_unlock(&mutex), 0);
	}
	return arg;
}

static void *make(void *arg)
{
	int items = WORKERS * (int)test_rounds(ITEMS);

	for (int i = 0; i < items; i++) {
		CHECK_EQ(mete_mutex_lock(&mutex, METE_FOREVER), 0);
		stock++;
		CHECK_EQ(mete_cond_signal(&cond), 0);
		CHECK_EQ(mete_mutex_unlock(&mutex), 0);
		if (i % 7 == 0)
			mete_task_yield();
	}
	return arg;
}

/* One signal an item: a lost one would leave an eater to its deadline. */
TEST(no_signal_is_lost)
{
	mete_task eaters[WORKERS];
	pthread_t maker;

	start_cpus(2);
	for (int i = 0; i < WORKERS; i++)
		eaters[i] = spawn(eat, NULL);
	CHECK_EQ(pthread_create(&maker, NULL, make, NULL), 0);
	for (int i = 0; i < WORKERS; i++)
		join(eaters[i]);
	pthread_join(maker, NULL);
	CHECK_EQ(eaten, WORKERS * (int)test_rounds(ITEMS));
	CHECK_EQ(stock, 0);
	CHECK_EQ(cond.units.word, 0);
	stop();
}

static int inside, woken; /* under the mutex */

static void *wait_once(void *arg)
{
	CHECK_EQ(mete_mutex_lock(&mutex, METE_FOREVER), 0);
	inside++;
	CHECK_EQ(mete_cond_wait(&cond, &mutex, soon()), 0);
	woken++;
	CHECK_EQ(mete_mutex_unlock(&mutex), 0);
	return arg;
}

static int count_of(const int *counter)
{
	int count;

	CHECK_EQ(mete_mutex_lock(&mutex, METE_FOREVER), 0);
	count = *counter;
	CHECK_EQ(mete_mutex_unlock(&mutex), 0);
	return count;
}

TEST(signal_wakes_one_and_broadcast_all)
{
	mete_task tasks[WORKERS];
	uint64_t end = soon();

	start_cpus(2);
	for (int i = 0; i < WORKERS; i++)
		tasks[i] = spawn(wait_once, NULL);
	while (count_of(&inside) < WORKERS)
		CHECK_LT(now_ns(), end);
	for (int i = 1; i <= 3; i++) {
		CHECK_EQ(mete_cond_signal(&cond), 0);
		while (count_of(&woken) < i)
			CHECK_LT(now_ns(), end);
		usleep(1000);
		CHECK_EQ(count_of(&woken), i);
	}
	CHECK_EQ(mete_cond_broadcast(&cond), 0);
	for (int i = 0; i < WORKERS; i++)
		join(tasks[i]);
	CHECK_EQ(count_of(&woken), WORKERS);
	stop();
}

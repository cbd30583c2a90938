/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bias: who has it, that the first foreign thread ends it, and that no swap
 * is lost while it does.
 */
#include <pthread.h>

#include "os/inject.h"
#include "sync/bias.h"
#include "unit/sched/running.h"

static void *owner(void)
{
	return aptr_load_acquire(&bias.owner);
}

static struct mete_sem sem;

static void *use(void *arg)
{
	for (int i = 0; i < 3; i++) {
		CHECK_EQ(mete_sem_post(&sem, 1), 0);
		CHECK_EQ(mete_sem_wait(&sem, METE_FOREVER), 0);
	}
	return arg;
}

TEST(one_cpu_has_it_until_a_thread_comes)
{
	CHECK(owner() == BIAS_SHARED);
	start_cpus(1);
	CHECK(owner() == sched.cpu[0]);
	join(spawn(use, NULL));
	CHECK(owner() == sched.cpu[0]);
	use(NULL);
	CHECK(owner() == BIAS_SHARED);
	join(spawn(use, NULL));
	CHECK(owner() == BIAS_SHARED);
	stop();
	/* Once is for ever. */
	start_cpus(1);
	CHECK(owner() == BIAS_SHARED);
	stop();
}

TEST(several_cpus_do_not)
{
	start_cpus(2);
	CHECK(owner() == BIAS_SHARED);
	join(spawn(use, NULL));
	stop();
	start_cpus(1);
	CHECK(owner() == sched.cpu[0]);
	stop();
	CHECK(owner() == BIAS_SHARED);
}

/* Every first use by a thread ends it: waits, posts, everything. */
static void end_by(void (*call)(void))
{
	start_cpus(1);
	CHECK(owner() == sched.cpu[0]);
	call();
	CHECK(owner() == BIAS_SHARED);
	stop();
}

static void by_event(void)
{
	struct mete_event event = METE_EVENT_INIT;

	mete_event_reset(&event);
}

static void by_group(void)
{
	struct mete_waitgroup group = METE_WAITGROUP_INIT(0);

	CHECK_EQ(mete_waitgroup_add(&group, 1), 0);
}

static void by_mutex(void)
{
	struct mete_mutex mutex = METE_MUTEX_INIT;

	CHECK_EQ(mete_mutex_lock(&mutex, 0), 0);
}

static void by_barrier(void)
{
	struct mete_barrier barrier = METE_BARRIER_INIT(1);

	CHECK_EQ(mete_barrier_wait(&barrier, METE_FOREVER), 1);
}

static void by_late_wait(void)
{
	CHECK_EQ(mete_sem_wait(&sem, 1), -ETIMEDOUT);
}

TEST(ended_by_an_event)
{
	end_by(by_event);
}

TEST(ended_by_a_wait_group)
{
	end_by(by_group);
}

TEST(ended_by_a_mutex)
{
	end_by(by_mutex);
}

TEST(ended_by_a_barrier)
{
	end_by(by_barrier);
}

TEST(ended_by_a_wait)
{
	end_by(by_late_wait);
}

static struct mete_mutex mutex;
static uint64_t sum;
static atomic_bool over;
static atomic_int arrived;

static void *add(void *arg)
{
	uint64_t *count = arg;

	arrived++;
	do {
		for (int i = 0; i < 100; i++) {
			CHECK_EQ(mete_mutex_lock(&mutex, METE_FOREVER), 0);
			sum++;
			CHECK_EQ(mete_mutex_unlock(&mutex), 0);
			++*count;
		}
		mete_task_yield();
	} while (!over);
	return NULL;
}

static void *add_late(void *arg)
{
	add(arg);
	return NULL;
}

/* Threads come while two tasks lock and unlock: nothing is counted twice or
 * lost, whoever comes first and wherever the owner is. */
TEST(nothing_is_lost_at_the_end_of_it)
{
	for (uint64_t round = 0; round < test_rounds(300); round++) {
		struct mete_mutex fresh = METE_MUTEX_INIT;
		uint64_t counts[4] = {0};
		pthread_t threads[2];
		mete_task tasks[2];

		mutex = fresh;
		sum = 0;
		over = false;
		arrived = 0;
		/* As if none had ever come. */
		bias_forget();
		start_cpus(1);
		CHECK(owner() == sched.cpu[0]);
		for (int i = 0; i < 2; i++)
			tasks[i] = spawn(add, &counts[i]);
		while (!arrived)
			usleep(10);
		usleep((unsigned)(round % 50));
		for (int i = 0; i < 2; i++)
			CHECK_EQ(pthread_create(&threads[i], NULL, add_late,
						&counts[2 + i]),
				 0);
		while (arrived < 4)
			usleep(10);
		over = true;
		for (int i = 0; i < 2; i++) {
			pthread_join(threads[i], NULL);
			join(tasks[i]);
		}
		CHECK(owner() == BIAS_SHARED);
		CHECK_EQ(sum, counts[0] + counts[1] + counts[2] + counts[3]);
		CHECK_EQ(mutex.units.word, 0);
		stop();
	}
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Barrier: nobody passes early, one of each round is told so, and who
 * withdraws is not counted.
 */
#include <pthread.h>

#include "unit/sched/running.h"

static struct mete_barrier barrier;

enum {
	PARTIES = 5,
	ROUNDS = 2000,
};

static atomic_int round_of[PARTIES];
static atomic_int last;

static void *pass(void *arg)
{
	int self = (int)(intptr_t)arg;
	int rounds = (int)test_rounds(ROUNDS);

	for (int i = 1; i <= rounds; i++) {
		int result;

		round_of[self] = i;
		result = mete_barrier_wait(&barrier, METE_FOREVER);
		CHECK(result == 0 || result == 1);
		last += result;
		for (int p = 0; p < PARTIES; p++) {
			CHECK_GE(round_of[p], i);
			CHECK_LE(round_of[p], i + 1);
		}
	}
	return NULL;
}

TEST(together_again_and_again)
{
	mete_task tasks[PARTIES - 1];
	pthread_t thread;

	start_cpus(2);
	mete_barrier_init(&barrier, PARTIES);
	for (intptr_t i = 1; i < PARTIES; i++)
		tasks[i - 1] = spawn(pass, (void *)i);
	CHECK_EQ(pthread_create(&thread, NULL, pass, NULL), 0);
	for (int i = 1; i < PARTIES; i++)
		join(tasks[i - 1]);
	pthread_join(thread, NULL);
	CHECK_EQ(last, (int)test_rounds(ROUNDS));
	CHECK_EQ(barrier.units.listed, 0);
	stop();
}

static void *alone(void *arg)
{
	struct mete_barrier one = METE_BARRIER_INIT(1);
	struct mete_barrier two = METE_BARRIER_INIT(2);
	uint64_t begin = now_ns();

	for (int i = 0; i < 3; i++) {
		CHECK_EQ(mete_barrier_wait(&one, METE_FOREVER), 1);
		CHECK_EQ(mete_barrier_wait(&one, 0), 1);
	}
	mete_barrier_init(&one, 0);
	CHECK_EQ(mete_barrier_wait(&one, METE_FOREVER), 1);
	CHECK_EQ(mete_barrier_wait(&two, 0), -ETIMEDOUT);
	CHECK_EQ(mete_barrier_wait(&two, 1), -ETIMEDOUT);
	CHECK_EQ(mete_barrier_wait(&two, begin), -ETIMEDOUT);
	begin = now_ns();
	CHECK_EQ(mete_barrier_wait(&two, begin + 3 * MS), -ETIMEDOUT);
	CHECK_GE(now_ns() - begin, 3 * MS);
	/* Withdrawn: none of the attempts counts. */
	CHECK_EQ(two.units.listed, 0);
	CHECK_EQ(two.units.word, 0);
	CHECK_EQ(mete_barrier_wait(&two, 0), -ETIMEDOUT);
	return arg;
}

TEST(alone)
{
	alone(NULL);
	start_cpus(1);
	alone(NULL);
	join(spawn(alone, NULL));
	stop();
}

static atomic_int passed, withdrawn, over;

/* Short deadlines: each round passes for all of its parties or for none. */
static void *try_to_pass(void *arg)
{
	uint64_t state = test_seed() + (uintptr_t)arg;
	uint64_t rounds = test_rounds(3000);

	for (uint64_t i = 0; i < rounds; i++) {
		uint64_t wait = test_random(&state) % 3000;
		int result = mete_barrier_wait(&barrier, now_ns() + wait);

		if (result < 0)
			withdrawn++;
		else
			passed++;
		last += result == 1;
	}
	over = 1;
	return NULL;
}

TEST(withdrawing_in_the_last_instant)
{
	mete_task tasks[3];

	start_cpus(2);
	mete_barrier_init(&barrier, 3);
	for (intptr_t i = 0; i < 3; i++)
		tasks[i] = spawn(try_to_pass, (void *)i);
	for (int i = 0; i < 3; i++)
		join(tasks[i]);
	CHECK_EQ(passed, 3 * last);
	CHECK_EQ(barrier.units.listed, 0);
	CHECK_EQ(barrier.units.word, 0);
	NOTE("%d passed, %d withdrew", passed, withdrawn);
	stop();
}

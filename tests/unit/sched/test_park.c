/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tokens: one at most, none lost, none twice, whatever comes first; and in time.
 */
#include "unit/sched/running.h"

static void *all_ends(void *arg)
{
	mete_task self = mete_task_self();
	uint64_t begin = now_ns();

	CHECK_EQ(mete_park(0), -ETIMEDOUT);
	CHECK_EQ(mete_park(1), -ETIMEDOUT);
	CHECK_EQ(mete_park(begin + 2 * MS), -ETIMEDOUT);
	CHECK_GE(now_ns() - begin, 2 * MS);
	CHECK_EQ(mete_unpark(self), 0);
	CHECK_EQ(mete_unpark(self), 0);
	CHECK_EQ(mete_park(0), 0);
	CHECK_EQ(mete_park(0), -ETIMEDOUT);
	CHECK_EQ(mete_unpark(self), 0);
	CHECK_EQ(mete_park(METE_FOREVER), 0);
	return arg;
}

static void *leave_a_token(void *arg)
{
	CHECK_EQ(mete_unpark(mete_task_self()), 0);
	return arg;
}

TEST(a_park_has_its_ends)
{
	mete_task task;

	CHECK_EQ(mete_park(METE_FOREVER), -EPERM);
	CHECK_EQ(mete_unpark((mete_task){0}), -ENOSYS);
	start_cpus(1);
	CHECK_EQ(mete_park(0), -EPERM);
	join(spawn(all_ends, NULL));
	/* A token does not survive its task. */
	for (int i = 0; i < 10; i++)
		join(spawn(leave_a_token, NULL));
	join(spawn(all_ends, NULL));
	task = spawn(leave_a_token, NULL);
	CHECK_EQ(mete_task_wait(task, soon()), 0);
	CHECK_EQ(mete_unpark(task), 0);
	join(task);
	CHECK_EQ(mete_unpark(task), -ESRCH);
	CHECK_EQ(mete_unpark((mete_task){0}), -ESRCH);
	stop();
}

static atomic_int given, taken, late;
static atomic_bool over;

static void *take(void *arg)
{
	uint64_t state = test_seed();

	(void)arg;
	while (!over || given > taken) {
		uint64_t wait = test_random(&state) % 20;

		if (mete_park(wait ? now_ns() + wait * US : 0))
			late++;
		else
			taken++;
	}
	return NULL;
}

/* The next is given only when the last was taken: the counts agree. */
static void *give(void *arg)
{
	mete_task task = *(mete_task *)arg;
	uint64_t state = test_seed() + 1;
	/* A thread has to wake a sleeping CPU each time. */
	uint64_t rounds = test_rounds(mete_task_self().id ? 20000 : 500);

	for (uint64_t i = 0; i < rounds; i++) {
		uint64_t end = soon();

		given++;
		CHECK_EQ(mete_unpark(task), 0);
		for (uint64_t n = test_random(&state) % 200; n; n--)
			atomic_signal_fence(memory_order_seq_cst);
		while (taken < given) {
			CHECK_LT(now_ns(), end);
			mete_task_yield();
		}
	}
	over = true;
	return arg;
}

TEST(no_token_is_lost)
{
	mete_task taker;

	start_cpus(2);
	taker = spawn(take, NULL);
	join(spawn(give, &taker));
	join(taker);
	CHECK_EQ(taken, given);
	NOTE("%d taken, %d late", taken, late);
	given = taken = 0;
	over = false;
	taker = spawn(take, NULL);
	give(&taker);
	join(taker);
	CHECK_EQ(taken, given);
	stop();
}

static mete_task sides[2];
static atomic_int set;

static void *hand_over(void *arg)
{
	int self = (int)(intptr_t)arg;

	while (!set)
		mete_task_yield();
	for (uint64_t i = 0; i < test_rounds(20000); i++) {
		if (self)
			CHECK_EQ(mete_park(METE_FOREVER), 0);
		CHECK_EQ(mete_unpark(sides[!self]), 0);
		if (!self)
			CHECK_EQ(mete_park(METE_FOREVER), 0);
	}
	return NULL;
}

TEST(to_and_fro)
{
	for (unsigned cpus = 1; cpus < 3; cpus++) {
		start_cpus(cpus);
		set = 0;
		for (intptr_t i = 0; i < 2; i++)
			sides[i] = spawn(hand_over, (void *)i);
		set = 1;
		for (int i = 0; i < 2; i++)
			join(sides[i]);
		stop();
	}
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Joining: every end of it, every error, and one release for each task.
 */
#include <pthread.h>
#include <sched.h>

#include "unit/sched/running.h"

static atomic_int go;

static void *give(void *arg)
{
	return arg;
}

static void *wait_for_go(void *arg)
{
	while (!go)
		mete_task_sleep(MS / 10);
	return arg;
}

static void *sleep_a_little(void *arg)
{
	mete_task_sleep(20 * MS);
	return arg;
}

TEST(the_value_goes_to_the_joiner)
{
	int token;

	start_cpus(2);
	CHECK(join(spawn(give, &token)) == &token);
	CHECK(join(spawn(sleep_a_little, &token)) == &token);
	CHECK_EQ(mete_task_join(spawn(give, &token), METE_FOREVER, NULL), 0);
	stop();
}

TEST(a_stale_handle_finds_nobody)
{
	mete_task old;
	mete_task task;
	char name[METE_NAME_MAX + 1] = "untouched";
	void *value = name;

	start_cpus(1);
	old = spawn(give, NULL);
	join(old);
	for (int i = 0; i < 3; i++) {
		CHECK_EQ(mete_task_join(old, METE_FOREVER, &value), -ESRCH);
		CHECK_EQ(mete_task_wait(old, METE_FOREVER), -ESRCH);
		CHECK_EQ(mete_task_detach(old), -ESRCH);
		CHECK_EQ(mete_task_move(old, METE_ROOT), -ESRCH);
		CHECK_EQ(mete_task_set_affinity(old, NULL), -ESRCH);
		CHECK_EQ(mete_task_name(old, name, sizeof(name)), -ESRCH);
		/* The same slot, another life. */
		go = 0;
		task = spawn(wait_for_go, NULL);
		CHECK_NE(task.id, old.id);
		CHECK_EQ(mete_task_join(old, 0, &value), -ESRCH);
		go = 1;
		join(task);
	}
	CHECK(value == name);
	CHECK_STR(name, "untouched");
	stop();
}

TEST(a_handle_that_was_never_given_out_finds_nobody)
{
	uint64_t ids[] = {0,
			  50,
			  255,
			  256,
			  1u << 20,
			  UINT32_MAX,
			  (UINT64_C(7) << 32) + 1,
			  UINT64_C(1) << 32,
			  UINT64_MAX};

	start_cpus(1);
	join(spawn(give, NULL));
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		mete_task task = {ids[i]};
		char name[8];

		CHECK_EQ(mete_task_join(task, 0, NULL), -ESRCH);
		CHECK_EQ(mete_task_wait(task, 0), -ESRCH);
		CHECK_EQ(mete_task_name(task, name, sizeof(name)), -ESRCH);
		CHECK_EQ(mete_task_detach(task), -ESRCH);
		CHECK_EQ(mete_task_move(task, METE_ROOT), -ESRCH);
		CHECK_EQ(mete_task_set_affinity(task, NULL), -ESRCH);
	}
	stop();
}

static void *join_self(void *arg)
{
	mete_task self = mete_task_self();

	CHECK_EQ(mete_task_join(self, METE_FOREVER, NULL), -EDEADLK);
	CHECK_EQ(mete_task_join(self, 0, NULL), -EDEADLK);
	CHECK_EQ(mete_task_wait(self, METE_FOREVER), -EDEADLK);
	return arg;
}

TEST(nobody_joins_himself)
{
	start_cpus(1);
	join(spawn(join_self, NULL));
	stop();
}

/* Called from tasks and from a foreign thread. */
static void *try_deadlines(void *arg)
{
	mete_task task;
	uint64_t begin = now_ns();
	int token;
	void *value = &token;

	go = 0;
	task = spawn(wait_for_go, &go);
	CHECK_EQ(mete_task_join(task, 0, &value), -ETIMEDOUT);
	CHECK_EQ(mete_task_join(task, 1, &value), -ETIMEDOUT);
	CHECK_EQ(mete_task_join(task, begin, &value), -ETIMEDOUT);
	CHECK_EQ(mete_task_wait(task, begin), -ETIMEDOUT);
	begin = now_ns();
	CHECK_EQ(mete_task_join(task, begin + 5 * MS, &value), -ETIMEDOUT);
	CHECK_GE(now_ns() - begin, 5 * MS);
	CHECK(value == &token);
	go = 1;
	CHECK_EQ(mete_task_wait(task, soon()), 0);
	/* It has ended, so 0 is long enough, and it is still there. */
	CHECK_EQ(mete_task_wait(task, 0), 0);
	CHECK_EQ(mete_task_join(task, 0, &value), 0);
	CHECK(value == (void *)&go);
	CHECK_EQ(mete_task_join(task, 0, &value), -ESRCH);
	return arg;
}

TEST(deadlines)
{
	start_cpus(2);
	try_deadlines(NULL);
	join(spawn(try_deadlines, NULL));
	stop();
}

TEST(detaching)
{
	struct mete_task_attr attr = METE_TASK_ATTR_INIT;
	mete_task task;

	start_cpus(1);
	go = 0;
	task = spawn(wait_for_go, NULL);
	CHECK_EQ(mete_task_detach(task), 0);
	CHECK_EQ(mete_task_detach(task), -EINVAL);
	CHECK_EQ(mete_task_join(task, METE_FOREVER, NULL), -EINVAL);
	CHECK_EQ(mete_task_join(task, 0, NULL), -EINVAL);
	CHECK_EQ(mete_task_wait(task, METE_FOREVER), -EINVAL);
	go = 1;
	for (uint64_t end = soon(); mete_task_detach(task) != -ESRCH;)
		CHECK_LT(now_ns(), end);
	/* After the end: released at once. */
	task = spawn(give, NULL);
	CHECK_EQ(mete_task_wait(task, soon()), 0);
	CHECK_EQ(mete_task_detach(task), 0);
	CHECK_EQ(mete_task_detach(task), -ESRCH);
	/* From birth. */
	go = 0;
	attr.detached = true;
	CHECK_EQ(mete_task_create(&task, &attr, wait_for_go, NULL), 0);
	CHECK_EQ(mete_task_join(task, METE_FOREVER, NULL), -EINVAL);
	go = 1;
	for (uint64_t end = soon(); mete_task_detach(task) != -ESRCH;)
		CHECK_LT(now_ns(), end);
	stop();
}

static void *join_it(void *arg)
{
	CHECK_EQ(mete_task_join(*(mete_task *)arg, soon(), NULL), 0);
	return NULL;
}

TEST(a_second_joiner_is_refused)
{
	mete_task task;
	mete_task joiner;

	start_cpus(2);
	go = 0;
	task = spawn(wait_for_go, NULL);
	joiner = spawn(join_it, &task);
	await_blocked(joiner);
	CHECK_EQ(mete_task_join(task, soon(), NULL), -EINVAL);
	CHECK_EQ(mete_task_wait(task, soon()), -EINVAL);
	CHECK_EQ(mete_task_detach(task), -EINVAL);
	go = 1;
	join(joiner);
	CHECK_EQ(mete_task_join(task, 0, NULL), -ESRCH);
	stop();
}

/* The end and the deadline meet: joined or timed out, never lost. */
static void *race(void *arg)
{
	uint64_t rounds = test_rounds(3000);
	uint64_t state = test_seed();

	for (uint64_t i = 0; i < rounds; i++) {
		mete_task task = spawn(give, &go);
		void *value = NULL;
		uint64_t deadline = now_ns() + test_random(&state) % 8000;
		int result = mete_task_join(task, deadline, &value);

		if (result == -ETIMEDOUT)
			result = mete_task_join(task, soon(), &value);
		CHECK_EQ(result, 0);
		CHECK(value == (void *)&go);
	}
	return arg;
}

TEST(the_end_against_the_deadline)
{
	start_cpus(2);
	join(spawn(race, NULL));
	race(NULL);
	stop();
}

static mete_task prize;
static atomic_ulong rounds_begun;
static atomic_ulong rounds_done;
static atomic_int winners;
static uint64_t rounds_in_all;

static int release_somehow(uint64_t how)
{
	switch (how % 3) {
	case 0:
		return mete_task_detach(prize);
	case 1:
		return mete_task_join(prize, 0, NULL);
	default:
		return mete_task_join(prize, soon(), NULL);
	}
}

static void *release_each(void *seed)
{
	uint64_t state = test_seed() + (uintptr_t)seed;

	for (uint64_t round = 1; round <= rounds_in_all; round++) {
		int result;

		while (rounds_begun < round)
			sched_yield();
		result = release_somehow(test_random(&state));
		if (result != -ESRCH && result != -EINVAL &&
		    result != -ETIMEDOUT)
			CHECK_EQ(result, 0);
		winners += !result;
		rounds_done++;
	}
	return NULL;
}

/* While it runs, ends, or has ended: one release for each task, and the others
 * are told. */
TEST(of_those_who_release_one_does)
{
	pthread_t threads[2];

	rounds_in_all = test_rounds(4000);
	start_cpus(2);
	for (uintptr_t i = 0; i < 2; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, release_each,
					(void *)i),
			 0);
	for (uint64_t round = 1; round <= rounds_in_all; round++) {
		int last;

		winners = 0;
		prize = spawn(give, NULL);
		if (round % 2)
			CHECK_EQ(mete_task_wait(prize, soon()), 0);
		rounds_begun = round;
		while (rounds_done < 2 * round)
			sched_yield();
		CHECK_LE(winners, 1);
		last = mete_task_join(prize, soon(), NULL);
		CHECK_EQ(winners + !last, 1);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	stop();
}

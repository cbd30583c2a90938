/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lock: one at a time, sleepers are woken, the free lock costs no system
 * call, and in builds with checks locks are taken in rising rank only.
 */
#include <sys/resource.h>
#include <sys/wait.h>

#include "conc/lock.h"
#include "harness/test.h"
#include "os/clock.h"
#include "os/thread.h"

static struct lock lock;
static uint64_t guarded[2];

TEST(a_lock_is_taken_once)
{
	lock_acquire(&lock, LOCK_OBJECT);
	CHECK(!lock_try(&lock));
	/* Nobody sleeps: nobody to wake. */
	CHECK_EQ(a32_load_relaxed(&lock.state), 1);
	lock_release(&lock, LOCK_OBJECT);
	CHECK_EQ(a32_load_relaxed(&lock.state), 0);
	CHECK(lock_try(&lock));
	CHECK(!lock_try(&lock));
}

static void worker(void *unused)
{
	(void)unused;
	for (uint64_t i = test_rounds(100000); i; i--) {
		lock_acquire(&lock, LOCK_OBJECT);
		CHECK_EQ(guarded[0], guarded[1]);
		guarded[0]++;
		if (i % 128 == 0)
			os_thread_yield();
		guarded[1]++;
		lock_release(&lock, LOCK_OBJECT);
	}
}

TEST(one_at_a_time)
{
	struct os_thread threads[4];

	for (int i = 0; i < 4; i++)
		CHECK_EQ(os_thread_create(&threads[i], NULL, worker, NULL), 0);
	for (int i = 0; i < 4; i++)
		os_thread_join(&threads[i]);
	CHECK_EQ(guarded[0], 4 * test_rounds(100000));
	CHECK_EQ(guarded[1], guarded[0]);
	CHECK_EQ(a32_load_relaxed(&lock.state), 0);
}

static struct a32 got;

static void sleeper(void *unused)
{
	(void)unused;
	lock_acquire(&lock, LOCK_OBJECT);
	a32_add_seq_cst(&got, 1);
	lock_release(&lock, LOCK_OBJECT);
}

/* Waiters of a long section sleep, and all of them get it in the end. */
TEST(sleepers_are_woken)
{
	struct os_thread threads[3];

	lock_acquire(&lock, LOCK_OBJECT);
	for (int i = 0; i < 3; i++)
		CHECK_EQ(os_thread_create(&threads[i], NULL, sleeper, NULL), 0);
	while (a32_load_acquire(&lock.state) != 2)
		os_thread_yield();
	for (int i = 0; i < 3; i++) {
		uint64_t start = os_monotonic_ns();
		uint64_t before = 0;
		uint64_t now = 0;

		/* Who sleeps does not compute: wait until it is so. */
		while (os_monotonic_ns() - start < 1000000)
			os_thread_yield();
		CHECK_EQ(os_thread_clock_ns(&threads[i], &before), 0);
		start = os_monotonic_ns();
		while (os_monotonic_ns() - start < 20000000)
			os_thread_yield();
		CHECK_EQ(os_thread_clock_ns(&threads[i], &now), 0);
		CHECK_LE(now - before, 10000000);
	}
	CHECK_EQ(a32_load_acquire(&got), 0);
	lock_release(&lock, LOCK_OBJECT);
	for (int i = 0; i < 3; i++)
		os_thread_join(&threads[i]);
	CHECK_EQ(a32_load_acquire(&got), 3);
}

static void take_in_order(void *order)
{
	const enum lock_rank *rank = order;
	struct lock locks[3] = {{{0}}};
	struct rlimit none = {0, 0};

	setrlimit(RLIMIT_CORE, &none);
	for (int i = 0; i < 3; i++)
		lock_acquire(&locks[i], rank[i]);
	for (int i = 0; i < 3; i++)
		lock_release(&locks[i], rank[i]);
	/* And again, for they were given back. */
	lock_acquire(&locks[0], rank[0]);
	lock_release(&locks[0], rank[0]);
}

TEST(ranks_rise)
{
	enum lock_rank rising[] = {LOCK_TREE, LOCK_POOL, LOCK_KEYS};
	enum lock_rank falling[] = {LOCK_TREE, LOCK_KEYS, LOCK_POOL};
	enum lock_rank twice[] = {LOCK_TREE, LOCK_POOL, LOCK_POOL};
	struct test_outcome outcome;

	test_in_child(take_in_order, rising, &outcome);
	CHECK_EQ(outcome.status, 0);
#ifdef METE_CHECKS
	test_in_child(take_in_order, falling, &outcome);
	CHECK(WIFSIGNALED(outcome.status));
	CHECK_HAS(outcome.output, "broken law");
	test_in_child(take_in_order, twice, &outcome);
	CHECK(WIFSIGNALED(outcome.status));
#else
	/* Nobody looks, and nothing but the order is wrong. */
	test_in_child(take_in_order, falling, &outcome);
	CHECK_EQ(outcome.status, 0);
	test_in_child(take_in_order, twice, &outcome);
	CHECK_EQ(outcome.status, 0);
#endif
}

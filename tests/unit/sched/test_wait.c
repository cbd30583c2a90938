/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waiting: 0 exactly if a wake-up was given, as a task and as a thread.
 */
#include "sched/wait.h"
#include "unit/sched/running.h"

static struct mete_waiter *_Atomic published;
static atomic_int ended;

static void *time_out(void *arg)
{
	struct mete_waiter waiter;
	uint64_t begin = now_ns();

	wait_prepare(&waiter, WAIT_OTHER, NULL, begin + 5 * MS);
	CHECK_EQ(wait_sleep(&waiter, begin + 5 * MS), -ETIMEDOUT);
	CHECK_GE(now_ns() - begin, 5 * MS);
	/* Too late. */
	CHECK(!wait_wake(&waiter));
	/* A deadline that is past. */
	for (int i = 0; i < 3; i++) {
		uint64_t past[] = {0, 1, begin};

		wait_prepare(&waiter, WAIT_OTHER, NULL, past[i]);
		CHECK_EQ(wait_sleep(&waiter, past[i]), -ETIMEDOUT);
	}
	CHECK_LT(now_ns() - begin, 5000 * MS * test_slow());
	return arg;
}

TEST(a_wait_ends_at_its_deadline)
{
	start_cpus(2);
	time_out(NULL);
	join(spawn(time_out, NULL));
	stop();
}

/* Woken before it sleeps, by itself: it must not leave its CPU for ever. */
static void *woken_before(void *arg)
{
	for (int i = 0; i < 2000; i++) {
		struct mete_waiter waiter;
		uint64_t deadline = i % 2 ? METE_FOREVER : soon();

		wait_prepare(&waiter, WAIT_OTHER, NULL, deadline);
		CHECK(wait_wake(&waiter));
		if (deadline != METE_FOREVER)
			CHECK(!wait_wake(&waiter));
		CHECK_EQ(wait_sleep(&waiter, deadline), 0);
	}
	return arg;
}

TEST(woken_before_it_sleeps)
{
	mete_task tasks[4];

	start_cpus(2);
	woken_before(NULL);
	for (int i = 0; i < 4; i++)
		tasks[i] = spawn(woken_before, NULL);
	for (int i = 0; i < 4; i++)
		join(tasks[i]);
	stop();
}

static void *cancel(void *arg)
{
	for (int i = 0; i < 100; i++) {
		struct mete_waiter waiter;

		wait_prepare(&waiter, WAIT_OTHER, NULL, METE_FOREVER);
		wait_cancel(&waiter);
		mete_task_yield();
	}
	return arg;
}

TEST(a_wait_that_did_not_come_to_be)
{
	mete_task tasks[4];

	start_cpus(2);
	cancel(NULL);
	for (int i = 0; i < 4; i++)
		tasks[i] = spawn(cancel, NULL);
	for (int i = 0; i < 4; i++)
		join(tasks[i]);
	stop();
}

enum {
	ROUNDS = 4000
};

static atomic_int woken, slept;

/* Deadlines so short that either may win. */
static void *wait_shortly(void *arg)
{
	uint64_t state = test_seed();
	uint64_t rounds = test_rounds(ROUNDS);
	static struct mete_waiter waiters[ROUNDS];

	for (uint64_t i = 0; i < rounds; i++) {
		uint64_t deadline = now_ns() + test_random(&state) % 20000;

		wait_prepare(&waiters[i], WAIT_OTHER, NULL, deadline);
		published = &waiters[i];
		if (!wait_sleep(&waiters[i], deadline))
			slept++;
		else if (published == &waiters[i])
			published = NULL;
	}
	ended = 1;
	return arg;
}

static void *wake_always(void *arg)
{
	while (!ended) {
		struct mete_waiter *waiter = published;

		/* The waiters' memory stays, so a late look does no harm; each
		 * is woken at most once. */
		if (waiter &&
		    atomic_compare_exchange_strong(&published, &waiter, NULL))
			woken += wait_wake(waiter);
		else
			mete_task_yield();
	}
	return arg;
}

static void check_race(bool waiter_is_task, bool waker_is_task)
{
	mete_task task;

	start_cpus(2);
	woken = slept = ended = 0;
	if (waiter_is_task) {
		task = spawn_on(0, wait_shortly, NULL);
		if (waker_is_task)
			join(spawn_on(1, wake_always, NULL));
		else
			wake_always(NULL);
	} else {
		task = spawn(wake_always, NULL);
		wait_shortly(NULL);
	}
	join(task);
	CHECK_EQ(woken, slept);
	NOTE("%d of %d woken", woken, ROUNDS);
	stop();
}

TEST(a_task_and_its_waking_task)
{
	check_race(true, true);
}

TEST(a_task_and_its_waking_thread)
{
	check_race(true, false);
}

TEST(a_thread_and_its_waking_task)
{
	check_race(false, true);
}

static void *take_and_release(void *arg)
{
	struct mete_waiter waiter;
	struct wait_woken taken;

	wait_woken_init(&taken);
	wait_prepare(&waiter, WAIT_OTHER, NULL, METE_FOREVER);
	CHECK(wait_take(&waiter, &taken));
	CHECK(taken.tasks != NULL && taken.tasks->next == NULL);
	CHECK(taken.task_tail == &taken.tasks->next);
	CHECK(taken.threads == NULL);
	wait_release(&taken);
	CHECK_EQ(wait_sleep(&waiter, METE_FOREVER), 0);
	return arg;
}

/* A thread that was taken must stay, whatever its deadline, until it is let
 * go. */
TEST(who_is_taken_stays_until_released)
{
	struct mete_waiter waiter;
	struct wait_woken taken;

	start_cpus(1);
	wait_woken_init(&taken);
	wait_release(&taken);
	wait_prepare(&waiter, WAIT_OTHER, NULL, 1);
	CHECK(wait_take(&waiter, &taken));
	CHECK(!wait_take(&waiter, &taken));
	CHECK(!wait_wake(&waiter));
	CHECK(taken.tasks == NULL && taken.threads == &waiter);
	CHECK_EQ(waiter.word.value, THREAD_TAKEN);
	wait_release(&taken);
	CHECK_EQ(wait_sleep(&waiter, 1), 0);
	join(spawn(take_and_release, NULL));
	stop();
}

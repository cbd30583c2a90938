/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tick: slices, timers of busy CPUs, and silence when nobody needs it.
 */
#include "unit/sched/running.h"

static atomic_int over;
static atomic_int turns[2];

static void start_slice(uint64_t slice_ns)
{
	struct mete_options options = METE_OPTIONS_INIT;

	options.cpus = 1;
	options.slice_ns = slice_ns;
	options.flags = METE_IGNORE_ENV;
	CHECK_EQ(mete_start(&options), 0);
}

static atomic_int last = -1;

/* Only safe points; notes when it got the CPU back. */
static void *compete_for_cpu(void *arg)
{
	int self = (int)(intptr_t)arg;

	while (!over) {
		mete_checkpoint();
		if (last != self) {
			last = self;
			turns[self]++;
		}
	}
	return NULL;
}

TEST(slices_go_round)
{
	uint64_t span = 300 * MS;
	mete_task tasks[2];
	uint64_t begin;
	int all;

	start_slice(3 * MS);
	begin = now_ns();
	for (intptr_t i = 0; i < 2; i++)
		tasks[i] = spawn(compete_for_cpu, (void *)i);
	while (now_ns() - begin < span || turns[0] + turns[1] < 20) {
		CHECK_LT(now_ns(), begin + 10000 * MS * test_slow());
		usleep(1000);
	}
	over = 1;
	span = now_ns() - begin;
	for (int i = 0; i < 2; i++)
		join(tasks[i]);
	all = turns[0] + turns[1];
	NOTE("%d turns in %.0f ms", all, (double)span / MS);
	/* Not before a slice is over. */
	CHECK_LE(all, (int)(span / (3 * MS)) + 3);
	CHECK_LE(turns[0], turns[1] + 1);
	CHECK_LE(turns[1], turns[0] + 1);
	stop();
}

TEST(the_slice_is_an_option)
{
	mete_task tasks[2];

	start_slice(100 * MS);
	for (intptr_t i = 0; i < 2; i++)
		tasks[i] = spawn(compete_for_cpu, (void *)i);
	usleep(250000);
	over = 1;
	for (int i = 0; i < 2; i++)
		join(tasks[i]);
	CHECK_GE(turns[0] + turns[1], 2);
	CHECK_LE(turns[0] + turns[1], 4 * (int)test_slow());
	stop();
}

static void *compute_without_safe_points(void *arg)
{
	compute(*(uint64_t *)arg);
	return NULL;
}

/* Nobody competes: the tick's thread does not run. */
TEST(no_beats_without_competition)
{
	struct mete_ledger before, after;
	uint64_t span = 300 * MS;
	mete_task task;

	start_slice(0);
	task = spawn(compute_without_safe_points, &span);
	usleep(80000);
	CHECK_EQ(mete_ledger(&before, sizeof(before)), 0);
	usleep(150000);
	CHECK_EQ(mete_ledger(&after, sizeof(after)), 0);
	CHECK_LT(after.helper_cpu_ns - before.helper_cpu_ns, 300 * US);
	join(task);
	usleep(80000);
	CHECK_EQ(mete_ledger(&before, sizeof(before)), 0);
	usleep(150000);
	CHECK_EQ(mete_ledger(&after, sizeof(after)), 0);
	CHECK_LT(after.helper_cpu_ns - before.helper_cpu_ns, 300 * US);
	stop();
}

static _Atomic uint64_t woke;

static void *sleep_until(void *arg)
{
	mete_task_sleep_until(*(uint64_t *)arg);
	woke = now_ns();
	return NULL;
}

/* On a CPU that runs tasks a deadline is kept to about a slice. */
TEST(timers_of_a_busy_cpu)
{
	uint64_t deadlines[3];
	mete_task tasks[3];
	mete_task busy;

	start_slice(3 * MS);
	for (int i = 0; i < 3; i++) {
		deadlines[i] = now_ns() + (uint64_t)(40 + 40 * i) * MS;
		tasks[i] = spawn(sleep_until, &deadlines[i]);
	}
	busy = spawn(compete_for_cpu, NULL);
	for (int i = 0; i < 3; i++) {
		join(tasks[i]);
		NOTE("late by %.1f ms", (double)(woke - deadlines[i]) / MS);
		CHECK_GE(woke, deadlines[i]);
		CHECK_LT(woke, deadlines[i] + 500 * MS * test_slow());
		CHECK_EQ(over, 0);
	}
	over = 1;
	join(busy);
	stop();
}

/* A timer armed by a task that sleeps while others of its CPU go on. */
static void *yield_for_long(void *arg)
{
	while (!over)
		mete_task_yield();
	return arg;
}

TEST(timers_among_yielders)
{
	uint64_t deadline;
	mete_task yielders[2];

	start_slice(3 * MS);
	for (int i = 0; i < 2; i++)
		yielders[i] = spawn(yield_for_long, NULL);
	for (int i = 0; i < 5; i++) {
		deadline = now_ns() + 5 * MS;
		join(spawn(sleep_until, &deadline));
		CHECK_GE(woke, deadline);
		CHECK_LT(woke, deadline + 500 * MS * test_slow());
	}
	over = 1;
	for (int i = 0; i < 2; i++)
		join(yielders[i]);
	stop();
}

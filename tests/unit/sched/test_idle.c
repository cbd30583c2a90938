/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Idle CPUs: they sleep, use nothing, and wake for work, timers and the end.
 */
#include "unit/sched/running.h"

static void *nothing(void *arg)
{
	return arg;
}

static void *sleeper(void *arg)
{
	uint64_t deadline = now_ns() + *(uint64_t *)arg;

	mete_task_sleep_until(deadline);
	*(uint64_t *)arg = now_ns() - deadline;
	return NULL;
}

TEST(an_idle_runtime_sleeps)
{
	struct mete_ledger before, after;
	uint64_t parks = 0;
	uint64_t cpu_ns;

	start_cpus(2);
	join(spawn(nothing, NULL));
	usleep(20000);
	for (unsigned i = 0; i < 2; i++)
		parks += cpu_usage(i).parks;
	CHECK_EQ(mete_ledger(&before, sizeof(before)), 0);
	cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	usleep(200000);
	cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_ns;
	CHECK_EQ(mete_ledger(&after, sizeof(after)), 0);
	/* Nobody beats time, nobody looks around. */
	CHECK_LT(cpu_ns, 20 * MS);
	CHECK_GE(after.parked_ns - before.parked_ns, 2 * 180 * MS);
	CHECK_EQ(after.held_ns, before.held_ns);
	for (unsigned i = 0; i < 2; i++)
		CHECK_LE(cpu_usage(i).parks, parks + 4);
	stop();
}

/* One sleeps on an idle machine: the parked CPU must keep its time. */
TEST(a_parked_cpu_minds_its_timers)
{
	uint64_t late[3] = {5 * MS, 30 * MS, 1};

	start_cpus(1);
	for (int i = 0; i < 3; i++)
		join(spawn(sleeper, &late[i]));
	for (int i = 0; i < 3; i++)
		CHECK_LT(late[i], 1000 * MS * test_slow());
	stop();
}

TEST(work_wakes_a_parked_cpu_by_one_call)
{
	enum {
		ROUNDS = 50
	};
	struct mete_cpu_usage usage;

	start_cpus(1);
	for (int i = 0; i < ROUNDS; i++) {
		usleep(500);
		join(spawn(nothing, NULL));
	}
	usleep(20000);
	usage = cpu_usage(0);
	/* One call a sleep at most; and most rounds did find it asleep. */
	CHECK_LE(usage.notifications, usage.parks);
	CHECK_LE(usage.notifications, ROUNDS);
	CHECK_GE(usage.notifications, ROUNDS / 2);
	stop();
}

/* Idle implies that nothing waits: what is pushed in the instant in which a
 * CPU falls asleep is run. */
TEST(no_work_is_slept_over)
{
	uint64_t rounds = test_rounds(5000);
	uint64_t state = test_seed();

	start_cpus(2);
	for (uint64_t i = 0; i < rounds; i++) {
		mete_task task = spawn(nothing, NULL);

		CHECK_EQ(mete_task_join(task, soon(), NULL), 0);
		for (uint64_t n = test_random(&state) % 2000; n; n--)
			__asm__ volatile("");
	}
	stop();
}

TEST(stopping_wakes_everybody)
{
	uint64_t begin;

	for (int i = 0; i < 20; i++) {
		start_cpus(3);
		join(spawn(nothing, NULL));
		if (i & 1)
			usleep(2000);
		begin = now_ns();
		stop();
		CHECK_LT(now_ns() - begin, 5000 * MS * test_slow());
	}
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work that is always the same costs the same, whoever robs us of the CPU, in
 * each group.  Medians of interleaved runs; three attempts, for the machine is
 * shared: a neighbour's burst shifts a figure once, a fault every time.
 */
#include <sched.h>
#include <stdlib.h>

#include "unit/sched/running.h"

enum {
	ATTEMPTS = 3
};

/*
 * Fixed work in two groups of unlike habits on one CPU: long computing without
 * safe points, and short bouts with yields.  The other CPUs are kept busy in
 * all runs, so that a core shared with a sibling is equally slow in all.
 */
enum {
	REPEATS = 7,
	BOUTS = 400,
	LONG = 10,
};

static uint64_t bout_rounds;

static void spin(uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		__asm__ volatile("");
}

static void *long_habit(void *arg)
{
	for (int i = 0; i < LONG; i++) {
		spin(bout_rounds * BOUTS / LONG);
		mete_task_yield();
	}
	return arg;
}

static void *short_habit(void *arg)
{
	for (int i = 0; i < BOUTS; i++) {
		spin(bout_rounds);
		mete_task_yield();
	}
	return arg;
}

struct cost {
	double exec[2];
	double stolen;
};

static struct cost do_fixed_work(void)
{
	struct cost cost;
	mete_group groups[2];
	mete_task tasks[2];

	start_cpus(1);
	groups[0] = group_below(METE_ROOT, "long");
	groups[1] = group_below(METE_ROOT, "short");
	tasks[0] = spawn_in(groups[0], long_habit, NULL);
	tasks[1] = spawn_in(groups[1], short_habit, NULL);
	for (int i = 0; i < 2; i++)
		CHECK_EQ(mete_task_wait(tasks[i], soon()), 0);
	for (int i = 0; i < 2; i++)
		cost.exec[i] = (double)group_usage(groups[i], 0).exec_ns;
	cost.stolen = (double)group_usage(METE_ROOT, 0).stolen_ns;
	stop();
	return cost;
}

static int by_size(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static double median(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), by_size);
	return values[count / 2];
}

static void bind_process(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	CHECK_EQ(sched_setaffinity(0, sizeof(set), &set), 0);
}

/* Ratios of cost under a competitor to cost without, by group. */
static void compare_costs(double *ret_ratio)
{
	double calm[2][REPEATS], robbed[2][REPEATS];
	double stolen = 0;

	for (int r = 0; r < REPEATS; r++) {
		struct cost cost = do_fixed_work();
		pid_t competitor;

		for (int g = 0; g < 2; g++)
			calm[g][r] = cost.exec[g];
		competitor = compete();
		cost = do_fixed_work();
		end_competitor(competitor);
		for (int g = 0; g < 2; g++)
			robbed[g][r] = cost.exec[g];
		stolen += cost.stolen;
	}
	for (int g = 0; g < 2; g++) {
		double without = median(calm[g], REPEATS);
		double with = median(robbed[g], REPEATS);

		ret_ratio[g] = with / without;
		NOTE("%s habit: %.3f ms calm, %.3f ms robbed (%+.2f %%)",
		     g ? "short" : "long", without / MS, with / MS,
		     (with / without - 1) * 100);
	}
	NOTE("stolen %.1f ms a run", stolen / REPEATS / MS);
	CHECK(stolen / REPEATS > 10 * MS);
}

TEST_WITHIN(fixed_work_costs_the_same, 120)
{
	double ratio[2] = {2, 2};
	cpu_set_t allowed;
	pid_t neighbours[64];
	int count = 0, ours;
	uint64_t begin;

	if (test_slow() > 1)
		SKIP("only in a build at full speed");
	CHECK_EQ(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
	for (ours = 0; !CPU_ISSET(ours, &allowed); ours++)
		;
	for (int cpu = ours + 1; cpu < CPU_SETSIZE && count < 64; cpu++) {
		if (!CPU_ISSET(cpu, &allowed))
			continue;
		bind_process(cpu);
		neighbours[count++] = compete();
	}
	bind_process(ours);
	begin = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	spin(10000000);
	begin = clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
	/* Some 100 us a bout, 40 ms in all. */
	bout_rounds = UINT64_C(10000000) * 100000 / (begin + 1);
	for (int i = 0; i < ATTEMPTS; i++) {
		compare_costs(ratio);
		if (ratio[0] > 0.98 && ratio[0] < 1.02 && ratio[1] > 0.98 &&
		    ratio[1] < 1.02)
			break;
	}
	for (int i = 0; i < count; i++)
		end_competitor(neighbours[i]);
	for (int g = 0; g < 2; g++)
		CHECK(ratio[g] > 0.98 && ratio[g] < 1.02);
}

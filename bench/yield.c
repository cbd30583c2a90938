/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench yield: tasks that do nothing but yield to each other.
 *
 * Every task counts its own yields; the first reads the clock and all counts
 * before and after.  ns_per_switch is wall time x CPUs / yields.  With a depth
 * the tasks stand by turns in two leaf groups whose paths differ in so many
 * levels, so that on one CPU every switch changes the group.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"

/* Yields between two looks at whether it is over. */
#define BURST 16

/* Bursts of the first task between two looks at the clock. */
#define BURSTS 64

#define WARM_UP_NS UINT64_C(10000000)

struct yielder {
	_Alignas(128) volatile uint64_t yields;
	struct yield_run *run;
	mete_task task;
};

struct yield_run {
	const struct bench_options *options;
	struct yielder *yielders;
	mete_group leaves[2];
	atomic_bool over;
	double ns_per_switch;
};

/*
 * Not inline: all tasks yield at one place, as in the benchmarks that this is
 * set beside.  Two tasks that yield at different places mispredict each other's
 * returns, whatever switches them (some 9 ns).
 */
static __attribute__((noinline)) void burst(struct yielder *yielder)
{
	for (int i = 0; i < BURST; i++)
		mete_task_yield();
	yielder->yields += BURST;
}

static void *yielder_main(void *arg)
{
	struct yielder *yielder = arg;

	while (!yielder->run->over)
		burst(yielder);
	return NULL;
}

static int leaf_create(mete_group *ret_leaf, const char *name, unsigned depth)
{
	mete_group group = METE_ROOT;
	int rc = 0;

	for (unsigned i = 0; i < depth && !rc; i++)
		rc = mete_group_create(&group, group, name, NULL);
	if (!rc)
		*ret_leaf = group;
	return rc;
}

static int leaves_create(struct yield_run *run)
{
	unsigned depth = run->options->depth;
	int rc = leaf_create(&run->leaves[0], "a", depth ? depth : 1);

	run->leaves[1] = run->leaves[0];
	if (!rc && depth)
		rc = leaf_create(&run->leaves[1], "b", depth);
	return rc;
}

/* Yields for some time; the sum of all counts at its end. */
static uint64_t spend(struct yield_run *run, uint64_t until_ns)
{
	uint64_t sum = 0;

	do {
		for (int i = 0; i < BURSTS; i++)
			burst(&run->yielders[0]);
	} while (bench_now_ns() < until_ns);
	for (unsigned i = 0; i < run->options->tasks; i++)
		sum += run->yielders[i].yields;
	return sum;
}

static void measure(struct yield_run *run)
{
	uint64_t before;
	uint64_t after;
	uint64_t start_ns;
	uint64_t end_ns;

	before = spend(run, bench_now_ns() + WARM_UP_NS);
	start_ns = bench_now_ns();
	after = spend(run, start_ns + run->options->run_ns);
	end_ns = bench_now_ns();
	run->ns_per_switch = (double)(end_ns - start_ns) * run->options->cpus /
			     (double)(after - before);
}

/* The first task: starts the others, measures, ends them. */
static int first_main(void *arg)
{
	struct yield_run *run = arg;
	unsigned started = 1;
	int rc = leaves_create(run);

	if (!rc)
		mete_charge(run->leaves[0]);
	while (!rc && started < run->options->tasks) {
		struct mete_task_attr attr = METE_TASK_ATTR_INIT;

		attr.group = run->leaves[started % 2];
		rc = mete_task_create(&run->yielders[started].task, &attr,
				      yielder_main, &run->yielders[started]);
		started += !rc;
	}
	if (!rc)
		measure(run);
	run->over = true;
	for (unsigned i = 1; i < started; i++)
		mete_task_join(run->yielders[i].task, METE_FOREVER, NULL);
	return rc;
}

static int run_once(const struct bench_options *options, double *ret_value)
{
	struct yield_run run = {.options = options};
	int rc;

	run.yielders =
		aligned_alloc(128, options->tasks * sizeof(*run.yielders));
	if (!run.yielders)
		return -ENOMEM;
	memset(run.yielders, 0, options->tasks * sizeof(*run.yielders));
	for (unsigned i = 0; i < options->tasks; i++)
		run.yielders[i].run = &run;
	rc = bench_in_runtime(options, first_main, &run);
	free(run.yielders);
	if (!rc)
		*ret_value = run.ns_per_switch;
	return rc;
}

static int run(const struct bench_options *options)
{
	struct bench_line about = {
		.benchmark = "yield",
		.engine = "mete",
		.cpus = (int)options->cpus,
		.tasks = (int)options->tasks,
		.books = bench_books_name(options->books),
		.depth = (int)options->depth,
		.metric = "ns_per_switch",
		.unit = "ns",
	};
	double values[BENCH_RUNS_MAX];

	bench_title(options, &about);
	for (unsigned i = 0; i < options->runs; i++) {
		int rc = run_once(options, &values[i]);

		if (rc)
			return rc;
	}
	bench_report(options, &about, values);
	return 0;
}

const struct bench bench_yield = {
	.name = "yield",
	.summary = "tasks that yield to each other",
	.tasks = 2,
	.run = run,
};

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench spawn: tasks that are born and end.
 *
 * one: create a task, join it, again and again; batch: create so many (-t,
 * 1,000 by default), then join them all.  The body returns at once.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/bench.h"

/* The clock is read after so many. */
#define ONES 1000

struct spawn_run {
	mete_task *tasks;
	unsigned count; /* tasks in a batch, 1: one by one */
	uint64_t run_ns;
	double ns_per_spawn;
};

static void *nothing(void *arg)
{
	return arg;
}

static int batch(struct spawn_run *run)
{
	unsigned created = 0;
	int rc = 0;

	while (created < run->count && !rc) {
		rc = mete_task_create(&run->tasks[created], NULL, nothing,
				      NULL);
		created += !rc;
	}
	for (unsigned i = 0; i < created; i++)
		mete_task_join(run->tasks[i], METE_FOREVER, NULL);
	return rc;
}

static int batches(struct spawn_run *run)
{
	unsigned times = run->count < ONES ? ONES / run->count : 1;

	for (unsigned i = 0; i < times; i++) {
		int rc = batch(run);

		if (rc)
			return rc;
	}
	return 0;
}

static int first_main(void *arg)
{
	struct spawn_run *run = arg;
	unsigned times = run->count < ONES ? ONES / run->count : 1;
	uint64_t start_ns;
	uint64_t now_ns;
	uint64_t spawned = 0;
	int rc = 0;

	/* Stacks come into the pool and into the caches. */
	for (int i = 0; i < 5 && !rc; i++)
		rc = batches(run);
	start_ns = bench_now_ns();
	do {
		if (!rc)
			rc = batches(run);
		spawned += (uint64_t)times * run->count;
		now_ns = bench_now_ns();
	} while (!rc && now_ns - start_ns < run->run_ns);
	run->ns_per_spawn = (double)(now_ns - start_ns) / (double)spawned;
	return rc;
}

static int variant(const struct bench_options *options, const char *name,
		   unsigned count)
{
	struct bench_line about = {
		.benchmark = "spawn",
		.variant = name,
		.engine = "mete",
		.cpus = (int)options->cpus,
		.tasks = (int)count,
		.books = bench_books_name(options->books),
		.depth = -1,
		.metric = "ns_per_spawn",
		.unit = "ns",
	};
	struct spawn_run run = {.count = count, .run_ns = options->run_ns};
	double values[BENCH_RUNS_MAX];
	int rc = 0;

	run.tasks = calloc(count, sizeof(*run.tasks));
	if (!run.tasks)
		return -ENOMEM;
	bench_title(options, &about);
	for (unsigned i = 0; i < options->runs && !rc; i++) {
		rc = bench_in_runtime(options, first_main, &run);
		values[i] = run.ns_per_spawn;
	}
	if (!rc)
		bench_report(options, &about, values);
	free(run.tasks);
	return rc;
}

static int run(const struct bench_options *options)
{
	int rc = variant(options, "one", 1);

	return rc ? rc : variant(options, "batch", options->tasks);
}

const struct bench bench_spawn = {
	.name = "spawn",
	.summary = "tasks that are created and joined: one by one, in batches",
	.tasks = 1000,
	.run = run,
};

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench sem: one task wakes many, in batches.
 *
 * Workers (-t, 2,048) are bound round-robin to the CPUs (unless --unbound), each
 * with a semaphore of its own.  A worker stamps data with 1, says that it is ready and waits; when
 * it comes back its data must be 0, and that is one wake-up.  The main task,
 * bound to no CPU, goes round from where it stopped, collects up to so many (-W,
 * 1,900) that are ready, takes back ready and data, and wakes them all; it may
 * be before a worker waits.  Where nobody is ready it yields.
 *
 * Fairness is the least woken worker against the most.  Per wake-up stand, by the
 * CPUs' books: the tasks woken (a post may have been before the wait), the
 * notifications, what went over wake lists, and was handed over or made no call.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/engine.h"

#define WAKES 1900

/* What a worker and the main task both write, on a line of its own. */
struct sem_worker {
	_Alignas(64) union bench_sem sem;
	_Atomic uint64_t wakes;
	_Atomic uint32_t data;
	_Atomic uint32_t ready;
};

struct sem_start {
	struct sem_run *run;
	struct sem_worker *worker;
};

struct sem_run {
	struct bench_crew crew; /* the last member wakes the others */
	unsigned tasks;
	unsigned most; /* that are woken at once */
	unsigned next; /* to be looked at by the main task */
	atomic_bool over;
	atomic_bool failed;
	struct sem_worker *workers;
	struct sem_start *starts;
	union bench_sem **batch;
	double *figures;
};

BENCH_WORK void *work(void *arg, enum bench_engine engine)
{
	struct sem_run *run = ((struct sem_start *)arg)->run;
	struct sem_worker *worker = ((struct sem_start *)arg)->worker;

	for (;;) {
		atomic_store_explicit(&worker->data, 1, memory_order_relaxed);
		atomic_store_explicit(&worker->ready, 1, memory_order_release);
		bench_sem_wait(engine, &worker->sem);
		if (bench_is_over(&run->over))
			return NULL;
		if (atomic_load_explicit(&worker->data, memory_order_relaxed))
			run->failed = true;
		bench_count(&worker->wakes, 1);
	}
}
BENCH_BOTH(work);

/* Up to a batch of those who are ready; how many. */
static inline unsigned collect(struct sem_run *run)
{
	unsigned collected = 0;

	for (unsigned seen = 0; seen < run->tasks && collected < run->most;
	     seen++) {
		struct sem_worker *worker = &run->workers[run->next];

		if (++run->next == run->tasks)
			run->next = 0;
		if (!atomic_load_explicit(&worker->ready, memory_order_acquire))
			continue;
		atomic_store_explicit(&worker->ready, 0, memory_order_relaxed);
		atomic_store_explicit(&worker->data, 0, memory_order_relaxed);
		run->batch[collected++] = &worker->sem;
	}
	return collected;
}

BENCH_WORK void *wake(void *arg, enum bench_engine engine)
{
	struct sem_run *run = arg;

	while (!bench_is_over(&run->over)) {
		unsigned collected = collect(run);

		if (collected)
			bench_sem_post_each(engine, run->batch, collected);
		else
			bench_yield_now(engine);
	}
	/* Each is waiting or about to. */
	for (unsigned i = 0; i < run->tasks; i++)
		bench_sem_post(engine, &run->workers[i].sem);
	return NULL;
}
BENCH_BOTH(wake);

static const struct bench_metric metrics[] = {
	{"wakeups", "M/s"},
	{"worker_least", "k/s"},
	{"worker_mean", "k/s"},
	{"worker_most", "k/s"},
	{"fairness", "ratio"},
	{"woken", "ratio"},
	{"notifications", "ratio"},
	{"sent", "ratio"},
	{"handed", "ratio"},
	{"suppressed", "ratio"},
	{0},
};

static void fill_in(const struct sem_run *run, const struct bench_gain *gain)
{
	double *figures = run->figures;
	double per_ms = 1e6 / gain->spent_ns;

	figures[0] = gain->total * per_ms / 1e3;
	figures[1] = gain->least * per_ms;
	figures[2] = gain->total * per_ms / run->tasks;
	figures[3] = gain->most * per_ms;
	figures[4] = gain->least / gain->most;
	figures[5] = gain->woken / gain->total;
	figures[6] = gain->notifications / gain->total;
	figures[7] = gain->sent / gain->total;
	figures[8] = gain->handed / gain->total;
	figures[9] = gain->suppressed / gain->total;
}

static int watch(struct bench_crew *crew)
{
	struct sem_run *run = (struct sem_run *)crew;
	struct bench_counts counts = {
		.first = &run->workers->wakes,
		.stride = sizeof(*run->workers),
		.count = run->tasks,
	};
	struct bench_gain gain;
	int rc = bench_watch(crew->options, &counts, &gain);

	run->over = true;
	if (!rc)
		fill_in(run, &gain);
	return rc;
}

static int drive(struct sem_run *run)
{
	const struct bench_options *options = run->crew.options;
	struct bench_member *members = run->crew.members;
	int rc;

	for (unsigned i = 0; i < run->tasks; i++) {
		run->starts[i].run = run;
		run->starts[i].worker = &run->workers[i];
		bench_sem_init(options, &run->workers[i].sem, 0);
		members[i].fn = work_of[options->engine];
		members[i].arg = &run->starts[i];
		members[i].cpu = options->unbound ? BENCH_ANY_CPU
						  : (int)(i % options->cpus);
	}
	members[run->tasks].fn = wake_of[options->engine];
	members[run->tasks].arg = run;
	members[run->tasks].cpu = BENCH_ANY_CPU;
	rc = bench_crew(&run->crew);
	if (!rc && run->failed) {
		fprintf(stderr, "mete bench: sem: a worker came back before it "
				"was woken\n");
		rc = -EPROTO;
	}
	return rc;
}

static int once(const struct bench_options *options, double *figures)
{
	unsigned tasks = options->tasks;
	struct sem_run run = {
		.crew = {.options = options,
			 .count = tasks + 1,
			 .watch = watch},
		.tasks = tasks,
		.most = options->wakes ? options->wakes : WAKES,
		.figures = figures,
	};
	int rc = -ENOMEM;

	run.crew.members = calloc(tasks + 1, sizeof(*run.crew.members));
	run.workers = aligned_alloc(64, tasks * sizeof(*run.workers));
	run.starts = calloc(tasks, sizeof(*run.starts));
	run.batch = calloc(tasks, sizeof(*run.batch));
	if (run.crew.members && run.workers && run.starts && run.batch) {
		memset(run.workers, 0, tasks * sizeof(*run.workers));
		rc = drive(&run);
	}
	free(run.batch);
	free(run.starts);
	free(run.workers);
	free(run.crew.members);
	return rc;
}

static int run(const struct bench_options *options)
{
	struct bench_line about =
		bench_about(options, "sem",
			    options->unbound ? "unbound" : NULL);

	return bench_repeat(options, &about, metrics, once);
}

const struct bench bench_sem = {
	.name = "sem",
	.summary = "one task wakes many, in batches",
	.tasks = 2048,
	.run_ns = UINT64_C(200000000),
	.threads = true,
	.run = run,
};

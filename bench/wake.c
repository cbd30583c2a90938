/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench wake: how long a wake-up takes from one CPU to another.
 *
 * Two tasks, bound to the first two CPUs, each with a semaphore.
 *
 *   line    what a cache line takes from one of these CPUs to the other and is
 *           waited for by a bare loop: no wake-up can be faster
 *   awake   they wake each other at once, so neither CPU has slept; one way is
 *           half of the way there and back.  lines: in such transfers
 *   parked  the waker has slept before, so that the other CPU went to sleep
 *
 * The percentiles are of single wake-ups, from a stamp before the post to one
 * behind the wait, and so include a reading of CLOCK_MONOTONIC.
 */
#include <errno.h>
#include <stdlib.h>

#include "bench/engine.h"

#define SAMPLES_MAX 10000

/* Long enough for any idle CPU to go to sleep. */
#define REST_NS UINT64_C(2000000)

/* Rounds between two looks at the clock. */
#define ROUNDS 16

struct wake_side {
	_Alignas(128) union bench_sem sem;
};

struct wake_run {
	struct bench_crew crew;
	struct wake_side waker;
	struct wake_side woken;
	/* the waker's */
	_Alignas(128) uint64_t sent_ns; /* 0: nobody wants to know */
	bool over;
	uint64_t spent_ns;
	uint64_t passes;
	double notifications;
	/* the woken one's */
	_Alignas(128) double *samples;
	unsigned count;
	double *figures;
};

static int compare(const void *a, const void *b)
{
	const double *left = a;
	const double *right = b;

	return (*left > *right) - (*left < *right);
}

/* What `percent` of the samples are below. */
static double percentile(const struct wake_run *run, unsigned percent)
{
	return run->samples[(uint64_t)(run->count - 1) * percent / 100];
}

BENCH_WORK void *woken(void *arg, enum bench_engine engine)
{
	struct wake_run *run = arg;

	for (;;) {
		uint64_t now_ns;

		bench_sem_wait(engine, &run->woken.sem);
		if (run->over)
			return NULL;
		if (run->sent_ns) {
			now_ns = bench_now_ns();
			run->samples[run->count++] =
				(double)(now_ns - run->sent_ns);
		}
		bench_sem_post(engine, &run->waker.sem);
	}
}
BENCH_BOTH(woken);

/* There and back. */
BENCH_WORK void round_trip(struct wake_run *run, enum bench_engine engine)
{
	bench_sem_post(engine, &run->woken.sem);
	bench_sem_wait(engine, &run->waker.sem);
}

BENCH_WORK void pass(struct wake_run *run, enum bench_engine engine)
{
	uint64_t end_ns = bench_now_ns() + run->crew.options->run_ns / 4;
	uint64_t start_ns = 0;

	run->sent_ns = 0;
	run->passes = 0;
	do {
		for (int i = 0; i < ROUNDS; i++)
			round_trip(run, engine);
		if (start_ns)
			run->passes += 2 * ROUNDS;
		else /* the first have warmed it up */
			start_ns = bench_now_ns();
	} while (bench_now_ns() < end_ns || run->passes == 0);
	run->spent_ns = bench_now_ns() - start_ns;
}

/* Single wake-ups, after a rest or at once. */
BENCH_WORK void sample(struct wake_run *run, bool rest,
		       enum bench_engine engine)
{
	uint64_t end_ns = bench_now_ns() + run->crew.options->run_ns / 4 +
			  (rest ? run->crew.options->run_ns / 4 : 0);

	run->count = 0;
	while (run->count == 0 ||
	       (run->count < SAMPLES_MAX && bench_now_ns() < end_ns)) {
		if (rest && engine == BENCH_METE)
			mete_task_sleep(REST_NS);
		else if (rest)
			bench_sleep(REST_NS);
		run->sent_ns = bench_now_ns();
		round_trip(run, engine);
	}
	qsort(run->samples, run->count, sizeof(*run->samples), compare);
}

/* Of the woken task's CPU, negative: not known. */
static double notifications(enum bench_engine engine)
{
	struct mete_cpu_usage usage;

	if (engine == BENCH_THREADS ||
	    mete_cpu_usage(1, 0, &usage, sizeof(usage)))
		return -1;
	return (double)usage.notifications;
}

BENCH_WORK void *waker(void *arg, enum bench_engine engine)
{
	struct wake_run *run = arg;
	double *figures = run->figures;
	double before;

	pass(run, engine);
	figures[1] = (double)run->spent_ns / (double)run->passes;
	figures[2] = figures[1] / figures[0];
	sample(run, false, engine);
	figures[3] = percentile(run, 50);
	figures[4] = percentile(run, 90);
	figures[5] = percentile(run, 99);
	figures[6] = percentile(run, 100);
	before = notifications(engine);
	sample(run, true, engine);
	figures[7] = percentile(run, 50);
	figures[8] = percentile(run, 90);
	figures[9] = percentile(run, 99);
	figures[10] = percentile(run, 100);
	figures[11] =
		before < 0 ? -1 : (notifications(engine) - before) / run->count;
	run->over = true;
	bench_sem_post(engine, &run->woken.sem);
	return NULL;
}
BENCH_BOTH(waker);

static const struct bench_metric metrics[] = {
	{"line", "ns"},
	{"awake", "ns"},
	{"awake_lines", "ratio"},
	{"awake_p50", "ns"},
	{"awake_p90", "ns"},
	{"awake_p99", "ns"},
	{"awake_max", "ns"},
	{"parked_p50", "ns"},
	{"parked_p90", "ns"},
	{"parked_p99", "ns"},
	{"parked_max", "ns"},
	{"parked_notified", "ratio"},
	{0},
};

static int once(const struct bench_options *options, double *figures)
{
	struct bench_member members[2] = {
		{.fn = waker_of[options->engine], .cpu = 0},
		{.fn = woken_of[options->engine], .cpu = 1},
	};
	struct wake_run run = {
		.crew = {.options = options, .members = members, .count = 2},
		.figures = figures,
	};
	int rc;

	members[0].arg = members[1].arg = &run;
	run.samples = calloc(SAMPLES_MAX, sizeof(*run.samples));
	if (!run.samples)
		return -ENOMEM;
	bench_sem_init(options, &run.waker.sem, 0);
	bench_sem_init(options, &run.woken.sem, 0);
	figures[0] = bench_line_transfer(0, 1);
	rc = figures[0] < 0 ? -ENODEV : bench_crew(&run.crew);
	free(run.samples);
	return rc;
}

static int run(const struct bench_options *options)
{
	struct bench_options own = *options;
	struct bench_line about;

	own.tasks = 2;
	about = bench_about(&own, "wake", NULL);
	return bench_repeat(&own, &about, metrics, once);
}

const struct bench bench_wake = {
	.name = "wake",
	.summary = "a wake-up from one CPU to another, awake or asleep",
	.cpus = 2,
	.run_ns = UINT64_C(400000000),
	.threads = true,
	.run = run,
};

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench mutex: what a lock costs.
 *
 * alone: one task locks and unlocks, nobody else wants it.  shared: tasks (-t,
 * 64) on all CPUs lock, yield inside, and unlock, so that whoever runs finds it
 * locked.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bench/engine.h"

/* Pairs between two looks at whether it is over. */
#define BURST 64

struct mutex_user {
	_Alignas(128) _Atomic uint64_t pairs;
	struct mutex_run *run;
};

struct mutex_run {
	struct bench_crew crew;
	struct mutex_user *users;
	atomic_bool over;
	double *figures;
	_Alignas(128) union bench_mutex mutex;
};

BENCH_WORK void *alone(void *arg, enum bench_engine engine)
{
	struct mutex_user *user = arg;
	struct mutex_run *run = user->run;

	while (!bench_is_over(&run->over)) {
		for (int i = 0; i < BURST; i++) {
			bench_lock(engine, &run->mutex);
			bench_unlock(engine, &run->mutex);
		}
		bench_count(&user->pairs, BURST);
	}
	return NULL;
}
BENCH_BOTH(alone);

BENCH_WORK void *shared(void *arg, enum bench_engine engine)
{
	struct mutex_user *user = arg;
	struct mutex_run *run = user->run;

	while (!bench_is_over(&run->over)) {
		bench_lock(engine, &run->mutex);
		bench_yield_now(engine);
		bench_unlock(engine, &run->mutex);
		bench_count(&user->pairs, 1);
	}
	return NULL;
}
BENCH_BOTH(shared);

static const struct bench_metric alone_metrics[] = {
	{"ns_per_pair", "ns"},
	{0},
};

static const struct bench_metric shared_metrics[] = {
	{"locks", "M/s"},     {"task_least", "k/s"}, {"task_mean", "k/s"},
	{"task_most", "k/s"}, {"fairness", "ratio"}, {0},
};

static int watch(struct bench_crew *crew)
{
	struct mutex_run *run = (struct mutex_run *)crew;
	double *figures = run->figures;
	struct bench_counts counts = {
		.first = &run->users->pairs,
		.stride = sizeof(*run->users),
		.count = crew->count,
	};
	struct bench_gain gain;
	int rc = bench_watch(crew->options, &counts, &gain);

	run->over = true;
	if (rc)
		return rc;
	if (crew->count == 1) {
		figures[0] = gain.spent_ns / gain.total;
		return 0;
	}
	figures[0] = gain.total * 1e3 / gain.spent_ns;
	figures[1] = gain.least * 1e6 / gain.spent_ns;
	figures[2] = gain.total * 1e6 / gain.spent_ns / crew->count;
	figures[3] = gain.most * 1e6 / gain.spent_ns;
	figures[4] = gain.least / gain.most;
	return 0;
}

static int once(const struct bench_options *options, double *figures)
{
	unsigned tasks = options->tasks;
	size_t bytes = tasks * sizeof(struct mutex_user);
	struct mutex_run run = {
		.crew = {.options = options, .count = tasks, .watch = watch},
		.figures = figures,
	};
	int rc = -ENOMEM;

	run.users = aligned_alloc(128, bytes);
	run.crew.members = calloc(tasks, sizeof(*run.crew.members));
	if (!run.users || !run.crew.members)
		goto free_arrays;
	memset(run.users, 0, bytes);
	bench_mutex_init(options, &run.mutex);
	for (unsigned i = 0; i < tasks; i++) {
		run.users[i].run = &run;
		run.crew.members[i].fn =
			(tasks == 1 ? alone_of : shared_of)[options->engine];
		run.crew.members[i].arg = &run.users[i];
		run.crew.members[i].cpu = BENCH_ANY_CPU;
	}
	rc = bench_crew(&run.crew);
free_arrays:
	free(run.crew.members);
	free(run.users);
	return rc;
}

static int run(const struct bench_options *options)
{
	struct bench_options own = *options;
	struct bench_line about;
	int rc;

	own.tasks = 1;
	about = bench_about(&own, "mutex", "alone");
	rc = bench_repeat(&own, &about, alone_metrics, once);
	if (rc || options->tasks == 1)
		return rc;
	about = bench_about(options, "mutex", "shared");
	return bench_repeat(options, &about, shared_metrics, once);
}

const struct bench bench_mutex = {
	.name = "mutex",
	.summary = "what a lock costs: alone, and with tasks that want it, too",
	.tasks = 64,
	.threads = true,
	.run = run,
};

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench pipe: pairs of tasks that pass a token to and fro.
 *
 * One pair a CPU, both bound to it (-t: tasks in all).  --via says how:
 *
 *   sem    a semaphore each way
 *   pipe   a byte through a pipe each way
 *   yield  each yields to the other
 *   mutex  three mutexes in a ring: a side locks the one ahead of it, then
 *          unlocks the one that it stands on, and is so held up by the other
 *          side at each step.  With two it could overtake, since only a holder
 *          may unlock.
 *
 * A pass is one way.  ns_one_way is wall time x CPUs / passes.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/engine.h"

#define RING 3

struct pipe_side {
	_Alignas(128) _Atomic uint64_t passes;
	union bench_sem sem;
	union bench_mutex ring[RING]; /* of the first side of the pair */
	struct pipe_side *partner;
	struct pipe_side *first;
	atomic_bool *over;
	int ends[2]; /* read here, the partner writes there */
};

struct pipe_run {
	struct bench_crew crew;
	struct pipe_side *sides;
	unsigned way;
	atomic_bool over;
	double *figures;
};

/*
 * Whoever has the token looks whether it is over, and passes it on all the same,
 * so that the partner sees it too.
 */
BENCH_WORK void *by_sem(void *arg, enum bench_engine engine)
{
	struct pipe_side *side = arg;
	struct pipe_side *partner = side->partner;
	bool over;

	do {
		bench_sem_wait(engine, &side->sem);
		bench_count(&side->passes, 1);
		over = bench_is_over(side->over);
		bench_sem_post(engine, &partner->sem);
	} while (!over);
	return NULL;
}
BENCH_BOTH(by_sem);

static void pass_byte(int fd)
{
	/* It has room for what two sides can put there. */
	if (write(fd, "", 1) != 1)
		abort();
}

BENCH_WORK void take_byte(int fd, enum bench_engine engine)
{
	char byte;

	while (read(fd, &byte, 1) != 1)
		if (engine == BENCH_METE && errno == EAGAIN)
			mete_fd_wait(fd, METE_READ, METE_FOREVER);
		else if (errno != EINTR)
			abort();
}

BENCH_WORK void *by_pipe(void *arg, enum bench_engine engine)
{
	struct pipe_side *side = arg;
	bool over;

	do {
		take_byte(side->ends[0], engine);
		bench_count(&side->passes, 1);
		over = bench_is_over(side->over);
		pass_byte(side->partner->ends[1]);
	} while (!over);
	return NULL;
}
BENCH_BOTH(by_pipe);

BENCH_WORK void *by_yield(void *arg, enum bench_engine engine)
{
	struct pipe_side *side = arg;

	do {
		bench_yield_now(engine);
		bench_count(&side->passes, 1);
	} while (!bench_is_over(side->over));
	return NULL;
}
BENCH_BOTH(by_yield);

BENCH_WORK void *by_mutex(void *arg, enum bench_engine engine)
{
	struct pipe_side *side = arg;
	union bench_mutex *ring = side->first->ring;
	unsigned on = side == side->first ? 0 : 1;

	bench_lock(engine, &ring[on]);
	/* Neither sets out before both stand. */
	bench_sem_post(engine, &side->partner->sem);
	bench_sem_wait(engine, &side->sem);
	do {
		unsigned ahead = on + 1 == RING ? 0 : on + 1;

		bench_lock(engine, &ring[ahead]);
		bench_unlock(engine, &ring[on]);
		bench_count(&side->passes, 1);
		on = ahead;
	} while (!bench_is_over(side->over));
	bench_unlock(engine, &ring[on]);
	return NULL;
}
BENCH_BOTH(by_mutex);

enum {
	BY_SEM,
	BY_PIPE,
	BY_YIELD,
	BY_MUTEX
};

static const char *const ways[] = {
	[BY_SEM] = "sem",
	[BY_PIPE] = "pipe",
	[BY_YIELD] = "yield",
	[BY_MUTEX] = "mutex",
	NULL,
};

static void *(*const *const works[])(void *arg) = {
	[BY_SEM] = by_sem_of,
	[BY_PIPE] = by_pipe_of,
	[BY_YIELD] = by_yield_of,
	[BY_MUTEX] = by_mutex_of,
};

static const struct bench_metric metrics[] = {
	{"ns_one_way", "ns"}, {"passes", "M/s"},     {"side_least", "M/s"},
	{"side_most", "M/s"}, {"fairness", "ratio"}, {0},
};

static void fill_in(const struct pipe_run *run, const struct bench_gain *gain)
{
	double *figures = run->figures;
	double per_us = 1e3 / gain->spent_ns;

	figures[0] = gain->spent_ns * run->crew.options->cpus / gain->total;
	figures[1] = gain->total * per_us;
	figures[2] = gain->least * per_us;
	figures[3] = gain->most * per_us;
	figures[4] = gain->least / gain->most;
}

/* Makes the sides ready, in pairs.  0 or -errno. */
static int prepare(struct pipe_run *run)
{
	const struct bench_options *options = run->crew.options;
	int flags = options->engine == BENCH_METE ? O_NONBLOCK : 0;

	for (unsigned i = 0; i < options->tasks; i++) {
		struct pipe_side *side = &run->sides[i];
		struct bench_member *member = &run->crew.members[i];

		side->partner = &run->sides[i ^ 1];
		side->first = &run->sides[i & ~1u];
		side->over = &run->over;
		bench_sem_init(options, &side->sem, 0);
		for (unsigned k = 0; k < RING; k++)
			bench_mutex_init(options, &side->ring[k]);
		if (run->way == BY_PIPE && pipe2(side->ends, flags))
			return -errno;
		member->fn = works[run->way][options->engine];
		member->arg = side;
		member->cpu = (int)(i / 2 % options->cpus);
	}
	return 0;
}

/* Puts the tokens there, and watches them. */
static int watch(struct bench_crew *crew)
{
	struct pipe_run *run = (struct pipe_run *)crew;
	struct bench_counts counts = {
		.first = &run->sides->passes,
		.stride = sizeof(*run->sides),
		.count = crew->count,
	};
	struct bench_gain gain;
	int rc;

	for (unsigned i = 0; i < crew->count; i += 2) {
		if (run->way == BY_SEM)
			bench_sem_post(crew->options->engine,
				       &run->sides[i].sem);
		if (run->way == BY_PIPE)
			pass_byte(run->sides[i].ends[1]);
	}
	rc = bench_watch(crew->options, &counts, &gain);
	run->over = true;
	if (!rc)
		fill_in(run, &gain);
	return rc;
}

static int once(const struct bench_options *options, double *figures)
{
	unsigned tasks = options->tasks;
	size_t bytes = tasks * sizeof(struct pipe_side);
	struct pipe_run run = {
		.crew = {.options = options, .count = tasks, .watch = watch},
		.way = bench_way(options, ways),
		.figures = figures,
	};
	int rc = -ENOMEM;

	run.sides = aligned_alloc(128, bytes);
	run.crew.members = calloc(tasks, sizeof(*run.crew.members));
	if (!run.sides || !run.crew.members)
		goto free_arrays;
	memset(run.sides, 0, bytes);
	for (unsigned i = 0; i < tasks; i++)
		run.sides[i].ends[0] = run.sides[i].ends[1] = -1;
	rc = prepare(&run);
	if (!rc)
		rc = bench_crew(&run.crew);
	for (unsigned i = 0; i < tasks; i++) {
		if (run.sides[i].ends[0] < 0)
			continue;
		close(run.sides[i].ends[0]);
		close(run.sides[i].ends[1]);
	}
free_arrays:
	free(run.crew.members);
	free(run.sides);
	return rc;
}

static int run(const struct bench_options *options)
{
	struct bench_options own = *options;
	struct bench_line about;

	/* Pairs, as many on each CPU. */
	if (own.tasks == 0)
		own.tasks = 2 * own.cpus;
	own.tasks += own.tasks % 2;
	about = bench_about(&own, "pipe", ways[bench_way(&own, ways)]);
	return bench_repeat(&own, &about, metrics, once);
}

const struct bench bench_pipe = {
	.name = "pipe",
	.summary = "pairs of tasks that pass a token to and fro",
	.ways = ways,
	.threads = true,
	.run = run,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* What the benchmarks share: the clock, binding, a runtime for each run. */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/bench.h"

/* The largest machine whose mask is asked for. */
#define CPUS_MAX 65536u

static cpu_set_t *allowed; /* when first asked */

uint64_t bench_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The n-th CPU of the set, CPUS_MAX: there is none. */
static unsigned nth_of(const cpu_set_t *set, size_t bytes, unsigned nth)
{
	for (unsigned i = 0; i < CPUS_MAX; i++)
		if (CPU_ISSET_S(i, bytes, set) && nth-- == 0)
			return i;
	return CPUS_MAX;
}

static int ask_allowed(size_t bytes)
{
	if (allowed)
		return 0;
	allowed = CPU_ALLOC(CPUS_MAX);
	if (!allowed)
		return -ENOMEM;
	if (sched_getaffinity(0, bytes, allowed) < 0) {
		CPU_FREE(allowed);
		allowed = NULL;
		return -EINVAL;
	}
	return 0;
}

unsigned bench_cpus(void)
{
	size_t bytes = CPU_ALLOC_SIZE(CPUS_MAX);

	return ask_allowed(bytes) ? 0 : (unsigned)CPU_COUNT_S(bytes, allowed);
}

int bench_cpu(unsigned nth)
{
	unsigned count = bench_cpus();

	if (!count)
		return -EINVAL;
	return (int)nth_of(allowed, CPU_ALLOC_SIZE(CPUS_MAX), nth % count);
}

/* Binds the calling thread to `count` CPUs from the n-th on. */
static int bind(unsigned nth, unsigned count)
{
	size_t bytes = CPU_ALLOC_SIZE(CPUS_MAX);
	cpu_set_t *set;
	int rc = ask_allowed(bytes);

	if (rc)
		return rc;
	if (nth + count > bench_cpus())
		return -ENODEV;
	set = CPU_ALLOC(CPUS_MAX);
	if (!set)
		return -ENOMEM;
	CPU_ZERO_S(bytes, set);
	for (unsigned i = nth; i < nth + count; i++)
		CPU_SET_S(nth_of(allowed, bytes, i), bytes, set);
	rc = sched_setaffinity(0, bytes, set) < 0 ? -errno : 0;
	CPU_FREE(set);
	return rc;
}

int bench_bind_one(unsigned nth)
{
	return bind(nth, 1);
}

void bench_bind_first(unsigned count)
{
	bind(0, count);
}

void bench_unbind(void)
{
	if (allowed)
		sched_setaffinity(0, CPU_ALLOC_SIZE(CPUS_MAX), allowed);
}

const char *bench_books_name(enum mete_books books)
{
	return books == METE_BOOKS_OFF     ? "off"
	       : books == METE_BOOKS_GROUP ? "group"
					   : "task";
}

unsigned bench_way(const struct bench_options *options, const char *const *ways)
{
	unsigned way = 0;

	while (options->via && ways[way] &&
	       strcmp(ways[way], options->via) != 0)
		way++;
	return way;
}

int bench_in_runtime(const struct bench_options *options, int (*fn)(void *arg),
		     void *arg)
{
	struct mete_options start = METE_OPTIONS_INIT;
	int rc;
	int status = 0;

	start.cpus = options->cpus;
	start.books = options->books;
	/* What a line says of its figure must be so. */
	start.flags = METE_IGNORE_ENV;
	bench_bind_first(options->cpus);
	rc = mete_main(&start, fn, arg, &status);
	bench_unbind();
	return rc ? rc : status;
}

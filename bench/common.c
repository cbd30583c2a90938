/* SPDX-License-Identifier: Apache-2.0 */
/* What the benchmarks share: the clock, binding, a runtime for each run. */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
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

int bench_bind_one(unsigned nth)
{
	size_t bytes = CPU_ALLOC_SIZE(CPUS_MAX);
	cpu_set_t *one;
	unsigned cpu;
	int rc = ask_allowed(bytes);

	if (rc)
		return rc;
	cpu = nth_of(allowed, bytes, nth);
	if (cpu == CPUS_MAX)
		return -ENODEV;
	one = CPU_ALLOC(CPUS_MAX);
	if (!one)
		return -ENOMEM;
	CPU_ZERO_S(bytes, one);
	CPU_SET_S(cpu, bytes, one);
	rc = sched_setaffinity(0, bytes, one) < 0 ? -errno : 0;
	CPU_FREE(one);
	return rc;
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
	if (options->cpus == 1)
		bench_bind_one(0);
	rc = mete_main(&start, fn, arg, &status);
	bench_unbind();
	return rc ? rc : status;
}

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

int bench_bind_one(unsigned nth)
{
	size_t bytes = CPU_ALLOC_SIZE(CPUS_MAX);
	cpu_set_t *one = CPU_ALLOC(CPUS_MAX);
	int rc = -ENODEV;

	if (!one)
		return -ENOMEM;
	if (!allowed) {
		allowed = CPU_ALLOC(CPUS_MAX);
		if (allowed && sched_getaffinity(0, bytes, allowed) < 0)
			CPU_ZERO_S(bytes, allowed);
	}
	for (unsigned i = 0; allowed && i < CPUS_MAX; i++) {
		if (!CPU_ISSET_S(i, bytes, allowed) || nth-- > 0)
			continue;
		CPU_ZERO_S(bytes, one);
		CPU_SET_S(i, bytes, one);
		rc = sched_setaffinity(0, bytes, one) < 0 ? -errno : 0;
		break;
	}
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
	int rc, status = 0;

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

/* SPDX-License-Identifier: Apache-2.0 */
/* How much is to be done, for how long, and what has been: for work.h. */
#ifndef BENCH_PEERS_PACE_H
#define BENCH_PEERS_PACE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* How often it looks, about. */
#define LOOK_NS 100000

struct settings {
	int cpus;
	unsigned tasks;
	uint64_t run_ns;
};

static struct settings settings;
static int over; /* atomic */

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline bool is_over(void)
{
	return __atomic_load_n(&over, __ATOMIC_RELAXED);
}

static inline void count(uint64_t *counter, uint64_t more)
{
	__atomic_store_n(counter, *counter + more, __ATOMIC_RELAXED);
}

/* A stretch of work that looks at the clock ever so often. */
struct pace {
	uint64_t last_ns;
	uint64_t end_ns;
	unsigned chunk;
	unsigned left;
};

static void pace_begin(struct pace *pace, uint64_t ns)
{
	pace->last_ns = now_ns();
	pace->end_ns = pace->last_ns + ns;
	pace->chunk = pace->left = 1;
}

static inline bool pace_goes_on(struct pace *pace)
{
	uint64_t now;

	if (--pace->left)
		return true;
	now = now_ns();
	if (now - pace->last_ns < LOOK_NS)
		pace->chunk *= 2;
	else if (now - pace->last_ns > 4 * LOOK_NS && pace->chunk > 1)
		pace->chunk /= 2;
	pace->last_ns = now;
	pace->left = pace->chunk;
	return now < pace->end_ns;
}

static void *on_lines(size_t count, size_t bytes)
{
	void *memory = aligned_alloc(128, (count * bytes + 127) / 128 * 128);

	if (!memory)
		abort();
	memset(memory, 0, (count * bytes + 127) / 128 * 128);
	return memory;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A step: what every typed atomic does first.
 *
 * The step's cost is drawn and added to the running thread's time; when that
 * brings it past the time of another one, which stands in `horizon`, the other
 * goes on instead.  All state of the fast path is in one line of the cache.
 *
 * The unit of time is finer than a nanosecond, so that steps of a few ns have
 * an order.
 */
#ifndef SIM_STEP_H
#define SIM_STEP_H

#include <stdint.h>

#include "base/base.h"

#define SIM_UNIT_SHIFT 6 /* 64 units are 1 ns */

struct sim_cursor {
	uint64_t clock;   /* of the running thread, in units */
	uint64_t horizon; /* up to there it runs on */
	uint64_t steps;
	uint64_t draws;        /* seven bytes drawn ahead, and a 1 above them */
	uint64_t random;       /* the generator's state */
	const uint32_t *costs; /* of the running thread; see explore.h */
} cache_aligned;

extern struct sim_cursor sim_cursor;

/* Past the horizon: another thread's turn. */
void sim_turn(void);

/* The cost of a step that is not to be found in the table. */
uint32_t sim_rare_cost(void);

/* Knuth's generator (MMIX); its upper bits are good enough here. */
static always_inline uint64_t sim_random(void)
{
	sim_cursor.random = sim_cursor.random * UINT64_C(6364136223846793005) +
			    UINT64_C(1442695040888963407);
	return sim_cursor.random;
}

static always_inline void sim_step(void)
{
	uint32_t cost = sim_cursor.costs[sim_random() >> 56];

	if (unlikely(!cost))
		cost = sim_rare_cost();
	sim_cursor.steps++;
	sim_cursor.clock += cost;
	if (unlikely(sim_cursor.clock > sim_cursor.horizon))
		sim_turn();
}

static inline uint64_t sim_clock_ns(void)
{
	return sim_cursor.clock >> SIM_UNIT_SHIFT;
}

#endif

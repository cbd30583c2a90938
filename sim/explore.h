/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who is next: what a step costs.
 *
 * Since the thread that is furthest behind goes next, the distribution of costs
 * is the choice of schedules.
 *
 * SIM_WALK: costs are exponential with one mean, so the time to each thread's
 * next step forgets the past, and every thread is as likely to be next as any
 * other: the uniform random walk over interleavings.
 *
 * SIM_PRIORITY: the mean differs from thread to thread by factors of 8 up to
 * 512; at rare points a thread gets another or stalls for up to stall_ns.  A
 * fast thread makes hundreds of steps between two of a slow one, as under
 * strict priorities with few points of change (Burckhardt and others, "A
 * randomized scheduler with probabilistic guarantees of finding bugs", 2010).
 *
 * A cost model (caches, topology) will add to what is drawn here.
 */
#ifndef SIM_EXPLORE_H
#define SIM_EXPLORE_H

#include <stdint.h>

#include "sim/sim.h"

/* A step takes 4 ns in the mean. */
#define SIM_STEP_NS 4

void explore_begin(const struct sim_options *options);

/* The table of a new thread. */
const uint32_t *explore_costs(void);

/* True once in `odds` calls, a power of two. */
int explore_chance(unsigned odds);

#endif

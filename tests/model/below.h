/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The system below the books, for the models: a clock and thefts.
 *
 * Time is a count of looks at the clock: a stamp is never the same twice, and
 * never ordered against loads and stores but by where it is taken.
 */
#ifndef MODEL_BELOW_H
#define MODEL_BELOW_H

#include "arch/arch.h"
#include "model/model.h"

/* Who finds another in the midst of something lets it go on. */
#undef arch_relax
#define arch_relax() rl::yield(1, MODEL_HERE)

#include "os/clock.h"
#include "os/steal.h"
#include "os/thread.h"

#define THREADS 3

bool os_ticks_use_clock = true;

static uint64_t clock_now;
static uint64_t seen_by[THREADS]; /* each thread's last look at the clock */

uint64_t os_raw_ns(void)
{
	return seen_by[rl::thread_index()] = ++clock_now;
}

void os_steal_init(struct os_steal *steal, const struct os_timebase *)
{
	steal->slot = &steal->word;
}

void os_steal_fini(struct os_steal *)
{
}

void os_steal_rearm(struct os_steal *steal)
{
	*steal->slot = steal->armed;
}

void os_steal_anchor(struct os_steal *steal, uint64_t *ret_stamp)
{
	os_steal_rearm(steal);
	*ret_stamp = os_ticks();
}

uint64_t os_steal_collect(struct os_steal *, uint64_t limit,
			  uint64_t *ret_stamp)
{
	*ret_stamp = os_ticks();
	return limit ? 1 : 0;
}

uint64_t os_steal_collect_from(struct os_steal *, const struct os_thread *,
			       uint64_t, uint64_t *ret_stamp,
			       uint64_t *ret_slept)
{
	*ret_stamp = os_ticks();
	*ret_slept = 0;
	return 0;
}

void os_steal_move(struct os_steal *to, const struct os_steal *from)
{
	*to = *from;
}

uint64_t os_ns_to_ticks(const struct os_timebase *, uint64_t)
{
	return 0;
}

#endif

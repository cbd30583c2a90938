/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocking regions: a task makes system calls that may block, and does not keep
 * its CPU from others while they do.
 *
 * In a region the thread is a foreign one (sched_this is NULL): nothing that it
 * does touches the CPU.  `cpu->region` holds the region's number, which no other
 * ever had on this CPU; who swaps it to 0 owns the CPU from then on:
 *
 *	the task, region_end()            a carrier, region_take_over()
 *	swap number -> 0                  swap number -> 0
 *	  done: goes on as before           done: books: the task blocks
 *	  else: waits for `left`            state BLOCKED, on_cpu
 *	                                    left = 1; runs other tasks
 *	leaves its stack for the carrier's own
 *	READY, queued as woken
 *
 * The tick calls a spare carrier for a region that it sees at two looks running.
 * It looks soon after the first region, and less and less often while there is
 * nothing to take over; then it rests, and the next region rings it.  Between
 * that regions cost the two swaps.
 */
#ifndef SCHED_REGION_H
#define SCHED_REGION_H

#include "sched/cpu.h"

/* From a task, and from within its region; they nest. */
void region_begin(struct cpu *cpu);
void region_end(struct carrier *self);

/* The task of the calling thread, if it is in a region. */
static inline struct task *region_task(void)
{
	struct carrier *self = carrier_self();

	return self ? self->task : NULL;
}

/* By a carrier without a CPU: false when the region is over. */
bool region_take_over(struct carrier *self, struct cpu *cpu, uint64_t region);

/* By the tick: call carriers for what lasts; when to look again, UINT64_MAX: when
 * rung. */
uint64_t region_look(uint64_t now);
/* Before the tick starts. */
void region_init(void);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Timers of a CPU: a pairing heap of deadlines under a lock.
 *
 * A timer stands on the stack of the task that waits.  It is fired by its CPU
 * while that looks for work, and by the tick while that runs tasks; firing
 * claims the waiting task by its ticket, so a task that was woken meanwhile is
 * left alone.  timer_remove() returns only when the timer is out of reach.
 * (Fredman, Sedgewick, Sleator, Tarjan, "The pairing heap", 1986.)
 */
#ifndef SCHED_TIMER_H
#define SCHED_TIMER_H

#include <stdbool.h>

#include "conc/lock.h"
#include "conc/wakelist.h"

struct task;

struct timer {
	uint64_t deadline_ns; /* CLOCK_MONOTONIC */
	struct task *task;
	uint64_t state; /* of the wait it ends */
	struct timers *home;
	struct timer *child;
	struct timer *sibling;
	struct timer *prev; /* left sibling or parent; itself at the root */
	bool armed;
};

struct timers {
	struct lock lock;
	struct timer *root;
	struct a64 earliest; /* UINT64_MAX: none; for those without the lock */
};

void timers_init(struct timers *timers);
void timer_add(struct timers *timers, struct timer *timer);
void timer_remove(struct timer *timer);

/*
 * Claim every task whose deadline is not after now_ns.  Gives them as a chain
 * through their nodes, in order of deadline, to be made ready by the caller.
 */
struct wakenode *timers_expire(struct timers *timers, uint64_t now_ns);

static inline uint64_t timers_earliest(const struct timers *timers)
{
	/* order: timer.look pairs timer.set, tick.doze: not older than what
	 * was added by someone who did not see us asleep */
	return a64_load_seq_cst(&timers->earliest);
}

#endif

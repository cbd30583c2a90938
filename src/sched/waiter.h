/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One who waits.
 *
 * Every task has one of its own, beside its state: whoever wakes it knows the
 * task by the waiter's address and need not look at the waiter, which would have
 * to come over from the task's CPU.
 */
#ifndef SCHED_WAITER_H
#define SCHED_WAITER_H

#include "base/base.h"
#include "conc/atomic.h"
#include "sched/waits.h"

struct task;

struct mete_waiter {
	struct mete_waiter *next;
	struct mete_waiter *prev;
	struct task *task; /* NULL: a foreign thread */
	uint64_t state;    /* task: which of its waits this is */
	struct a32 word;   /* thread: enum wait_thread */
	bool listed;
	bool timed;                 /* a timer or a cancellation may, too */
	bool handed;                /* see join.c */
	bool own;                   /* it is a task's own */
	uint8_t met;                /* enum wait_met */
	uint64_t want;              /* units; see sync/units.h */
	struct mete_waiter *leaver; /* not to wait, but to take this one out */
} __attribute__((aligned(16)));

#endif

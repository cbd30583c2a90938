/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Claiming a task that waits: one compare-and-swap, one winner.
 *
 *                     waker or timer   successor     the task itself
 * BLOCKED -> READY    CLAIM_OWN        -             -
 * BLOCKING -> READY   CLAIM_EARLY      -             -
 * BLOCKING -> BLOCKED -                claim_settle  -
 * BLOCKING -> RUNNING -                -             claim_withdraw
 *
 * Each lock-free, with the successful swap as linearisation point.  A claimer
 * that gets CLAIM_OWN owns the task: its books may be written and it must be
 * queued.  After CLAIM_EARLY or CLAIM_LOST the task must not be touched again.
 */
#ifndef SCHED_CLAIM_H
#define SCHED_CLAIM_H

#include "sched/task.h"

enum claim {
	CLAIM_LOST,  /* somebody else was first */
	CLAIM_EARLY, /* it has not left its CPU, and will find out */
	CLAIM_OWN,   /* ours to queue */
};

/* The task announces that it will wait.  Gives the state word that names this
 * wait, before anybody can find the task. */
static inline uint64_t claim_announce(struct task *task)
{
	/* relaxed: nobody else changes a RUNNING task's word */
	uint64_t state = a64_load_relaxed(&task->state);

	state = (state & ~(uint64_t)(TASK_TICKET - 1)) + TASK_TICKET +
		TASK_BLOCKING;
	/* relaxed: published with the waiter, under its object's lock */
	a64_store_relaxed(&task->state, state);
	return state;
}

/* `state` is what claim_announce() gave; `late` is 0 or TASK_LATE. */
static inline enum claim claim(struct task *task, uint64_t state, unsigned late)
{
	uint64_t ticket = state & ~(uint64_t)(TASK_TICKET - 1);
	uint64_t expected = ticket | TASK_BLOCKED;

	/* order: claim.own pairs claim.settle, claim.wake: the task's context
	 * and books as it left them, what the waker did before */
	if (a64_cas_acq_rel(&task->state, &expected,
			    ticket | TASK_READY | late))
		return CLAIM_OWN;
	while (expected == (ticket | TASK_BLOCKING) ||
	       expected == (ticket | TASK_BLOCKED)) {
		bool own = expected == (ticket | TASK_BLOCKED);

		/* order: claim.early pairs claim.settle, claim.wake: as
		 * above */
		if (a64_cas_acq_rel(&task->state, &expected,
				    ticket | TASK_READY | late))
			return own ? CLAIM_OWN : CLAIM_EARLY;
	}
	return CLAIM_LOST;
}

/* The successor: the switch is complete.  False when the task was claimed
 * meanwhile: then it is the caller's to queue.  If true it must not be touched
 * again. */
static inline bool claim_settle(struct task *task)
{
	/* relaxed: the swap validates it */
	uint64_t state = a64_load_relaxed(&task->state);

	if ((state & TASK_STATE_MASK) != TASK_BLOCKING)
		return false;
	/* order: claim.settle pairs claim.own, claim.early: context and books
	 * are complete for whoever claims it */
	return a64_cas_acq_rel(&task->state, &state,
			       state + (TASK_BLOCKED - TASK_BLOCKING));
}

/* The task itself, still on its CPU: has it been claimed already? */
static inline bool claimed_early(const struct task *task)
{
	/* order: claim.wake pairs claim.own, claim.early: what the waker did */
	return (a64_load_acquire(&task->state) & TASK_STATE_MASK) == TASK_READY;
}

/* The task runs on: true when the timer has ended its wait. */
static inline bool claim_resume(struct task *task)
{
	/* relaxed: it was queued to us, or claimed_early() has seen it */
	uint64_t state = a64_load_relaxed(&task->state);

	/* relaxed: nobody else changes the word of a task that runs */
	a64_store_relaxed(&task->state, (state & ~(uint64_t)(TASK_TICKET - 1)) |
						TASK_RUNNING);
	return state & TASK_LATE;
}

#endif

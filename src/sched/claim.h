/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Claiming a task that waits: one winner ends its wait.
 *
 * The task announces its wait (state BLOCKED, on_cpu 1) before anybody can find
 * it, then leaves its CPU; its successor there clears on_cpu, by a release, as
 * the last touch.  So a claimer may meet a task that is still descheduling:
 * it then hands it to that CPU's wake list, whose owner drains it after the
 * switch, instead of spinning (wake.c).
 *
 *                      claimer   successor   the task itself
 * announce             -         -           plain stores
 * claim                CAS       -           -
 * claim_exclusive      store     -           -
 * settle               -         store       -
 * resume               -         -           plain store
 *
 * All wait-free but the CAS, which is tried once.  Linearisation point of a
 * claim: the swap, or the store where the claimer has the only right (no timer,
 * and the waiter was taken out of its list under the lock).  A claimer that
 * won owns the task: `woken` and `ready` of its books, its node, its queueing.
 * One that lost must not touch it again.
 */
#ifndef SCHED_CLAIM_H
#define SCHED_CLAIM_H

#include "sched/task.h"

static inline uint64_t claim_ticket(uint64_t state)
{
	return state & ~(uint64_t)(TASK_TICKET - 1);
}

/* The task announces that it will wait.  Gives the state word that names this
 * wait, before anybody can find the task. */
static inline uint64_t claim_announce(struct task *task, enum wait_kind kind)
{
	/* relaxed: nobody else changes a RUNNING task's word */
	uint64_t state = claim_ticket(a64_load_relaxed(&task->state)) +
			 TASK_TICKET + kind * TASK_KIND + TASK_BLOCKED;

	/* relaxed: published by the state, or with the waiter */
	a32_store_relaxed(&task->on_cpu, 1);
	/* order: claim.announce pairs cancel.state: on_cpu, and where the task
	 * is, for who claims it by what its word says and nothing else */
	a64_store_release(&task->state, state);
	return state;
}

/* `state` is what claim_announce() gave; `late` is 0 or TASK_LATE. */
static inline bool claim(struct task *task, uint64_t state, unsigned late)
{
	/* relaxed: one wins.  What it did before reaches the task by the list
	 * or queue in which it puts it; what it looks at in the task came with
	 * the waiter, or with the word (claim.announce) */
	return a64_cas_relaxed(&task->state, &state,
			       claim_ticket(state) | TASK_READY | late);
}

/* The same, by the only one who can claim this wait. */
static inline void claim_exclusive(struct task *task, uint64_t state)
{
	/* relaxed: as claim() */
	a64_store_relaxed(&task->state, claim_ticket(state) | TASK_READY);
}

/* The successor: the switch is complete.  Its last touch. */
static inline void claim_settle(struct task *task)
{
	/* order: claim.settle pairs claim.settled: context and books are
	 * complete for whoever runs it */
	a32_store_release(&task->on_cpu, 0);
}

/* A claimer: may the task run anywhere? */
static inline bool claim_settled(const struct task *task)
{
	/* order: claim.settled pairs claim.settle: see there */
	return !a32_load_acquire(&task->on_cpu);
}

/* The task runs on: true when the timer has ended its wait. */
static inline bool claim_resume(struct task *task)
{
	/* relaxed: the CPU that runs it took it from a list or queue, and so
	 * the claim before; nobody else changes the word of a task that runs */
	uint64_t state = a64_load_relaxed(&task->state);

	/* relaxed: as above */
	a64_store_relaxed(&task->state, claim_ticket(state) | TASK_RUNNING);
	return state & TASK_LATE;
}

#endif

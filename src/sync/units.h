/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Units and who waits for them, without a lock: what every primitive stands on.
 *
 * One word says all that the fast paths need.  Nobody waits:
 *
 *	units << 1          (of a lock: those that are taken)
 *
 * Somebody waits:
 *
 *	deposits | newest arrival | flags | 1
 *
 *	ONLY    the arrival is the one waiter, has no deadline, wants one unit
 *	LISTED  there are older waiters, in the list
 *	BUSY    somebody has the turn
 *	LATCH   an event was set: who arrives need not wait
 *
 * An arrival puts itself in front of those that arrived before by one swap.
 * Whoever brings units to waiters takes the turn: it alone then moves the
 * arrivals into the list, oldest first, grants units in that order, and leaves
 * when nothing new has come.  Nobody ever waits for the turn.  One who brings
 * units while another has it adds them to the word as a deposit (those that do
 * not fit to `owed`, OWED); one whose time is over and who must get out of the
 * list arrives once more, with the wish to be taken out, and sleeps until that
 * is done.  So a turn that is stopped in the act (its carrier was preempted)
 * delays those whom it would have served and nobody else.
 *
 *            take       arrive     post       withdraw
 * against    nothing    nothing    nothing    another's turn: sleeps
 * progress   lock-free  lock-free  lock-free  as long as that turn lasts
 *
 * What a unit is good for is the object's rule:
 *
 *	COUNT   a waiter takes what it wants; the rest is kept
 *	SIGNAL  as COUNT, but units that nobody waits for are dropped
 *	LATCH   one unit or none; nobody takes it, everybody passes
 *	DOWN    units are work that is not done; a post takes some away, waiters
 *	        pass when there are none
 *	MEET    no units: waiters pass when there are as many as each wants
 *
 * Linearisation: the swap of the word; for a grant, the claim of the waiter
 * (sched/wait.h).
 *
 * Life: a waiter is touched only by its own task, by a poster that has swapped
 * it out of the word (ONLY), or under the turn.  A poster touches nothing of the
 * object after the swap by which it gives, deposits or leaves, and makes ready
 * whom it served after that; so an object may go as soon as the waits on it were
 * granted, even while the post has not returned.  (`owed` is the exception:
 * more than 8,191 units at once, to an object whose turn is taken.)
 *
 * Leaving work to whoever is inside is flat combining (Hendler, Incze, Shavit,
 * Tzafrir, 2010), here with publishers that go on or sleep instead of spinning.
 */
#ifndef SYNC_UNITS_H
#define SYNC_UNITS_H

#include <mete/sync.h>

#include "sched/wait.h"

struct units {
	struct a64 word; /* see above */
	struct a64 owed; /* deposits that did not fit */
	/* under the turn */
	uint64_t left; /* units, while somebody waits */
	struct mete_waiter *head;
	struct mete_waiter *tail;
	uint64_t listed; /* length of the list */
};

#define UNITS_MOST         ((uint64_t)INT64_MAX)
#define UNITS_LATCHED      (1u << 1) /* the word of an event that is set */
#define UNITS_SHIFT        51        /* of the deposits */
#define UNITS_DEPOSIT_MOST (~UINT64_C(0) >> UNITS_SHIFT)
#define UNITS_DEPOSITS     (~UINT64_C(0) << UNITS_SHIFT)
#define UNITS_OWED         (UINT64_C(1) << 50)
#define UNITS_ALL          (UINT64_C(1) << 49) /* everybody is to be woken */
#define UNITS_LATCH        (UINT64_C(1) << 48)
#define UNITS_ADDRESS      (UNITS_LATCH - 16)

enum {
	UNITS_WAITED = 1,
	UNITS_BUSY = 2,
	UNITS_ONLY = 4,
	UNITS_LISTED = 8,
};

struct rule;
extern const struct rule rule_sem;
extern const struct rule rule_mutex;
extern const struct rule rule_rwlock;
extern const struct rule rule_cond;
extern const struct rule rule_event;
extern const struct rule rule_once;
extern const struct rule rule_waitgroup;
extern const struct rule rule_barrier;

static inline struct units *units_of(struct mete_units *units)
{
	_Static_assert(sizeof(struct units) == sizeof(struct mete_units),
		       "the public object");
	return (struct units *)(void *)units;
}

static inline const struct units *units_of_const(const struct mete_units *units)
{
	return (const struct units *)(const void *)units;
}

/* 0, -ETIMEDOUT. */
int units_wait(struct units *units, const struct rule *rule, uint64_t want,
	       uint64_t deadline_ns);
/* The parts of a wait, for those who do something in between.  False: there is
 * nothing to wait for, and the waiter stands nowhere. */
bool units_arrive(struct units *units, const struct rule *rule,
		  struct mete_waiter *waiter);
/* After wait_sleep() gave -ETIMEDOUT. */
void units_withdraw(struct units *units, const struct rule *rule,
		    struct mete_waiter *waiter);

/*
 * Give `count` units, or, with UNITS_ALL, wake everybody; UNITS_LATCH besides
 * sets the latch.  0, or -EOVERFLOW (COUNT), -EINVAL (DOWN: less than nothing
 * would be left) with nothing given.  Whoever is served stays in `woken`, or,
 * where that is NULL, is made ready.
 */
int units_post_to(struct units *units, const struct rule *rule, uint64_t count,
		  uint64_t flags, struct wait_woken *woken);
static inline int units_post(struct units *units, const struct rule *rule,
			     uint64_t count, uint64_t flags)
{
	return units_post_to(units, rule, count, flags, NULL);
}

/* DOWN: more work.  0, -EOVERFLOW. */
int units_add(struct units *units, const struct rule *rule, uint64_t count);
/* LATCH: nobody passes any more. */
void units_unlatch(struct units *units);

/* Nobody waits, and the word is `from`: swap it, by one who takes. */
static always_inline bool units_take(struct units *units, uint64_t from,
				     uint64_t to)
{
	/* order: units.take pairs units.give, units.leave, units.set,
	 * units.only: what those did who gave */
	return a64_cas_acquire(&units->word, &from, to);
}

/* The same by one who gives. */
static always_inline bool units_give(struct units *units, uint64_t from,
				     uint64_t to)
{
	/* order: units.give pairs units.take, units.pass: what we did before */
	return a64_cas_release(&units->word, &from, to);
}

/* LATCH: is it set? */
static inline bool units_latched(const struct units *units)
{
	/* order: units.passed pairs units.set, units.leave, units.deposit,
	 * units.only, units.unlatch:
	 * what was done before it was set */
	uint64_t word = a64_load_acquire(&units->word);

	return word & UNITS_WAITED ? word & UNITS_LATCH : word;
}

/* Who calls: a task's handle, or a thread's mark with the top bit. */
uint64_t units_caller(void);

#endif

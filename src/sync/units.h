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
 *	ONLY    the arrival is the one waiter, a task's own, and wants one unit
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

#include "arch/arch.h"
#include "sched/wait.h"
#include "sync/bias.h"

struct units {
	struct a64 word; /* see above */
	struct a64 owed; /* deposits that did not fit */
	/* under the turn */
	CONC_PLAIN(uint64_t) left; /* units, while somebody waits */
	CONC_PLAIN(struct mete_waiter *) head;
	CONC_PLAIN(struct mete_waiter *) tail;
	CONC_PLAIN(uint64_t) listed; /* length of the list */
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

enum rule_law {
	RULE_COUNT,
	RULE_SIGNAL,
	RULE_LATCH,
	RULE_DOWN,
	RULE_MEET,
};

/* The rule of one type of object. */
struct rule {
	enum rule_law law;
	enum wait_kind kind;
	/* If not 0, the word tells what is taken of it, so that an object
	 * which is all zero is free. */
	uint64_t capacity;
	/* The word where there are no units and nobody waits, if one who comes
	 * then may be ONLY. */
	uint64_t empty;
};

#define RULE_NEVER_ONLY UINT64_MAX

static const struct rule rule_sem = {RULE_COUNT, WAIT_SEM, 0, 0};
static const struct rule rule_mutex = {RULE_COUNT, WAIT_MUTEX, 1, 1 << 1};
static const struct rule rule_rwlock = {RULE_COUNT, WAIT_RWLOCK,
					METE_RWLOCK_READERS,
					METE_RWLOCK_READERS << 1};
static const struct rule rule_cond = {RULE_SIGNAL, WAIT_COND, 0, 0};
static const struct rule rule_event = {RULE_LATCH, WAIT_EVENT, 0, 0};
static const struct rule rule_once = {RULE_LATCH, WAIT_ONCE, 0, 0};
static const struct rule rule_waitgroup = {RULE_DOWN, WAIT_WAITGROUP, 0,
					   RULE_NEVER_ONLY};
static const struct rule rule_barrier = {RULE_MEET, WAIT_BARRIER, 0,
					 RULE_NEVER_ONLY};

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
/* The same with a waiter that is prepared. */
int units_wait_prepared(struct units *units, const struct rule *rule,
			struct mete_waiter *waiter, uint64_t deadline_ns);
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

/* Wait for one unit, of which there was none a moment ago, when the word was
 * `word`. */
static always_inline int units_wait_one(struct units *units,
					const struct rule *rule, uint64_t word,
					uint64_t deadline_ns)
{
	struct mete_waiter spare;
	struct mete_waiter *waiter;

	if (word != rule->empty || unlikely(deadline_ns != UINT64_MAX))
		return units_wait(units, rule, 1, deadline_ns);
	waiter = wait_prepare_own(&spare, rule->kind, units, UINT64_MAX);
	waiter->next = NULL;
	waiter->leaver = NULL;
	waiter->want = 1;
	if (unlikely(waiter == &spare) ||
	    unlikely(!bias_swap(&units->word, &word,
				(uintptr_t)waiter | UNITS_WAITED | UNITS_ONLY)))
		return units_wait_prepared(units, rule, waiter, UINT64_MAX);
	wait_sleep_own(waiter);
	return 0;
}

/* Give one unit. */
static always_inline int units_post_one(struct units *units,
					const struct rule *rule)
{
	uint64_t word;

	/* One transfer instead of two: to read it, and to write it. */
	arch_prefetch_write(&units->word);
	/* relaxed: the swap validates it */
	word = a64_load_relaxed(&units->word);

	if (likely(word & UNITS_WAITED && word & UNITS_ONLY) &&
	    likely(bias_swap(&units->word, &word, rule->empty))) {
		wait_wake_own((struct mete_waiter *)(uintptr_t)(word &
								UNITS_ADDRESS));
		return 0;
	}
	return units_post(units, rule, 1, 0);
}

/* LATCH: is it set? */
static inline bool units_latched(const struct units *units)
{
	/* order: units.passed pairs units.set, units.leave, units.deposit,
	 * units.only, units.turn, bias.swap: what was done
	 * before it was set */
	uint64_t word = a64_load_acquire(&units->word);

	return word & UNITS_WAITED ? word & UNITS_LATCH : word;
}

uint64_t units_thread(void);

/* Who calls: a task's handle, or a thread's mark with the top bit. */
static inline uint64_t units_caller(void)
{
	struct task *task = sched_current();

	return likely(task) ? task_id(task) : units_thread();
}

#endif

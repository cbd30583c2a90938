/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parking pair: a CPU goes to sleep, and is told of work.
 *
 *	owner                           waker
 *	parking_publish()               wakelist_push()
 *	look at everything once more,   parking_claim(), after every push
 *	the wake lists by
 *	parking_sees()
 *	sleep while the word is set     if it gave a bed: wake the sleeper
 *	parking_leave()
 *
 * Each side first makes itself visible and then looks at the other, with full
 * barriers in between (Dekker's argument): either the owner sees the entry or
 * the waker sees the CPU parked.  Whoever swaps the word to 0 makes the one
 * system call of that sleep.  The word says in which bed: its own futex, so that
 * a claim that comes before the sleep makes it return at once; or the set of
 * descriptors (watch.h), whose bell, rung before the sleep, does the same.
 *
 * A waker looks after every push, not only when it found the list empty: the
 * first pusher may be stopped before it tells.  Someone who polls has not
 * published, and is never told.
 *
 * All wait-free.  tests/model drives these very functions.
 */
#ifndef SCHED_PARKING_H
#define SCHED_PARKING_H

#include "conc/wakelist.h"

/* What `parked` says. */
enum parking_bed {
	PARKED_NOT,
	PARKED_FUTEX, /* on the word itself */
	PARKED_WATCH, /* in the set of descriptors */
};

/* Owner: from here on wakers tell. */
static inline void parking_publish(struct a32 *parked, enum parking_bed bed)
{
	/* order: park.publish pairs park.look, wakelist.push,
	 * tick.parked: we are seen parked by whoever's push we do not see
	 * in parking_sees() */
	a32_exchange_seq_cst(parked, bed);
}

/* Owner, after it published: was anything sent? */
static inline bool parking_sees(const struct wakelist *list)
{
	/* order: park.again pairs wakelist.push: a push before which we were
	 * not seen parked */
	return aptr_load_seq_cst(&list->head) != NULL;
}

/* A flag that sleepers must not miss, such as that all is to end; its setter
 * calls parking_claim() afterwards. */
static inline void parking_flag(struct a32 *flag)
{
	/* order: stop.set pairs stop.look: the flag is visible to an owner that
	 * we do not see parked */
	a32_exchange_seq_cst(flag, 1);
}

/* Owner, after it published: is the flag set? */
static inline bool parking_sees_flag(const struct a32 *flag)
{
	/* order: stop.look pairs stop.set: as park.again */
	return a32_load_seq_cst(flag);
}

/* Owner: awake again, or not gone to sleep after all. */
static inline void parking_leave(struct a32 *parked)
{
	/* order: park.leave pairs tick.parked, tick.cover: either the tick
	 * minds our timers from now on, or we see that it sleeps */
	a32_exchange_seq_cst(parked, PARKED_NOT);
}

/* Waker, after its push: the bed of the sleeper that it is to wake. */
static inline enum parking_bed parking_claim(struct a32 *parked)
{
	/* order: park.look pairs park.publish: our push is visible to an owner
	 * that we do not see parked */
	if (!a32_load_seq_cst(parked))
		return PARKED_NOT;
	/* relaxed: one swap gives one notification a sleep.  Who comes later
	 * and finds our 0 comes before the owner's next publish, which it is
	 * therefore seen by */
	return (enum parking_bed)a32_exchange_relaxed(parked, PARKED_NOT);
}

#endif

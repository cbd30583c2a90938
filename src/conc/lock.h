/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A lock for short sections off the hot paths: spins briefly, then sleeps.
 *
 * States 0 free, 1 held, 2 held with sleepers (Drepper, "Futexes are tricky",
 * mutex 3).  Tasks never switch while they hold one, so a holder is delayed
 * only by the operating system.  Every lock has a rank; a thread that holds one
 * may only take higher ones, which builds with checks enforce.  (As in jemalloc's
 * witness: an order of locks that is written down and held to.)
 */
#ifndef CONC_LOCK_H
#define CONC_LOCK_H

#include "arch/arch.h"
#include "conc/atomic.h"
#include "os/futex.h"

#ifndef LOCK_SPINS /* models have less time */
# define LOCK_SPINS 100
#endif

/* In the order in which they may be taken. */
enum lock_rank {
	LOCK_RUNTIME, /* start and stop */
	LOCK_TREE,    /* the tree of groups */
	LOCK_POOL,    /* free tasks */
	LOCK_OBJECT,  /* the waiters of one object */
	LOCK_TIMERS,  /* the timers of one CPU */
	LOCK_KEYS,    /* keys of task-local storage */
};

#ifdef METE_CHECKS
void lock_rank_enter(enum lock_rank rank);
void lock_rank_leave(enum lock_rank rank);
#else
static inline void lock_rank_enter(enum lock_rank rank)
{
	(void)rank;
}

static inline void lock_rank_leave(enum lock_rank rank)
{
	(void)rank;
}
#endif

struct lock {
	struct a32 state;
};

/* One try, ranks unseen: false when somebody holds it. */
static inline bool lock_try(struct lock *lock)
{
	uint32_t expected = 0;

	/* order: lock.take pairs lock.give: what the last holder wrote */
	return a32_cas_acquire(&lock->state, &expected, 1);
}

static inline void lock_slow(struct lock *lock)
{
	for (int i = 0; i < LOCK_SPINS; i++) {
		/* relaxed: only a hint, lock_try() decides */
		if (!a32_load_relaxed(&lock->state) && lock_try(lock))
			return;
		arch_relax();
	}
	/* order: lock.sleep pairs lock.give: as lock.take, and tells that we
	 * sleep */
	while (a32_exchange_acquire(&lock->state, 2) != 0)
		os_futex_wait(&lock->state.value, 2, UINT64_MAX);
}

static inline void lock_acquire(struct lock *lock, enum lock_rank rank)
{
	lock_rank_enter(rank);
	if (unlikely(!lock_try(lock)))
		lock_slow(lock);
}

static inline void lock_release(struct lock *lock, enum lock_rank rank)
{
	lock_rank_leave(rank);
	/* order: lock.give pairs lock.take, lock.sleep: what we wrote */
	if (unlikely(a32_exchange_release(&lock->state, 0) == 2))
		os_futex_wake(&lock->state.value, 1);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A lock for short sections off the hot paths: spins briefly, then sleeps.
 *
 * States 0 free, 1 held, 2 held with sleepers (Drepper, "Futexes are tricky",
 * mutex 3).  Tasks never switch while they hold one, so a holder is delayed
 * only by the operating system.  Every lock has a rank; debug builds check
 * that locks are taken in rising rank.
 */
#ifndef CONC_LOCK_H
#define CONC_LOCK_H

#include "arch/arch.h"
#include "conc/atomic.h"
#include "os/futex.h"

#define LOCK_SPINS 100

struct lock {
	struct a32 state;
};

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

static inline void lock_acquire(struct lock *lock)
{
	if (unlikely(!lock_try(lock)))
		lock_slow(lock);
}

static inline void lock_release(struct lock *lock)
{
	/* order: lock.give pairs lock.take, lock.sleep: what we wrote */
	if (unlikely(a32_exchange_release(&lock->state, 0) == 2))
		os_futex_wake(&lock->state.value, 1);
}

#endif

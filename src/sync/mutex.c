/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mutex: one unit and who has it.
 *
 * An unlock with waiters gives the unit to the oldest before that runs, so
 * nobody overtakes and nobody starves.  The owner is written by the holder
 * alone, after it has the unit and before it gives it away; others read it only
 * to find out that they are not it.
 */
#include "sync/mutex.h"

#include <errno.h>

/* The word, while nobody waits. */
enum {
	FREE = 0,
	TAKEN = 1 << 1,
};

void mete_mutex_init(struct mete_mutex *mutex)
{
	*mutex = (struct mete_mutex)METE_MUTEX_INIT;
}

bool mutex_held_by(const struct mete_mutex *mutex, uint64_t caller)
{
	/* relaxed: only the caller can have written its own name */
	return a64_load_relaxed(mutex_owner_const(mutex)) == caller;
}

int mete_mutex_lock(struct mete_mutex *mutex, uint64_t deadline_ns)
{
	struct units *units = units_of(&mutex->units);
	uint64_t caller = units_caller();
	uint64_t word = FREE;
	int result;

	if (unlikely(!bias_swap(&units->word, &word, TAKEN))) {
		if (mutex_held_by(mutex, caller))
			return -EDEADLK;
		result = units_wait_one(units, &rule_mutex, deadline_ns);
		if (result)
			return result;
	}
	/* relaxed: for ourselves */
	a64_store_relaxed(mutex_owner(mutex), caller);
	return 0;
}

int mete_mutex_unlock(struct mete_mutex *mutex)
{
	struct units *units = units_of(&mutex->units);
	uint64_t word = TAKEN;

	if (unlikely(!mutex_held_by(mutex, units_caller())))
		return -EPERM;
	/* relaxed: for ourselves */
	a64_store_relaxed(mutex_owner(mutex), 0);
	if (likely(bias_swap(&units->word, &word, FREE)))
		return 0;
	return units_post_one(units, &rule_mutex);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reader-writer lock: many units, of which a reader takes one and a writer all.
 * Waiters are served in the order of arrival, so a writer keeps out the readers
 * that come after it, and readers that stand side by side go together.
 */
#include <errno.h>

#include "sync/units.h"

/* The word, while nobody waits: what is taken. */
#define ONE (UINT64_C(1) << 1)
#define ALL (METE_RWLOCK_READERS << 1)

void mete_rwlock_init(struct mete_rwlock *lock)
{
	*lock = (struct mete_rwlock)METE_RWLOCK_INIT;
}

/* As the mutex's owner: the name of whoever writes. */
static struct a64 *writer(struct mete_rwlock *lock)
{
	return (struct a64 *)(void *)&lock->writer;
}

static bool writes(struct mete_rwlock *lock, uint64_t caller)
{
	/* relaxed: only the caller can have written its own name */
	return a64_load_relaxed(writer(lock)) == caller;
}

int mete_rwlock_read(struct mete_rwlock *lock, uint64_t deadline_ns)
{
	struct units *units = units_of(&lock->units);
	/* relaxed: the swap validates it */
	uint64_t word = a64_load_relaxed(&units->word);

	while (!(word & UNITS_WAITED) && word < ALL) {
		if (likely(bias_swap(&units->word, &word, word + ONE)))
			return 0;
	}
	if (writes(lock, units_caller()))
		return -EDEADLK;
	return units_wait(units, &rule_rwlock, 1, deadline_ns);
}

int mete_rwlock_read_unlock(struct mete_rwlock *lock)
{
	int result = units_post(units_of(&lock->units), &rule_rwlock, 1, 0);

	return result ? -EPERM : 0;
}

int mete_rwlock_write(struct mete_rwlock *lock, uint64_t deadline_ns)
{
	struct units *units = units_of(&lock->units);
	uint64_t caller = units_caller();
	uint64_t word = 0;
	int result;

	if (unlikely(!bias_swap(&units->word, &word, ALL))) {
		if (writes(lock, caller))
			return -EDEADLK;
		result = units_wait(units, &rule_rwlock, METE_RWLOCK_READERS,
				    deadline_ns);
		if (result)
			return result;
	}
	/* relaxed: for ourselves */
	a64_store_relaxed(writer(lock), caller);
	return 0;
}

int mete_rwlock_write_unlock(struct mete_rwlock *lock)
{
	struct units *units = units_of(&lock->units);
	uint64_t word = ALL;

	if (unlikely(!writes(lock, units_caller())))
		return -EPERM;
	/* relaxed: for ourselves */
	a64_store_relaxed(writer(lock), 0);
	if (likely(bias_swap(&units->word, &word, 0)))
		return 0;
	return units_post(units, &rule_rwlock, METE_RWLOCK_READERS, 0);
}

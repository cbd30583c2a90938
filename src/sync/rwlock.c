/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reader-writer lock: many units, of which a reader takes one and a writer all.
 * Waiters are served in the order of arrival, so a writer keeps out the readers
 * that come after it, and readers that stand side by side go together.
 */
#include "sync/owner.h"

/* The word, while nobody waits: what is taken. */
#define ONE (UINT64_C(1) << 1)
#define ALL (METE_RWLOCK_READERS << 1)

void mete_rwlock_init(struct mete_rwlock *lock)
{
	*lock = (struct mete_rwlock)METE_RWLOCK_INIT;
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
	if (owner_is(&lock->writer, units_caller()))
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
	return owner_lock(units_of(&lock->units), &rule_rwlock, &lock->writer,
			  deadline_ns);
}

int mete_rwlock_write_unlock(struct mete_rwlock *lock)
{
	return owner_unlock(units_of(&lock->units), &rule_rwlock,
			    &lock->writer);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mutex: one unit and who has it.
 *
 * An unlock with waiters gives the unit to the oldest before that runs, so
 * nobody overtakes and nobody starves.
 */
#include "sync/owner.h"

void mete_mutex_init(struct mete_mutex *mutex)
{
	*mutex = (struct mete_mutex)METE_MUTEX_INIT;
}

int mete_mutex_lock(struct mete_mutex *mutex, uint64_t deadline_ns)
{
	return owner_lock(units_of(&mutex->units), &rule_mutex, &mutex->owner,
			  deadline_ns);
}

int mete_mutex_unlock(struct mete_mutex *mutex)
{
	return owner_unlock(units_of(&mutex->units), &rule_mutex,
			    &mutex->owner);
}

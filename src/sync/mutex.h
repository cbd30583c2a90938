/* SPDX-License-Identifier: Apache-2.0 */
/* What the condition needs of the mutex. */
#ifndef SYNC_MUTEX_H
#define SYNC_MUTEX_H

#include "sync/units.h"

static inline struct a64 *mutex_owner(struct mete_mutex *mutex)
{
	_Static_assert(sizeof(struct a64) == sizeof(mutex->owner), "owner");
	return (struct a64 *)(void *)&mutex->owner;
}

static inline const struct a64 *mutex_owner_const(
	const struct mete_mutex *mutex)
{
	return (const struct a64 *)(const void *)&mutex->owner;
}

bool mutex_held_by(const struct mete_mutex *mutex, uint64_t caller);

#endif

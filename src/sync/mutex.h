/* SPDX-License-Identifier: Apache-2.0 */
/* What the condition needs of the mutex. */
#ifndef SYNC_MUTEX_H
#define SYNC_MUTEX_H

#include "sync/waitlist.h"

/*
 * Make the mutex free, or its oldest waiter the holder, on behalf of `caller`:
 * 0 or -EPERM.  Wakes at `tail`.
 */
int mutex_release(struct mete_mutex *mutex, uint64_t caller,
		  struct wakenode ***tail);

#endif

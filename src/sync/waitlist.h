/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The waiters of an object, oldest first, under the object's short lock.
 *
 * Everybody who changes the object holds the lock for a few instructions and
 * never switches under it.  Whoever wakes takes a waiter out and claims it
 * under the lock, so that a waiter whose time was over can take itself out and
 * go; tasks are made ready after the lock is released.
 */
#ifndef SYNC_WAITLIST_H
#define SYNC_WAITLIST_H

#include <mete/sync.h>

#include "sched/wait.h"

_Static_assert(sizeof(struct lock) == sizeof(uint32_t), "the public lock word");

static inline struct lock *waitlist_lock_of(struct mete_waitlist *list)
{
	return (struct lock *)(void *)&list->lock;
}

static inline void waitlist_lock(struct mete_waitlist *list)
{
	lock_acquire(waitlist_lock_of(list), LOCK_OBJECT);
}

static inline void waitlist_unlock(struct mete_waitlist *list)
{
	lock_release(waitlist_lock_of(list), LOCK_OBJECT);
}

/* Under the lock. */
static inline void waitlist_append(struct mete_waitlist *list,
				   struct mete_waiter *waiter)
{
	waiter->next = NULL;
	waiter->prev = list->tail;
	waiter->listed = true;
	if (list->tail)
		list->tail->next = waiter;
	else
		list->head = waiter;
	list->tail = waiter;
}

/* Under the lock. */
static inline void waitlist_remove(struct mete_waitlist *list,
				   struct mete_waiter *waiter)
{
	if (waiter->prev)
		waiter->prev->next = waiter->next;
	else
		list->head = waiter->next;
	if (waiter->next)
		waiter->next->prev = waiter->prev;
	else
		list->tail = waiter->prev;
	waiter->listed = false;
}

/* Under the lock: end the wait of the oldest that still waits, which is put at
 * the tail if it is a task.  NULL when nobody waits. */
struct mete_waiter *waitlist_wake(struct mete_waitlist *list,
				  struct wakenode ***tail);

/* Holding the lock: wait, the lock released meanwhile and afterwards.  0, or
 * -ETIMEDOUT with the waiter out of the list.  The list stands first in its
 * object. */
int waitlist_sleep(struct mete_waitlist *list, struct mete_waiter *waiter,
		   enum wait_kind kind, uint64_t deadline_ns);

/* Whoever calls: a task's handle, or a thread's number with the top bit. */
uint64_t waitlist_caller(void);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mutex.  An unlock with waiters makes the oldest the holder before it runs, so
 * nobody overtakes and nobody starves.
 */
#include "sync/mutex.h"

#include <errno.h>

void mete_mutex_init(struct mete_mutex *mutex)
{
	*mutex = (struct mete_mutex)METE_MUTEX_INIT;
}

int mete_mutex_lock(struct mete_mutex *mutex, uint64_t deadline_ns)
{
	uint64_t caller = waitlist_caller();
	struct mete_waiter waiter;
	int result = 0;

	waiter.identity = caller;
	waitlist_lock(&mutex->waiters);
	if (!mutex->owner)
		mutex->owner = caller;
	else if (mutex->owner == caller)
		result = -EDEADLK;
	else if (deadline_ns)
		return waitlist_sleep(&mutex->waiters, &waiter, WAIT_MUTEX,
				      deadline_ns);
	else
		result = -ETIMEDOUT;
	waitlist_unlock(&mutex->waiters);
	return result;
}

int mutex_release(struct mete_mutex *mutex, uint64_t caller,
		  struct wakenode ***tail)
{
	struct mete_waiter *next;
	int result = -EPERM;

	waitlist_lock(&mutex->waiters);
	if (mutex->owner == caller) {
		uint64_t heir = 0;

		/* A waiter's identity is read before its wait can end. */
		while ((next = mutex->waiters.head)) {
			heir = next->identity;
			waitlist_remove(&mutex->waiters, next);
			if (wait_take(next, tail))
				break;
			heir = 0;
		}
		mutex->owner = heir;
		result = 0;
	}
	waitlist_unlock(&mutex->waiters);
	return result;
}

int mete_mutex_unlock(struct mete_mutex *mutex)
{
	struct wakenode *chain = NULL;
	struct wakenode **tail = &chain;
	int result = mutex_release(mutex, waitlist_caller(), &tail);

	sched_ready_chain(chain);
	return result;
}

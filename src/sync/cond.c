/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Condition.  A waiter stands in the list before it gives the mutex away, so a
 * signal under the mutex cannot miss it.
 */
#include <errno.h>

#include "sync/mutex.h"

void mete_cond_init(struct mete_cond *cond)
{
	*cond = (struct mete_cond)METE_COND_INIT;
}

/* Only the holder itself can change whether the caller holds it. */
static bool holds(struct mete_mutex *mutex, uint64_t caller)
{
	bool holds;

	waitlist_lock(&mutex->waiters);
	holds = mutex->owner == caller;
	waitlist_unlock(&mutex->waiters);
	return holds;
}

int mete_cond_wait(struct mete_cond *cond, struct mete_mutex *mutex,
		   uint64_t deadline_ns)
{
	uint64_t caller = waitlist_caller();
	struct wakenode *chain = NULL;
	struct wakenode **tail = &chain;
	struct mete_waiter waiter;
	int result;

	if (!holds(mutex, caller))
		return -EPERM;
	if (!deadline_ns)
		return -ETIMEDOUT;
	waitlist_lock(&cond->waiters);
	wait_prepare(&waiter, WAIT_COND, cond, deadline_ns);
	waitlist_append(&cond->waiters, &waiter);
	waitlist_unlock(&cond->waiters);
	mutex_release(mutex, caller, &tail);
	sched_ready_chain(chain);
	result = wait_sleep(&waiter, deadline_ns);
	if (result) {
		waitlist_lock(&cond->waiters);
		if (waiter.listed)
			waitlist_remove(&cond->waiters, &waiter);
		waitlist_unlock(&cond->waiters);
	}
	mete_mutex_lock(mutex, METE_FOREVER);
	return result;
}

int mete_cond_signal(struct mete_cond *cond)
{
	struct wakenode *chain = NULL;
	struct wakenode **tail = &chain;

	waitlist_lock(&cond->waiters);
	waitlist_wake(&cond->waiters, &tail);
	waitlist_unlock(&cond->waiters);
	sched_ready_chain(chain);
	return 0;
}

int mete_cond_broadcast(struct mete_cond *cond)
{
	struct wakenode *chain = NULL;
	struct wakenode **tail = &chain;

	waitlist_lock(&cond->waiters);
	while (waitlist_wake(&cond->waiters, &tail))
		;
	waitlist_unlock(&cond->waiters);
	sched_ready_chain(chain);
	return 0;
}

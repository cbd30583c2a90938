/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Barrier.  The last to arrive wakes the others and begins the next round; one
 * whose time is over withdraws, unless the round has been completed with it.
 */
#include <errno.h>

#include "sync/waitlist.h"

void mete_barrier_init(struct mete_barrier *barrier, unsigned parties)
{
	*barrier =
		(struct mete_barrier)METE_BARRIER_INIT(parties ? parties : 1);
}

/* Holding the lock: wait for the last one. */
static int await_last(struct mete_barrier *barrier, uint64_t deadline_ns)
{
	struct mete_waiter waiter;

	barrier->arrived++;
	wait_prepare(&waiter, WAIT_BARRIER, barrier, deadline_ns);
	waitlist_append(&barrier->waiters, &waiter);
	waitlist_unlock(&barrier->waiters);
	if (!wait_sleep(&waiter, deadline_ns))
		return 0;
	waitlist_lock(&barrier->waiters);
	if (!waiter.listed) {
		/* The last one came in the same instant and counted us. */
		waitlist_unlock(&barrier->waiters);
		return 0;
	}
	waitlist_remove(&barrier->waiters, &waiter);
	barrier->arrived--;
	waitlist_unlock(&barrier->waiters);
	return -ETIMEDOUT;
}

int mete_barrier_wait(struct mete_barrier *barrier, uint64_t deadline_ns)
{
	struct wakenode *chain = NULL;
	struct wakenode **tail = &chain;

	waitlist_lock(&barrier->waiters);
	if (barrier->arrived + 1 < barrier->parties) {
		if (deadline_ns)
			return await_last(barrier, deadline_ns);
		waitlist_unlock(&barrier->waiters);
		return -ETIMEDOUT;
	}
	barrier->arrived = 0;
	while (waitlist_wake(&barrier->waiters, &tail))
		;
	waitlist_unlock(&barrier->waiters);
	sched_ready_chain(chain);
	return 1;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Semaphore.  Under the lock: units are left only if nobody waits, so a waiter
 * gets its unit from the post that wakes it, in the order of arrival.
 */
#include <errno.h>

#include "sync/waitlist.h"

void mete_sem_init(struct mete_sem *sem, uint64_t count)
{
	*sem = (struct mete_sem)METE_SEM_INIT(count);
}

int mete_sem_wait(struct mete_sem *sem, uint64_t deadline_ns)
{
	struct mete_waiter waiter;
	int result = 0;

	waitlist_lock(&sem->waiters);
	if (sem->count) {
		sem->count--;
	} else if (deadline_ns) {
		return waitlist_sleep(&sem->waiters, &waiter, WAIT_SEM,
				      deadline_ns);
	} else {
		result = -ETIMEDOUT;
	}
	waitlist_unlock(&sem->waiters);
	return result;
}

int mete_sem_post(struct mete_sem *sem, unsigned count)
{
	struct wakenode *chain = NULL;
	struct wakenode **tail = &chain;

	waitlist_lock(&sem->waiters);
	if (sem->count > INT64_MAX - (uint64_t)count) {
		waitlist_unlock(&sem->waiters);
		return -EOVERFLOW;
	}
	while (count && waitlist_wake(&sem->waiters, &tail))
		count--;
	sem->count += count;
	waitlist_unlock(&sem->waiters);
	sched_ready_chain(chain);
	return 0;
}

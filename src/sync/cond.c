/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Condition.  A waiter stands before it gives the mutex away, so a signal under
 * the mutex cannot miss it.
 */
#include <errno.h>

#include "sync/owner.h"

void mete_cond_init(struct mete_cond *cond)
{
	*cond = (struct mete_cond)METE_COND_INIT;
}

int mete_cond_wait(struct mete_cond *cond, struct mete_mutex *mutex,
		   uint64_t deadline_ns)
{
	struct units *units = units_of(&cond->units);
	struct mete_waiter spare;
	struct mete_waiter *waiter;
	int result;

	if (!owner_is(&mutex->owner, units_caller()))
		return -EPERM;
	if (!deadline_ns)
		return -ETIMEDOUT;
	waiter = wait_prepare_own(&spare, WAIT_COND, units, deadline_ns);
	waiter->want = 1;
	units_arrive(units, &rule_cond, waiter);
	mete_mutex_unlock(mutex);
	result = wait_sleep(waiter, deadline_ns);
	if (result)
		units_withdraw(units, &rule_cond, waiter);
	mete_mutex_lock(mutex, METE_FOREVER);
	if (result)
		wait_cancel_point();
	return result;
}

static int wake(struct mete_cond *cond, uint64_t count, uint64_t flags)
{
	struct units *units = units_of(&cond->units);

	/* order: units.signal pairs units.first, units.arrive, bias.swap: who
	 * waits has been seen to by whoever changed what it waits for */
	if (a64_load_acquire(&units->word) & UNITS_WAITED)
		units_post(units, &rule_cond, count, flags);
	return 0;
}

int mete_cond_signal(struct mete_cond *cond)
{
	return wake(cond, 1, 0);
}

int mete_cond_broadcast(struct mete_cond *cond)
{
	return wake(cond, 0, UNITS_ALL);
}

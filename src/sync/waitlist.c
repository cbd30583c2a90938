/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting in an object's list. */
#include "sync/waitlist.h"

#include "os/thread.h"

struct mete_waiter *waitlist_wake(struct mete_waitlist *list,
				  struct wakenode ***tail)
{
	struct mete_waiter *waiter;

	while ((waiter = list->head)) {
		waitlist_remove(list, waiter);
		if (wait_take(waiter, tail))
			return waiter;
	}
	return NULL;
}

int waitlist_sleep(struct mete_waitlist *list, struct mete_waiter *waiter,
		   enum wait_kind kind, uint64_t deadline_ns)
{
	int result;

	wait_prepare(waiter, kind, list, deadline_ns);
	waitlist_append(list, waiter);
	waitlist_unlock(list);
	result = wait_sleep(waiter, deadline_ns);
	if (result) {
		waitlist_lock(list);
		if (waiter->listed)
			waitlist_remove(list, waiter);
		waitlist_unlock(list);
	}
	return result;
}

uint64_t waitlist_caller(void)
{
	struct task *task = sched_current();

	if (task)
		return task_id(task);
	return (uint64_t)os_thread_self_tid() | UINT64_C(1) << 63;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Park and unpark: one token a task, for who builds waiting of his own.
 *
 * The word is 0 (no token), TOKEN, or, while the task waits, the state word that
 * names this wait (sched/task.h): whoever puts the token there finds in it whom
 * to claim, and for which wait, without touching anything of the waiter's stack.
 *
 *	park                            unpark
 *	take a token that is there      exchange the word for TOKEN
 *	announce the wait               if it named a wait: claim that, and
 *	0 -> its name, by a swap        make the task ready
 *	sleep
 *	exchange the word for 0
 *
 * A token that comes when the time is over is still taken: the last exchange
 * tells.
 */
#include <errno.h>

#include "sched/wait.h"

#define TOKEN 1

int sched_park(uint64_t deadline_ns)
{
	struct task *task = sched_current();
	struct mete_waiter waiter;
	uint64_t none = 0;
	int result = 0;

	if (!task)
		return -EPERM;
	/* order: park.token pairs park.give: what was done before */
	if (a64_exchange_acquire(&task->token, 0) == TOKEN)
		return 0;
	if (!deadline_ns)
		return -ETIMEDOUT;
	wait_prepare(&waiter, WAIT_PARK, NULL, deadline_ns);
	/* order: park.wait pairs park.give: the wait was announced */
	if (a64_cas_release(&task->token, &none, waiter.state))
		result = wait_sleep(&waiter, deadline_ns);
	else
		wait_cancel(&waiter);
	/* order: park.back pairs park.give: as park.token */
	if (a64_exchange_acquire(&task->token, 0) == TOKEN)
		return 0;
	wait_cancel_point();
	return result;
}

int sched_unpark(uint64_t id)
{
	struct task *task = sched_pin(id);
	uint64_t word;
	bool claimed;

	if (!task)
		return -ESRCH;
	/* order: park.give pairs park.token, park.wait, park.back: what we did
	 * before; the wait that it names */
	word = a64_exchange_acq_rel(&task->token, TOKEN);
	claimed = word > TOKEN && claim(task, word, 0);
	sched_unpin(task);
	if (claimed)
		sched_ready(task);
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cancellation: deferred, at safe points, of tasks that were created for it.
 *
 * A wait that can be cancelled is ended as by its deadline, so that whatever the
 * task stood in is left in the ordinary way; only then, at the end of the call,
 * does the task notice (wait_cancel_point()), run its clean-up handlers and
 * end.  So nothing of Mete's is ever left half done, and tasks that cannot be
 * cancelled pay nothing: their waits may be claimed by a plain store.
 *
 *	the task                        whoever cancels
 *	announce its wait               set the request
 *	full fence                      full fence
 *	look for a request              look at its state
 *
 * so either it does not go to sleep or its wait is claimed.
 */
#include <errno.h>

#include <mete/task.h>

#include "sched/wait.h"

enum {
	CANCEL_ASKED = 1,
	CANCEL_ACTS, /* it runs its handlers: no second time */
};

int sched_cancel(uint64_t id)
{
	struct task *task = sched_pin(id);
	bool claimed = false;
	uint64_t state;

	if (!task)
		return -ESRCH;
	if (!(task->flags & TASK_CANCELLABLE)) {
		sched_unpin(task);
		return -ENOTSUP;
	}
	/* order: cancel.ask pairs cancel.look: see above */
	if (!a32_exchange_seq_cst(&task->cancel, CANCEL_ASKED)) {
		/* order: cancel.state pairs cancel.look, claim.announce: as
		 * cancel.ask; and on_cpu, if it waits */
		state = a64_load_seq_cst(&task->state);
		claimed = wait_cancellable_state(state) &&
			  claim(task, state, TASK_LATE);
	}
	sched_unpin(task);
	if (claimed)
		sched_ready(task);
	else
		sched_poke();
	return 0;
}

bool sched_cancel_asked(struct task *task)
{
	/* order: cancel.look pairs cancel.ask, cancel.state: the wait was
	 * announced before */
	return a32_add_seq_cst(&task->cancel, 0) == CANCEL_ASKED;
}

void sched_cancel_act(struct task *task)
{
	struct mete_cleanup *cleanup;

	/* relaxed: a flag that only we look at from here on */
	a32_store_relaxed(&task->cancel, CANCEL_ACTS);
	while ((cleanup = task->cleanups)) {
		task->cleanups = cleanup->next;
		cleanup->fn(cleanup->arg);
	}
	sched_end(METE_CANCELED);
}

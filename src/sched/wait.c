/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting: tasks leave their CPU, foreign threads sleep on a futex. */
#include "sched/wait.h"

#include <errno.h>

_Static_assert(WAIT_KINDS <= TASK_TICKET / TASK_KIND, "room in the state word");

int wait_task_timed(struct mete_waiter *waiter, uint64_t deadline_ns)
{
	struct timer timer;

	timer.deadline_ns = deadline_ns;
	timer.task = waiter->task;
	timer.state = waiter->state;
	timer_add(&sched_cpu()->timers, &timer);
	sched_block(sched_cpu());
	timer_remove(&timer);
	return claim_resume(waiter->task) ? -ETIMEDOUT : 0;
}

int wait_thread(struct mete_waiter *waiter, uint64_t deadline_ns)
{
	uint32_t waits = THREAD_WAITS;

	/* order: wait.seen pairs wait.word: what the waker did before */
	while (a32_load_acquire(&waiter->word) == THREAD_WAITS) {
		if (os_futex_wait(&waiter->word.value, THREAD_WAITS,
				  deadline_ns) != -ETIMEDOUT)
			continue;
		/* order: wait.late pairs wait.word: one of us has it */
		if (a32_cas_acq_rel(&waiter->word, &waits, THREAD_LATE))
			return -ETIMEDOUT;
	}
	return 0;
}

bool wait_thread_wake(struct mete_waiter *waiter)
{
	struct a32 *word = &waiter->word;
	uint32_t waits = THREAD_WAITS;

	/* order: wait.word pairs wait.seen, wait.late: what we did before */
	if (!a32_cas_acq_rel(word, &waits, THREAD_WOKEN))
		return false;
	/* The waiter may be gone by now; its address does no harm. */
	os_futex_wake(&word->value, 1);
	return true;
}

bool wait_wake(struct mete_waiter *waiter)
{
	struct task *task = waiter->task;

	if (!wait_claim(waiter))
		return false;
	if (task)
		sched_ready(task);
	return true;
}

bool wait_take(struct mete_waiter *waiter, struct wakenode ***tail)
{
	struct task *task = waiter->task;

	if (!wait_claim(waiter))
		return false;
	if (task) {
		task->node.next = NULL;
		**tail = &task->node;
		*tail = &task->node.next;
	}
	return true;
}

void wait_until(uint64_t deadline_ns)
{
	struct mete_waiter waiter;

	wait_prepare(&waiter, WAIT_SLEEP, NULL, deadline_ns);
	wait_sleep(&waiter, deadline_ns);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting: tasks leave their CPU, foreign threads sleep on a futex. */
#include "sched/wait.h"

#include <errno.h>

#include "sched/claim.h"

enum {
	THREAD_WAITS,
	THREAD_WOKEN,
	THREAD_LATE,
};

void wait_prepare(struct mete_waiter *waiter)
{
	waiter->task = sched_current();
	waiter->listed = false;
	/* relaxed: published with the waiter */
	a32_store_relaxed(&waiter->word, THREAD_WAITS);
	if (waiter->task)
		waiter->state = claim_announce(waiter->task);
}

void wait_cancel(struct mete_waiter *waiter)
{
	if (waiter->task)
		claim_resume(waiter->task);
}

static int task_sleep(struct mete_waiter *waiter, uint64_t deadline_ns)
{
	struct task *task = waiter->task;
	struct cpu *cpu = sched_cpu();
	struct timer timer;

	if (deadline_ns == UINT64_MAX) {
		sched_block(cpu);
		return claim_resume(task) ? -ETIMEDOUT : 0;
	}
	timer.deadline_ns = deadline_ns;
	timer.task = task;
	timer.state = waiter->state;
	timer_add(&cpu->timers, &timer);
	sched_block(cpu);
	timer_remove(&timer);
	return claim_resume(task) ? -ETIMEDOUT : 0;
}

static int thread_sleep(struct mete_waiter *waiter, uint64_t deadline_ns)
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

int wait_sleep(struct mete_waiter *waiter, uint64_t deadline_ns)
{
	if (waiter->task)
		return task_sleep(waiter, deadline_ns);
	return thread_sleep(waiter, deadline_ns);
}

static bool thread_wake(struct mete_waiter *waiter)
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
	enum claim claimed;

	if (!task)
		return thread_wake(waiter);
	claimed = claim(task, waiter->state, 0);
	if (claimed == CLAIM_OWN)
		sched_ready(task);
	return claimed != CLAIM_LOST;
}

bool wait_take(struct mete_waiter *waiter, struct wakenode ***tail)
{
	struct task *task = waiter->task;
	enum claim claimed;

	if (!task)
		return thread_wake(waiter);
	claimed = claim(task, waiter->state, 0);
	if (claimed == CLAIM_OWN) {
		task->node.next = NULL;
		**tail = &task->node;
		*tail = &task->node.next;
	}
	return claimed != CLAIM_LOST;
}

void wait_until(uint64_t deadline_ns)
{
	struct mete_waiter waiter;

	wait_prepare(&waiter);
	wait_sleep(&waiter, deadline_ns);
}

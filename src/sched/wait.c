/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting: tasks leave their CPU, foreign threads sleep on a futex. */
#include "sched/wait.h"

#include <errno.h>

_Static_assert(WAIT_KINDS <= TASK_TICKET / TASK_KIND, "room in the state word");

void wait_cancel(struct mete_waiter *waiter)
{
	struct task *task = waiter->task;

	if (!task)
		return;
	/* A cancellation may have claimed it by its state alone: whoever did
	 * makes it ready, which must be awaited. */
	if (unlikely(task->flags & TASK_CANCELLABLE) &&
	    !claim(task, waiter->state, 0))
		sched_block(sched_cpu());
	else
		claim_settle(task);
	claim_resume(task);
	/* Who changed it while it seemed to wait has asked nobody to look.
	 * order: due.cancel pairs due.take: as due.heed */
	a32_or_release(&sched_cpu()->due, DUE_HEED);
}

/* A cancellation that came before the wait was announced ends it here. */
static bool ends_at_once(const struct mete_waiter *waiter)
{
	struct task *task = waiter->task;

	return task->flags & TASK_CANCELLABLE &&
	       wait_cancellable_state(waiter->state) &&
	       sched_cancel_asked(task) &&
	       claim(task, waiter->state, TASK_LATE);
}

int wait_task_timed(struct mete_waiter *waiter, uint64_t deadline_ns)
{
	struct timer timer;
	bool late = ends_at_once(waiter);

	if (!late && deadline_ns != UINT64_MAX) {
		timer.deadline_ns = deadline_ns;
		timer.task = waiter->task;
		timer.state = waiter->state;
		timer_add(&sched_cpu()->timers, &timer);
		sched_block(sched_cpu());
		timer_remove(&timer);
	} else if (!late) {
		sched_block(sched_cpu());
	} else {
		/* As wait_cancel(): it has not left its CPU. */
		claim_settle(waiter->task);
	}
	return claim_resume(waiter->task) ? -ETIMEDOUT : 0;
}

/* Sleep; true when the time was over first. */
static bool is_late(struct mete_waiter *waiter, uint64_t deadline_ns)
{
	uint32_t waits = THREAD_WAITS;

	if (os_futex_wait(&waiter->word.value, THREAD_WAITS, deadline_ns) !=
	    -ETIMEDOUT)
		return false;
	/* order: wait.late pairs wait.word, wait.taken: one of us has it */
	return a32_cas_acq_rel(&waiter->word, &waits, THREAD_LATE);
}

int wait_thread(struct mete_waiter *waiter, uint64_t deadline_ns)
{
	while (true) {
		/* order: wait.seen pairs wait.word, wait.release: what the
		 * waker did before */
		switch (a32_load_acquire(&waiter->word)) {
		case THREAD_WOKEN:
			return 0;
		case THREAD_TAKEN:
			os_futex_wait(&waiter->word.value, THREAD_TAKEN,
				      UINT64_MAX);
			break;
		default:
			if (is_late(waiter, deadline_ns))
				return -ETIMEDOUT;
		}
	}
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

static bool take_thread(struct mete_waiter *waiter, struct wait_woken *woken)
{
	uint32_t waits = THREAD_WAITS;

	/* order: wait.taken pairs wait.late: one of us has it */
	if (!a32_cas_acq_rel(&waiter->word, &waits, THREAD_TAKEN))
		return false;
	waiter->next = NULL;
	*woken->thread_tail = waiter;
	woken->thread_tail = &waiter->next;
	return true;
}

static void take_task(struct task *task, struct wait_woken *woken)
{
	task->node.next = NULL;
	*woken->task_tail = &task->node;
	woken->task_tail = &task->node.next;
}

bool wait_take(struct mete_waiter *waiter, struct wait_woken *woken)
{
	struct task *task = waiter->task;

	if (unlikely(!task))
		return take_thread(waiter, woken);
	if (!wait_claim(waiter))
		return false;
	take_task(task, woken);
	return true;
}

void wait_take_own(struct mete_waiter *own, struct wait_woken *woken)
{
	take_task(wait_claim_own(own), woken);
}

void wait_release_slow(struct wait_woken *woken)
{
	struct mete_waiter *thread = woken->threads;

	sched_ready_chain(woken->tasks);
	while (thread) {
		struct mete_waiter *next = thread->next;

		/* order: wait.release pairs wait.seen: what we did before */
		a32_store_release(&thread->word, THREAD_WOKEN);
		os_futex_wake(&thread->word.value, 1);
		thread = next;
	}
}

void wait_until(uint64_t deadline_ns)
{
	struct mete_waiter waiter;

	wait_prepare(&waiter, WAIT_SLEEP, NULL, deadline_ns);
	wait_sleep(&waiter, deadline_ns);
}

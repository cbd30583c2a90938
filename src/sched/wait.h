/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waiting for something, as a task or as a foreign thread.
 *
 * A waiter stands on the stack of whoever waits, or is the task's own (waiter.h):
 *
 *	wait_prepare(&w, kind, object, deadline);  from here on it can be woken
 *	publish w where the waker will find it
 *	result = wait_sleep(&w, deadline);
 *	if (result) take w back from where it was published
 *
 * A waker that has found w calls wait_wake() at most once, while w cannot go
 * away (under the lock of the list it stood in, or the pin of a join word).
 * True means that w was still waiting and this call ended that; false, that
 * its time was over.  wait_sleep() gives 0 exactly if a wait_wake() gave true.
 */
#ifndef SCHED_WAIT_H
#define SCHED_WAIT_H

#include "sched/claim.h"
#include "sched/sched.h"

/* Those whose waits were ended while the object was in our hands, in order: let
 * go when it no longer is. */
struct wait_woken {
	struct wakenode *tasks;
	struct wakenode **task_tail;
	struct mete_waiter *threads;
	struct mete_waiter **thread_tail;
};

static inline void wait_woken_init(struct wait_woken *woken)
{
	woken->tasks = NULL;
	woken->task_tail = &woken->tasks;
	woken->threads = NULL;
	woken->thread_tail = &woken->threads;
}

/* Waits that a cancellation ends.  A mutex is none of them: its holder must
 * have it when its clean-up handlers run. */
#define WAIT_CANCELLABLE                                                  \
 (1u << WAIT_SLEEP | 1u << WAIT_JOIN | 1u << WAIT_SEM | 1u << WAIT_COND | \
  1u << WAIT_WAITGROUP | 1u << WAIT_EVENT | 1u << WAIT_PARK |             \
  1u << WAIT_CHANNEL | 1u << WAIT_SELECT | 1u << WAIT_FD)

static inline bool wait_cancellable_state(uint64_t state)
{
	return (state & TASK_STATE_MASK) == TASK_BLOCKED &&
	       WAIT_CANCELLABLE >> ((state / TASK_KIND) %
				    (TASK_TICKET / TASK_KIND)) &
		       1;
}

static inline void wait_cancel_point(void)
{
	struct task *task = sched_current();

	if (likely(task != NULL))
		sched_cancel_point(task);
}

/* May a cancellation of the task end such a wait? */
static always_inline bool wait_cancellable(const struct task *task,
					   enum wait_kind kind)
{
	return WAIT_CANCELLABLE >> kind & 1 && task->flags & TASK_CANCELLABLE;
}

/* Gives the state word that names this wait. */
static always_inline uint64_t wait_announce(struct task *task,
					    enum wait_kind kind,
					    const void *object)
{
	/* relaxed: who looks in between errs about one wait */
	aptr_store_relaxed(&task->awaits, (void *)(uintptr_t)object);
	return claim_announce(task, kind);
}

/* Kind and object (or NULL) tell others what the task waits for.  The object is
 * shown, never followed; that of a join is the low half of the handle. */
static inline void wait_prepare(struct mete_waiter *waiter, enum wait_kind kind,
				const void *object, uint64_t deadline_ns)
{
	struct task *task = sched_current();

	waiter->task = task;
	waiter->listed = false;
	waiter->handed = false;
	waiter->own = false;
	waiter->timed = deadline_ns != UINT64_MAX;
	if (likely(task != NULL)) {
		waiter->timed |= wait_cancellable(task, kind);
		waiter->state = wait_announce(task, kind, object);
	}
	/* relaxed: published with the waiter */
	a32_store_relaxed(&waiter->word, THREAD_WAITS);
}

/*
 * As wait_prepare(), with the task's own waiter where that may be: for a task that
 * waits without a deadline or cancellation, and once at a time; else with `spare`.
 */
static always_inline struct mete_waiter *wait_prepare_own(
	struct mete_waiter *spare, enum wait_kind kind, const void *object,
	uint64_t deadline_ns)
{
	struct task *task = sched_current();
	struct mete_waiter *own;

	if (unlikely(!task) || unlikely(deadline_ns != UINT64_MAX) ||
	    unlikely(wait_cancellable(task, kind))) {
		wait_prepare(spare, kind, object, deadline_ns);
		return spare;
	}
	own = &task->own;
	own->listed = false;
	own->state = wait_announce(task, kind, object);
	return own;
}

/* It was not published after all. */
void wait_cancel(struct mete_waiter *waiter);

/* Has nobody ended it yet?  For those who may not claim it, a hint. */
static inline bool wait_lasts(const struct mete_waiter *waiter)
{
	/* relaxed: a claim decides */
	if (unlikely(!waiter->task))
		return a32_load_relaxed(&waiter->word) == THREAD_WAITS;
	return a64_load_relaxed(&waiter->task->state) == waiter->state;
}

int wait_task_timed(struct mete_waiter *waiter, uint64_t deadline_ns);
int wait_thread(struct mete_waiter *waiter, uint64_t deadline_ns);
bool wait_thread_wake(struct mete_waiter *waiter);

/* 0 or -ETIMEDOUT. */
static inline int wait_sleep(struct mete_waiter *waiter, uint64_t deadline_ns)
{
	if (unlikely(!waiter->task))
		return wait_thread(waiter, deadline_ns);
	if (unlikely(waiter->timed))
		return wait_task_timed(waiter, deadline_ns);
	sched_block(sched_cpu());
	claim_resume(waiter->task);
	return 0;
}

static always_inline void wait_sleep_own(struct mete_waiter *own)
{
	sched_block(sched_cpu());
	claim_resume(container_of(own, struct task, own));
}

/* Whoever alone has the right to wake a waiter ends its wait: false when its
 * time was over.  A task must then be made ready. */
static inline bool wait_claim(struct mete_waiter *waiter)
{
	if (unlikely(!waiter->task))
		return wait_thread_wake(waiter);
	if (unlikely(waiter->timed))
		return claim(waiter->task, waiter->state, 0);
	claim_exclusive(waiter->task, waiter->state);
	return true;
}

static inline bool wait_wake(struct mete_waiter *waiter)
{
	struct task *task = waiter->task;

	if (!wait_claim(waiter))
		return false;
	if (likely(task != NULL))
		sched_ready(task);
	return true;
}

/* Of a task's own waiter that nobody else can wake; it is not looked at. */
static always_inline struct task *wait_claim_own(struct mete_waiter *own)
{
	struct task *task = container_of(own, struct task, own);

	/* relaxed: published with the waiter; nobody else changes it now */
	claim_exclusive(task, a64_load_relaxed(&task->state));
	return task;
}

static always_inline void wait_wake_own(struct mete_waiter *own)
{
	sched_ready(wait_claim_own(own));
}

/* As wait_wake(), but the waiter stays until wait_release(). */
bool wait_take(struct mete_waiter *waiter, struct wait_woken *woken);
void wait_take_own(struct mete_waiter *own, struct wait_woken *woken);
void wait_release_slow(struct wait_woken *woken);
static inline void wait_release(struct wait_woken *woken)
{
	if (woken->tasks || woken->threads)
		wait_release_slow(woken);
}
/* Sleep until the deadline, wakeable by nobody. */
void wait_until(uint64_t deadline_ns);

#endif

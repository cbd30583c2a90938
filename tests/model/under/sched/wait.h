/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waiting, for the models of what is waited for: threads, each of which may stand
 * for a task (model_self) that its waker must find to have left its CPU.
 *
 * The states of a waiter's word are those of sched/wait.h.  A sleeper sleeps on a
 * bell of its thread, which outlives the waiter; a deadline may pass at any
 * moment, also at once.
 */
#ifndef SCHED_WAIT_H
#define SCHED_WAIT_H

#include "conc/atomic.h"
#include "os/futex.h"
#include "sched/waiter.h"
#ifdef MODEL_TASKS
# include "sched/claim.h"
#endif

#define MODEL_SLEEPERS 4

#define WAIT_CANCELLABLE 0u

struct wait_woken {
	struct mete_waiter *threads[MODEL_SLEEPERS];
	unsigned count;
};

#ifdef MODEL_TASKS
/* The task that the calling thread stands for; NULL: a foreign thread. */
static struct task *model_self(void);
#else
struct task;
static inline struct task *sched_current(void)
{
	return nullptr;
}
static inline uint64_t task_id(const struct task *)
{
	return 0;
}
#endif

extern struct a32 *model_bells;
extern uint32_t *model_heard;

static inline void wait_woken_init(struct wait_woken *woken)
{
	woken->count = 0;
}

static inline void wait_prepare(struct mete_waiter *waiter, enum wait_kind,
				const void *, uint64_t deadline_ns)
{
	waiter->listed = false;
	waiter->timed = deadline_ns != UINT64_MAX;
	waiter->own = false;
	waiter->sleeper = rl::thread_index();
#ifdef MODEL_TASKS
	waiter->handed = false;
	waiter->task = model_self();
	if (model_self())
		claim_announce(model_self(), WAIT_OTHER);
#endif
	a32_store_relaxed(&waiter->word, THREAD_WAITS);
}

/* The spare one is the task's own, too: it has the same life. */
static inline struct mete_waiter *wait_prepare_own(struct mete_waiter *spare,
						   enum wait_kind kind,
						   const void *object,
						   uint64_t deadline_ns)
{
	wait_prepare(spare, kind, object, deadline_ns);
	spare->own = !spare->timed;
	return spare;
}

static inline void wait_cancel(struct mete_waiter *)
{
}

static inline void wait_cancel_point(void)
{
}

static inline int wait_sleep(struct mete_waiter *waiter, uint64_t)
{
	struct a32 *bell = &model_bells[rl::thread_index()];
	uint32_t *heard = &model_heard[rl::thread_index()];
	uint32_t waits = THREAD_WAITS;

#ifdef MODEL_TASKS
	if (model_self())
		claim_settle(model_self());
#endif
	if (waiter->timed && rl::rand(2) &&
	    a32_cas_acq_rel(&waiter->word, &waits, THREAD_LATE))
		return -ETIMEDOUT;
	/* Once for each wait that is ended; a call may come late. */
	do {
		os_futex_wait(&bell->value, *heard, UINT64_MAX);
	} while (a32_add_acq_rel(bell, 0) == *heard);
	++*heard;
	if (a32_load_acquire(&waiter->word) != THREAD_WOKEN)
		rl::ctx().fail_test("woken before its time",
				    rl::test_result_user_assert_failed,
				    MODEL_HERE);
	return 0;
}

static inline void wait_sleep_own(struct mete_waiter *own)
{
	wait_sleep(own, UINT64_MAX);
}

static inline void model_ring(unsigned sleeper)
{
	a32_add_acq_rel(&model_bells[sleeper], 1);
	os_futex_wake(&model_bells[sleeper].value, 1);
}

/* Then it is to be rung. */
static inline bool wait_claim(struct mete_waiter *waiter)
{
	uint32_t waits = THREAD_WAITS;

	return a32_cas_acq_rel(&waiter->word, &waits, THREAD_WOKEN);
}

static inline bool wait_wake(struct mete_waiter *waiter)
{
	unsigned sleeper = waiter->sleeper;

	if (!wait_claim(waiter))
		return false;
	model_ring(sleeper);
	return true;
}

static inline bool wait_take(struct mete_waiter *waiter,
			     struct wait_woken *woken)
{
	uint32_t waits = THREAD_WAITS;

	if (!a32_cas_acq_rel(&waiter->word, &waits, THREAD_TAKEN))
		return false;
	woken->threads[woken->count++] = waiter;
	return true;
}

static inline void wait_wake_own(struct mete_waiter *own)
{
	wait_wake(own);
}

static inline void wait_take_own(struct mete_waiter *own,
				 struct wait_woken *woken)
{
	wait_take(own, woken);
}

static inline void wait_release(struct wait_woken *woken)
{
	for (unsigned i = 0; i < woken->count; i++) {
		struct mete_waiter *waiter = woken->threads[i];
		unsigned sleeper = waiter->sleeper;

		a32_store_release(&waiter->word, THREAD_WOKEN);
		model_ring(sleeper);
	}
}

#endif

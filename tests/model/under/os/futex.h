/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sleeping on a word, for the models: as the kernel does it, the comparison
 * and the sleep are one step, and whoever is never woken is a deadlock that
 * the checker reports.  A sleep with a deadline lets the others go on, and then
 * is over: the clock is what it has been slept to.
 */
#ifndef OS_FUTEX_H
#define OS_FUTEX_H

#include "model/atomic.h"

inline uint64_t model_clock;

static inline int os_futex_wait(rl::atomic<uint32_t> *word, uint32_t expected,
				uint64_t deadline_ns)
{
	rl::ctx().sched();
	if (word->debug_value() != expected) {
		/* The caller will see no older value than the kernel has. */
		word->fetch_add(0, rl::mo_relaxed, MODEL_HERE);
		return -EAGAIN;
	}
	if (deadline_ns != UINT64_MAX) {
		rl::yield(1, MODEL_HERE);
		if (deadline_ns > model_clock)
			model_clock = deadline_ns;
		return -ETIMEDOUT;
	}
	word->wait(rl::ctx(), false, false, MODEL_HERE);
	return 0;
}

static inline void os_timer_slack_min(void)
{
}

static inline int os_futex_wake(rl::atomic<uint32_t> *word, unsigned count)
{
	rl::ctx().sched();
	return word->wake(rl::ctx(), (rl::thread_id_t)count, MODEL_HERE);
}

#endif

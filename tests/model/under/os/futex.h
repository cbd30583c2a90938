/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sleeping on a word, for the models: as the kernel does it, the comparison
 * and the sleep are one step, and whoever is never woken is a deadlock that
 * the checker reports.
 */
#ifndef OS_FUTEX_H
#define OS_FUTEX_H

#include "model/atomic.h"

static inline int os_futex_wait(rl::atomic<uint32_t> *word, uint32_t expected,
				uint64_t)
{
	rl::ctx().sched();
	if (word->debug_value() != expected)
		return -EAGAIN;
	word->wait(rl::ctx(), false, false, MODEL_HERE);
	return 0;
}

static inline int os_futex_wake(rl::atomic<uint32_t> *word, unsigned count)
{
	rl::ctx().sched();
	return word->wake(rl::ctx(), (rl::thread_id_t)count, MODEL_HERE);
}

#endif

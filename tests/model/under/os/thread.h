/* SPDX-License-Identifier: Apache-2.0 */
/* Threads, as far as models name them. */
#ifndef OS_THREAD_H
#define OS_THREAD_H

#include "model/atomic.h"

struct os_thread {
	int unused;
};

struct os_signals {
	int unused;
};

struct os_thread_attr {
	const char *name;
	bool block_signals;
};

static inline uintptr_t os_thread_mark(void)
{
	return rl::thread_index();
}

static inline void os_thread_yield(void)
{
	rl::yield(1, MODEL_HERE);
}

/* The threads are the model's own. */
static inline int os_thread_create(struct os_thread *,
				   const struct os_thread_attr *,
				   void (*)(void *), void *)
{
	return 0;
}

static inline int os_thread_join(struct os_thread *)
{
	return 0;
}

static inline uint64_t os_thread_cpu_ns(void)
{
	return 0;
}

static inline int os_thread_clock_ns(const struct os_thread *, uint64_t *)
{
	return 0;
}

#endif

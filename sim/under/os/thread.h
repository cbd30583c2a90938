/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads of the machine, under the contract of src/os/thread.h.  Each has a
 * virtual CPU of its own, so binding changes nothing.
 */
#ifndef OS_THREAD_H
#define OS_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct sim_thread;

struct os_thread {
	struct sim_thread *thread;
};

struct os_signals {
	int none;
};

struct os_thread_attr {
	const char *name;
	bool block_signals;
	const struct os_signals *signals;
	size_t stack_bytes;
};

int os_thread_create(struct os_thread *ret, const struct os_thread_attr *attr,
		     void (*run)(void *arg), void *arg);
static inline void os_signals_get(struct os_signals *ret)
{
	ret->none = 0;
}

int os_thread_join(struct os_thread *thread);

pid_t os_thread_self_tid(void);
uintptr_t os_thread_mark(void);

int os_thread_clock_ns(const struct os_thread *thread, uint64_t *ret_ns);
uint64_t os_thread_cpu_ns(void);

int os_thread_bind(int os_cpu);
int os_thread_unbind(void);
void os_thread_yield(void);

#endif

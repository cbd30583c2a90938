/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernel threads: the carriers, and the tick's.
 */
#ifndef OS_THREAD_H
#define OS_THREAD_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

struct os_thread {
	pthread_t handle;
	clockid_t clock; /* of its CPU time */
};

/* The signals that a thread blocks. */
struct os_signals {
	sigset_t blocked;
};

struct os_thread_attr {
	/* Name in the kernel's lists, cut at 15 bytes; NULL inherits. */
	const char *name;
	/* False: the creator's mask is inherited (carriers run users' code, so
	 * signals are to reach them).  True: all blocked but those that a
	 * fault raises. */
	bool block_signals;
	/* Its mask, if not NULL, instead of either. */
	const struct os_signals *signals;
	/* 0: the system's default. */
	size_t stack_bytes;
};

/* attr NULL: all defaults.  -EAGAIN, -ENOMEM, -EINVAL. */
int os_thread_create(struct os_thread *ret, const struct os_thread_attr *attr,
		     void (*run)(void *arg), void *arg);

/* What the calling thread blocks. */
void os_signals_get(struct os_signals *ret);

/* Waits for its end; once for each thread that was created. */
int os_thread_join(struct os_thread *thread);

/* The calling thread, whoever created it; not to be joined through this. */
void os_thread_self(struct os_thread *ret);
pid_t os_thread_self_tid(void);
/* A number that no other living thread has; no system call. */
uintptr_t os_thread_mark(void);

/* CPU time of a thread that lives, the caller's own included; -ESRCH. */
int os_thread_clock_ns(const struct os_thread *thread, uint64_t *ret_ns);
uint64_t os_thread_cpu_ns(void);

/*
 * Binds the calling thread to one CPU of the system; the first bind remembers
 * the affinity that it had, os_thread_unbind() restores it (nothing to do
 * where it was not bound).  -EINVAL where the CPU is not allowed.
 */
int os_thread_bind(int os_cpu);
int os_thread_unbind(void);

void os_thread_yield(void);

/*
 * A value per thread whose `destroy` is called when a thread ends with one
 * that is not NULL, also in threads that others created.
 */
struct os_exit_key {
	pthread_key_t key;
};

int os_exit_key_init(struct os_exit_key *ret, void (*destroy)(void *value));
void os_exit_key_fini(struct os_exit_key *key);
int os_exit_key_set(struct os_exit_key *key, void *value);
void *os_exit_key_get(const struct os_exit_key *key);

#endif

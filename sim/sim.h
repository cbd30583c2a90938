/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The many-CPU machine: the same src/ on virtual CPUs, in one thread, in
 * virtual time, on an order of steps that a seed decides.
 *
 * sim_begin() makes the caller the first virtual thread of a machine; what it
 * calls of Mete from then on (under the names that sim/names gives) runs there,
 * and so do the carriers and the tick.  The same options, seed and calls give
 * the same books to the nanosecond and the same trace.
 *
 * A virtual thread has a virtual CPU of its own.  Each step, which is every
 * typed atomic and every call of os/, costs its thread some time; the thread
 * that is furthest behind in time always goes next.  So CPUs run side by side
 * in virtual time, all that happens is ordered by it, and what the seed draws
 * are the costs: see explore.h.
 *
 * One machine at a time in a process, and all calls from the thread that began
 * it.
 */
#ifndef SIM_SIM_H
#define SIM_SIM_H

#include <stdint.h>
#include <stdio.h>

#define SIM_API __attribute__((visibility("default")))

/* The most CPUs of a machine. */
#define SIM_CPUS_MAX 1024

/* Its descriptors are 0 … SIM_FDS_MAX - 1, and always open. */
#define SIM_FDS_MAX 128

enum sim_mode {
	/* Each thread is as likely as any other to make the next step. */
	SIM_WALK,
	/* Threads differ in speed by orders of magnitude, change it now and
	 * then, and stall: few preemptions, but long ones at odd places. */
	SIM_PRIORITY,
};

struct sim_options {
	unsigned cpus; /* what the process may use, 1 … SIM_CPUS_MAX */
	enum sim_mode mode;
	uint64_t seed;
	uint64_t grain_ns; /* how far a thread may run ahead of the others */
	uint64_t stall_ns; /* longest stall, SIM_PRIORITY */
	uint64_t limit_ns; /* a machine that runs so long hangs; 0: never */
	int spurious;      /* sleeps end without a reason now and then */
	/* Called at every change of the running thread, on the stack of the
	 * one that leaves, and while one computes; its atomics are no steps.
	 * May be NULL. */
	void (*check)(void);
	/* Adds to the report of a failure.  May be NULL. */
	void (*locate)(FILE *out);
};

struct sim_figures {
	uint64_t now_ns;
	uint64_t steps;
	uint64_t turns; /* changes of the running thread */
	uint64_t trace; /* a hash over all of them */
};

/* 0, -EINVAL, -EBUSY when there is a machine, -ENOMEM. */
SIM_API int sim_begin(const struct sim_options *options);

/* Ends the machine, from its first thread.  -EBUSY: other threads live. */
SIM_API int sim_end(void);

SIM_API void sim_look(struct sim_figures *ret_figures);

/* The running thread's time; runs on from machine to machine.  No step. */
SIM_API uint64_t sim_now_ns(void);

/* The running thread computes for so long; others go on meanwhile. */
SIM_API void sim_spend(uint64_t ns);

/* What a descriptor is ready for from now on (enum mete_fd_event); it stays so from
 * machine to machine. */
SIM_API void sim_fd_set(int fd, unsigned events);

/* Since when some descriptor is ready that Mete waits for, in its time; 0: none. */
SIM_API uint64_t sim_fd_ready_ns(void);

/* Reports what broke, with seed, step and where each thread stands; aborts. */
SIM_API void sim_fail(const char *format, ...)
	__attribute__((noreturn, cold, format(printf, 1, 2)));

/* A virtual thread of the user's own: a thread that is foreign to Mete. */
struct sim_thread;
SIM_API int sim_thread_create(struct sim_thread **ret_thread, const char *name,
			      void (*run)(void *arg), void *arg);
SIM_API void sim_thread_join(struct sim_thread *thread);

#endif

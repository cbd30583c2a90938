/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's own figures of the calling thread and of the process.
 *
 * A figure that this kernel does not give is LAB_UNKNOWN.
 */
#ifndef LAB_KERNEL_H
#define LAB_KERNEL_H

#include <stdint.h>

#include "lab/program.h"

struct lab_kernel_figures {
	uint64_t cpu_ns;   /* the thread's CPU clock */
	uint64_t delay_ns; /* runnable but not running: schedstat */
	uint64_t switches; /* voluntary and involuntary */
	uint64_t wakeups;  /* where the kernel keeps statistics */
	uint64_t migrations;
};

/* The calling thread's; the clock is read first. */
void lab_kernel_self(struct lab_kernel_figures *ret_figures);

/* Another thread's of this process: its clock, delay and switches. */
void lab_kernel_thread(int tid, struct lab_kernel_figures *ret_figures);

/* The process's CPU clock. */
uint64_t lab_kernel_process_ns(void);

/* Policy, priority and nice value for the calling thread.  0 or -errno. */
int lab_kernel_sched(const struct lab_sched *sched);

/* Does thread `tid` of this process sleep? */
int lab_kernel_asleep(int tid);

#endif

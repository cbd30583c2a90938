/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Carriers: the kernel threads that drive CPUs, and those that wait to.
 *
 * A carrier drives one CPU or rests.  There is one for each CPU from the start;
 * more are made when tasks block in system calls (region.h) and stay, asleep,
 * until the end.  A carrier that rests is called by whoever takes it out of the
 * list of spare ones.
 */
#ifndef SCHED_CARRIER_H
#define SCHED_CARRIER_H

#include "conc/atomic.h"
#include "os/fault.h"
#include "os/steal.h"
#include "os/thread.h"
#include "task/fiber.h"

struct cpu;
struct task;

/* Carriers beside those of the CPUs: as many tasks can block at once without
 * keeping a CPU. */
#define CARRIER_SPARE_MOST 256

enum carrier_call {
	CARRIER_NOT_CALLED,
	CARRIER_CALLED, /* to take a CPU over */
	CARRIER_ENDS,
};

struct carrier {
	/* itself */
	struct fiber own; /* its stack */
	int *error_number;
	struct cpu *cpu;   /* in a blocking region: which it had */
	struct task *task; /* in a blocking region: whose */
	uint64_t region;   /* the number of that region */
	unsigned depth;    /* of regions within it */
	/* whoever takes its CPU over, until it says so in `left` */
	struct os_steal steal; /* its own while it drives no CPU */
	uint64_t state;        /* of the task's wait */
	struct a32 left;       /* its CPU was taken over: a futex */
	/* whoever calls it */
	struct a32 call; /* enum carrier_call; a futex */
	struct cpu *offered;
	uint64_t offered_region;
	/* under the carriers' lock */
	struct carrier *next;
	/* itself, read by anyone */
	struct a64 since_ns; /* its CPU clock when it got its CPU */
	/* immutable */
	struct os_thread thread;
	struct os_altstack altstack;
};

/* The calling thread, if it is a carrier. */
extern ARCH_TLS_MODEL __thread struct carrier *carrier_this;
#if defined(ARCH_TLS_READER)
void *arch_tls_read_carrier_this(void);
#endif

static inline struct carrier *carrier_self(void)
{
	return ARCH_TLS_POINTER(carrier_this);
}

/* One for each CPU, each bound to one of `allowed` if so configured. */
int carriers_start(const unsigned *allowed);
/* All of them; the flag that all is to stop is up. */
void carriers_stop(void);
void carriers_free(void);

/* Have a spare carrier take a CPU over, if its region lasts: false when there
 * is none to be had. */
bool carrier_offer(struct cpu *cpu, uint64_t region);

/* By the tick or a reader: CPU time of the carriers that drive and drove it, or
 * -ESRCH; and of all carriers while they drove none. */
int carrier_cpu_ns(const struct cpu *cpu, uint64_t *ret_ns);
uint64_t carriers_ns(void);

#endif

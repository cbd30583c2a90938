/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Swaps that need not be atomic.
 *
 * Where one CPU runs all tasks and no foreign thread has ever used an object,
 * nobody can come between a load and a store of that CPU: it swaps words by
 * plain ones, which is what a wake-up costs least by far.  The CPU is the owner
 * of a gate (conc/gate.h); the first foreign thread is a guest that stays, and
 * so ends that for ever.  Foreign threads wait until they are let in, which is
 * when the owner's swap is done; tasks never wait.
 *
 *	             bias_swap
 * owner        plain, wait-free
 * else         compare-and-swap
 *
 * (Biased locking: Kawachiya, Koseki, Onodera, "Lock Reservation", 2002.)
 */
#ifndef SYNC_BIAS_H
#define SYNC_BIAS_H

#include "conc/gate.h"
#include "sched/cpu.h"

struct bias {
	/* struct cpu, or BIAS_SHARED; read by everybody */
	struct aptr owner cache_aligned;
	struct a32 foreign; /* a foreign thread has come, ever */
	struct gate gate;   /* while there is an owner */
};

extern struct bias bias;

/* One CPU, before it runs a task: it may be the owner. */
void bias_begin(struct cpu *cpu);
/* No task runs any more. */
void bias_end(void);

/* As in a process that has just begun; nobody may be in a call. */
void bias_forget(void);

void bias_foreign_slow(void);

#define BIAS_SHARED ((void *)&bias.owner)

/* Whoever uses an object otherwise than by bias_swap() says so first. */
static always_inline void bias_look(void)
{
	/* relaxed: a foreign thread that was here sees its own mark */
	if (unlikely(!sched_cpu()) &&
	    !(a32_load_relaxed(&bias.foreign) &&
	      /* order: bias.look pairs bias.end: the owner's last swap */
	      aptr_load_acquire(&bias.owner) == BIAS_SHARED))
		bias_foreign_slow();
}

/* True: alone until gate_leave(). */
static always_inline bool bias_enter(const struct cpu *cpu)
{
	/* relaxed: that nobody has come is for the gate to say */
	return aptr_load_relaxed(&bias.owner) == cpu && gate_own(&bias.gate);
}

/* As a64_cas_acq_rel(). */
static always_inline bool bias_swap(struct a64 *word, uint64_t *expected,
				    uint64_t to)
{
	struct cpu *cpu = sched_cpu();
	uint64_t found;

	if (likely(bias_enter(cpu))) {
		found = a64_own(word);
		if (likely(found == *expected))
			a64_own_set(word, to);
		gate_leave(&bias.gate);
		if (likely(found == *expected))
			return true;
		*expected = found;
		return false;
	}
	bias_look();
	/* order: bias.swap pairs units.leave, units.turn, units.set,
	 * units.only, units.pass, units.passed, units.signal, chan.turn,
	 * chan.leave, chan.fini: the waiter's contents; what was done before a
	 * unit was given */
	return a64_cas_acq_rel(word, expected, to);
}

#endif

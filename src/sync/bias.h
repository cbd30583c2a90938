/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Swaps that need not be atomic.
 *
 * Where one CPU runs all tasks and no foreign thread has ever used an object,
 * nobody can come between a load and a store of that CPU: it swaps words by
 * plain ones, which is what a wake-up costs least by far.  The first foreign
 * thread that comes ends that for ever:
 *
 *	the CPU (owner)                  the first foreign thread
 *	inside = 1                       owner = SHARING
 *	is it still me?                  a fence in every running thread
 *	load, compare, store             wait while inside
 *	inside = 0                       owner = SHARED
 *
 * Each side first makes itself visible and then looks at the other; the fence
 * that the owner's half would need is made by the foreign thread in its stead
 * (membarrier(2); where there is none, nothing is biased).  So either the owner
 * sees that it is no longer alone, or the foreign thread sees it inside and waits
 * until its store is done.  Others who come while that goes on wait for SHARED;
 * tasks never wait.
 *
 *	             bias_swap
 * owner        plain, wait-free
 * else         compare-and-swap
 *
 * (Biased locking: Kawachiya, Koseki, Onodera, "Lock Reservation", 2002; the
 * asymmetric fence: Dice, Huang, Yang, "Asymmetric Dekker Synchronization",
 * 2001.)
 */
#ifndef SYNC_BIAS_H
#define SYNC_BIAS_H

#include "sched/cpu.h"

struct bias {
	/* struct cpu, or one of the marks; read by everybody */
	struct aptr owner cache_aligned;
	struct a32 foreign; /* a foreign thread has come, ever */
	/* the owner */
	struct a32 inside cache_aligned;
};

extern struct bias bias;

/* One CPU, before it runs a task: it may be the owner. */
void bias_begin(struct cpu *cpu);
/* No task runs any more. */
void bias_end(void);

/* As in a process that has just begun; nobody may be in a call. */
void bias_forget(void);

void bias_foreign_slow(void);

#define BIAS_SHARED  ((void *)&bias.owner)
#define BIAS_SHARING ((void *)&bias.inside)

/* Whoever uses an object otherwise than by bias_swap() says so first. */
static always_inline void bias_look(void)
{
	/* relaxed: a foreign thread that was here sees its own mark */
	if (unlikely(!sched_cpu()) &&
	    !(a32_load_relaxed(&bias.foreign) &&
	      /* order: bias.look pairs bias.shared:
					 * the owner's last swap */
	      aptr_load_acquire(&bias.owner) == BIAS_SHARED))
		bias_foreign_slow();
}

static always_inline bool bias_enter(const struct cpu *cpu)
{
	/* relaxed: looked at again inside */
	if (aptr_load_relaxed(&bias.owner) != cpu)
		return false;
	a32_own_set(&bias.inside, 1);
	conc_fence_light();
	/* relaxed: see above */
	if (likely(aptr_load_relaxed(&bias.owner) == cpu))
		return true;
	a32_own_set(&bias.inside, 0);
	return false;
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
		a32_own_set(&bias.inside, 0);
		if (likely(found == *expected))
			return true;
		*expected = found;
		return false;
	}
	bias_look();
	/* order: bias.swap pairs units.leave, units.turn, units.set,
	 * units.only, units.pass, units.passed, units.signal, bias.done, chan.turn, chan.leave, chan.fini: the waiter's
	 * contents; what was done before a unit was given */
	return a64_cas_acq_rel(word, expected, to);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Swaps that need not be atomic.
 *
 * Where one CPU runs all tasks, and no foreign thread is about to swap the word
 * of an object, nobody can come between a load and a store of that CPU: it swaps
 * by plain ones, which is what a wake-up costs least by far.  The CPU is the
 * owner of a gate (conc/gate.h), whose guests are foreign threads, for as long
 * as one swap takes.  Once it has found the gate open for a while without a
 * guest the owner shuts it; the next guest pays for that with a heavy fence, so
 * "a while" is longer each time.
 *
 * A runtime of several CPUs has no owner, and its foreign threads are no guests;
 * one that takes them for none may be about to swap at any later time, so there
 * is no owner in that process any more.
 *
 *	                 owner      other tasks   foreign threads
 * bias_swap             plain      swap          swap, as guests
 * a64_guest_cas_...     plain      swap          swap, as guests
 * progress              wait-free  as the swap   wait until let in, which is
 *                                                when the owner's swap is done
 *
 * (Biased locking: Kawachiya, Koseki, Onodera, "Lock Reservation", 2002.)
 */
#ifndef SYNC_BIAS_H
#define SYNC_BIAS_H

#include "conc/gate.h"
#include "sched/cpu.h"

struct bias {
	/* everybody; from start to stop */
	struct aptr owner cache_aligned; /* struct cpu, or BIAS_NOBODY */
	struct a32 never;                /* there will be no owner any more */
	struct gate gate;
	/* the owner */
	uint32_t visits; /* as last seen */
	uint32_t quiet;  /* swaps since then */
	uint32_t patience;
};

extern struct bias bias;

#define BIAS_NOBODY ((void *)&bias.owner)

/* A runtime of one CPU, or of several, begins. */
void bias_begin(struct cpu *cpu);
void bias_never(void);
/* No task runs any more. */
void bias_end(void);

/* As in a process that has just begun; nobody may be in a call. */
void bias_forget(void);

/* Owner: the gate is open.  True: now it is not, and we are inside. */
bool bias_return(void);
/* Foreign thread: true: let in, until gate_depart(). */
bool bias_visit(void);

/* True: alone until gate_leave(). */
static always_inline bool bias_enter(const struct cpu *cpu)
{
	/* relaxed: that nobody has come is for the gate to say */
	return aptr_load_relaxed(&bias.owner) == cpu &&
	       (likely(gate_own(&bias.gate)) || bias_return());
}

static always_inline bool bias_plain(struct a64 *word, uint64_t *expected,
				     uint64_t to)
{
	uint64_t found = a64_own(word);

	if (likely(found == *expected))
		a64_own_set(word, to);
	gate_leave(&bias.gate);
	if (likely(found == *expected))
		return true;
	*expected = found;
	return false;
}

/* As a64_cas_ORDER(), for words that an owner swaps. */
#define BIAS_SWAPS(order)                                            \
 static always_inline bool a64_guest_cas_##order(struct a64 *word,   \
						 uint64_t *expected, \
						 uint64_t to)        \
 {                                                                   \
  struct cpu *cpu = sched_cpu();                                     \
  bool guest = false;                                                \
  bool done;                                                         \
                                                                     \
  if (bias_enter(cpu))                                               \
   return bias_plain(word, expected, to);                            \
  if (unlikely(!cpu))                                                \
   guest = bias_visit();                                             \
  done = a64_cas_##order(word, expected, to);                        \
  if (unlikely(guest))                                               \
   gate_depart(&bias.gate);                                          \
  return done;                                                       \
 }

BIAS_SWAPS(relaxed)
BIAS_SWAPS(acquire)
BIAS_SWAPS(release)
BIAS_SWAPS(acq_rel)

/* A swap of a fast path. */
static always_inline bool bias_swap(struct a64 *word, uint64_t *expected,
				    uint64_t to)
{
	/* order: bias.swap pairs units.leave, units.turn, units.set,
	 * units.only, units.pass, units.passed, units.signal, chan.turn,
	 * chan.leave, chan.fini: the waiter's contents; what was done before a
	 * unit was given */
	return a64_guest_cas_acq_rel(word, expected, to);
}

#endif

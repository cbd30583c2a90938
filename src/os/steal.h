/* SPDX-License-Identifier: Apache-2.0 */
/*
 * True CPU time: what the operating system took from a carrier.
 *
 * Flagged (OS_STEAL_FLAG): the thread's restartable-sequence area points to a
 * descriptor of ours that never applies; the kernel clears the pointer when
 * the thread was preempted, migrated or signalled.  So one load tells whether
 * an interval was disturbed:
 *
 *	now = os_ticks();
 *	if (os_steal_disturbed(s)) {		(stamp first, then look)
 *		os_steal_rearm(s);
 *		now = os_ticks();
 *		stolen = os_steal_collect(s, now - start, &now);
 *	}
 *
 * Asking (OS_STEAL_ASK): no area, a kernel that does not clear it, or another
 * library's pointer in it, which is never overwritten.  Then somebody (the
 * tick's safe point, the code around own system calls) calls os_steal_ask(),
 * and the next os_steal_disturbed() says so; what was found is paid out over
 * the following intervals, each up to its length, so that totals are right
 * though the interval robbed is not known.  The call may be made in either
 * mode; where os_steal_calls_flagged() is false it is wanted around system
 * calls that may block or lose the CPU.
 *
 * Off-CPU time is wall less the thread's CPU clock since the anchor.  Where
 * the thread slept meanwhile in a system call of a task, only its run delay
 * (the kernel's schedstat) counts as stolen; without schedstat nothing does.
 *
 * A struct os_steal belongs to one thread; all calls are that thread's but the
 * probe and those that say so.
 */
#ifndef OS_STEAL_H
#define OS_STEAL_H

#include <stdbool.h>
#include <stdint.h>

#include "os/clock.h"
#include "os/thread.h"

enum os_steal_mode {
	OS_STEAL_ASK,
	OS_STEAL_FLAG
};

struct os_steal {
	/* The pointer's low word in the area, or `word` when asking. */
	volatile uintptr_t *slot;
	uintptr_t armed; /* what stands there while undisturbed */
	volatile uintptr_t word;
	bool asked; /* the next collection asks the kernel */
	enum os_steal_mode mode;
	int schedstat; /* descriptor, -1 without */

	const struct os_timebase *base;
	uint64_t ticks;     /* the anchor: a stamp, */
	uint64_t cpu_ns;    /* the thread's CPU clock, */
	uint64_t delay_ns;  /* its run delay, */
	uint64_t voluntary; /* its voluntary switches, at one instant */
	int64_t carry;      /* ticks found but not yet given out */
	uint64_t bracket;   /* ticks an undisturbed reading takes at least */
};

/*
 * Finds out how this kernel flags; once, at start, before any init, from a
 * thread that may be bound and delayed for some ms.  Gives the mode.
 */
enum os_steal_mode os_steal_probe(void);

/* A switch within a system call is flagged too (kernels before 6.19). */
bool os_steal_calls_flagged(void);

/* On the carrier itself; arms and anchors.  Never fails: at worst it asks. */
void os_steal_init(struct os_steal *steal, const struct os_timebase *base);
void os_steal_fini(struct os_steal *steal);

/* The interval that ends with the stamp just taken may have been robbed. */
static inline bool os_steal_disturbed(const struct os_steal *steal)
{
	return __builtin_expect(*steal->slot != steal->armed, 0);
}

/* It stands elsewhere from now on.  By anyone, while its thread stays away. */
void os_steal_move(struct os_steal *to, const struct os_steal *from);

/* Arms anew; goes over to asking where the pointer is another library's. */
void os_steal_rearm(struct os_steal *steal);

/* The next os_steal_disturbed() is true. */
static inline void os_steal_ask(struct os_steal *steal)
{
	/* Another library's pointer stays, and is a disturbance by itself. */
	if (*steal->slot == steal->armed)
		*steal->slot = 0;
	steal->asked = true;
}

/*
 * Baseline anew, after a park or another sleep of the carrier's own: what went
 * before is nobody's.  Arms too.  The stamp is that of the baseline.
 */
void os_steal_anchor(struct os_steal *steal, uint64_t *ret_stamp);

/*
 * Ticks stolen since the anchor or the last collection, at most limit_ticks
 * (the length of the interval up to this call) plus the time of the call
 * itself.  The stamp is taken at the end of the call: the interval ends there.
 */
uint64_t os_steal_collect(struct os_steal *steal, uint64_t limit_ticks,
			  uint64_t *ret_stamp);

/*
 * As os_steal_collect(), by another thread, for `thread`, which is taken to sleep
 * in a system call and comes back to an anchor: only its run delay counts; what
 * is left of its time off the CPU it slept, in ticks, too.  The stamp is taken at
 * the beginning.
 */
uint64_t os_steal_collect_from(struct os_steal *steal,
			       const struct os_thread *thread,
			       uint64_t limit_ticks, uint64_t *ret_stamp,
			       uint64_t *ret_slept);

#endif

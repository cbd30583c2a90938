/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ranks of the locks that a thread holds, in builds with checks.
 *
 * Locks are not held over a switch, so what a thread holds is what the task on
 * it holds.  The functions stand in a file of their own: nobody can keep the
 * address of the thread's mask over a switch.
 */
#include "conc/lock.h"

#include "base/base.h"

#ifdef METE_CHECKS

static __thread uint32_t held;

void lock_rank_enter(enum lock_rank rank)
{
	BUG_ON(held >> rank); /* one of this rank or a higher is held */
	held |= UINT32_C(1) << rank;
}

void lock_rank_leave(enum lock_rank rank)
{
	BUG_ON(!(held >> rank & 1)); /* it was never taken */
	held &= ~(UINT32_C(1) << rank);
}

#else

/* ISO C forbids an empty translation unit. */
extern int lock_ranks_unused;

#endif

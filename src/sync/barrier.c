/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Barrier: as many as it takes meet, and the youngest is told; one whose time is
 * over withdraws, unless the others have gone on with it.
 */
#include <errno.h>

#include "sync/units.h"

void mete_barrier_init(struct mete_barrier *barrier, unsigned parties)
{
	*barrier =
		(struct mete_barrier)METE_BARRIER_INIT(parties ? parties : 1);
}

int mete_barrier_wait(struct mete_barrier *barrier, uint64_t deadline_ns)
{
	struct units *units = units_of(&barrier->units);
	struct mete_waiter waiter;

	wait_prepare(&waiter, WAIT_BARRIER, units, deadline_ns);
	waiter.want = barrier->parties ? barrier->parties : 1;
	units_arrive(units, &rule_barrier, &waiter);
	if (wait_sleep(&waiter, deadline_ns))
		units_withdraw(units, &rule_barrier, &waiter);
	if (waiter.met == NOT_MET)
		return -ETIMEDOUT;
	return waiter.met == MET_LAST;
}

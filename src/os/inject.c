/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The injector's counters, without a lock: signal handlers count, too.  This room
 * lies below conc/.
 */
#include "os/inject.h"

#ifdef METE_FAULTS

static uint64_t counts[OS_CALLS];
/* k << 8 | call << 1 | for ever; 0: nothing is armed. */
static uint64_t armed;

static bool hits(enum os_call call)
{
	uint64_t n = __sync_add_and_fetch(&counts[call], 1);
	uint64_t now = __sync_fetch_and_add(&armed, 0);
	uint64_t k = now >> 8;

	if (!k || (now >> 1 & 0x7f) != call)
		return false;
	return n == k || (now & 1 && n > k);
}

bool os_fault(enum os_call call)
{
	bool any = hits(OS_CALL_ANY);
	bool this = hits(call);

	return any || this;
}

void os_fault_arm(enum os_call call, uint64_t k, bool for_ever)
{
	__sync_fetch_and_and(&armed, 0);
	for (unsigned i = 0; i < OS_CALLS; i++)
		__sync_fetch_and_and(&counts[i], 0);
	__sync_fetch_and_or(&armed, k << 8 | (uint64_t)call << 1 | for_ever);
}

uint64_t os_fault_count(enum os_call call)
{
	return __sync_fetch_and_add(&counts[call], 0);
}

#else

/* ISO C wants a translation unit to hold something. */
extern int os_inject_is_absent;

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The injector's counters.  GCC's own atomics: this room lies below conc/, and
 * nothing but the counts themselves is passed on through them.
 */
#include "os/inject.h"

#ifdef METE_FAULTS

static uint64_t counts[OS_CALLS];
static enum os_call armed_call;
static uint64_t armed_k;
static bool armed_for_ever;

static bool hits(enum os_call call)
{
	uint64_t n = __sync_add_and_fetch(&counts[call], 1);

	if (!armed_k || call != armed_call)
		return false;
	return n == armed_k || (armed_for_ever && n > armed_k);
}

bool os_fault(enum os_call call)
{
	bool any = hits(OS_CALL_ANY);

	return hits(call) || any;
}

void os_fault_arm(enum os_call call, uint64_t k, bool for_ever)
{
	for (unsigned i = 0; i < OS_CALLS; i++)
		counts[i] = 0;
	armed_call = call;
	armed_for_ever = for_ever;
	armed_k = k;
}

uint64_t os_fault_count(enum os_call call)
{
	return __sync_fetch_and_add(&counts[call], 0);
}

#else

/* ISO C wants a translation unit to hold something. */
extern int os_inject_is_absent;

#endif

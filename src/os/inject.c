/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The injector's counters, under a lock: this room lies below conc/.
 */
#include "os/inject.h"

#ifdef METE_FAULTS

# include <pthread.h>
# include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t counts[OS_CALLS];
static enum os_call armed_call;
static uint64_t armed_k;
static bool armed_for_ever;

static bool hits(enum os_call call)
{
	uint64_t n = ++counts[call];

	if (!armed_k || call != armed_call)
		return false;
	return n == armed_k || (armed_for_ever && n > armed_k);
}

bool os_fault(enum os_call call)
{
	bool any;
	bool this;

	pthread_mutex_lock(&lock);
	any = hits(OS_CALL_ANY);
	this = hits(call);
	pthread_mutex_unlock(&lock);
	return any || this;
}

void os_fault_arm(enum os_call call, uint64_t k, bool for_ever)
{
	pthread_mutex_lock(&lock);
	memset(counts, 0, sizeof(counts));
	armed_call = call;
	armed_for_ever = for_ever;
	armed_k = k;
	pthread_mutex_unlock(&lock);
}

uint64_t os_fault_count(enum os_call call)
{
	uint64_t n;

	pthread_mutex_lock(&lock);
	n = counts[call];
	pthread_mutex_unlock(&lock);
	return n;
}

#else

/* ISO C wants a translation unit to hold something. */
extern int os_inject_is_absent;

#endif

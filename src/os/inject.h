/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fault injector's seam: every allocation, map and fallible system call of
 * this room asks os_fault() first and fails cleanly where it says so.  It is
 * compiled in with -DMETE_FAULTS only; else it is the constant false.
 *
 * A sweep arms the k-th call (OS_CALL_ANY counts all kinds together), runs,
 * checks, and goes on with k + 1 until os_fault_count() stays below k.
 * Thread-safe and signal-safe; one fault is armed at a time.
 */
#ifndef OS_INJECT_H
#define OS_INJECT_H

#include <stdbool.h>
#include <stdint.h>

enum os_call {
	OS_CALL_ANY,
	OS_CALL_ALLOC,    /* os_alloc, os_alloc_aligned */
	OS_CALL_MAP,      /* os_map, stacks, alternate stacks */
	OS_CALL_GUARD,    /* light-weight guard pages */
	OS_CALL_PROTECT,  /* guard pages that cost a map */
	OS_CALL_THREAD,   /* thread creation, exit keys */
	OS_CALL_AFFINITY, /* reading and setting affinity masks */
	OS_CALL_FILE,     /* opening and reading files */
	OS_CALL_WRITE,    /* writing to descriptors */
	OS_CALL_SIGNAL,   /* handlers and alternate stacks */
	OS_CALL_EPOLL,    /* waiting for descriptors, and preparing for it */
	OS_CALL_RSEQ,     /* finding the restartable sequence's area */
	OS_CALL_FENCE,    /* fences in other threads */
	OS_CALLS
};

#ifdef METE_FAULTS
/* True where this call shall fail; counts it. */
bool os_fault(enum os_call call);

/* Lets the k-th call (from 1) of that kind from now on fail, and with
 * for_ever all later ones too; 0 disarms.  Counts begin anew. */
void os_fault_arm(enum os_call call, uint64_t k, bool for_ever);

/* Calls of that kind since os_fault_arm(). */
uint64_t os_fault_count(enum os_call call);
#else
static inline bool os_fault(enum os_call call)
{
	(void)call;
	return false;
}
#endif

#endif

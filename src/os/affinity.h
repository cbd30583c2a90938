/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Affinity masks of any length: the C library's type ends at 1,024 CPUs.
 */
#ifndef OS_AFFINITY_H
#define OS_AFFINITY_H

#include <sched.h>
#include <stddef.h>

struct os_affinity {
	cpu_set_t *mask;
	size_t bytes;
};

/* The calling thread's mask, to be given back. */
int os_affinity_get(struct os_affinity *ret);

/* A mask of that CPU alone, to be given back. */
int os_affinity_one(int os_cpu, struct os_affinity *ret);

void os_affinity_fini(struct os_affinity *affinity);

/* Sets the calling thread's. */
int os_affinity_set(const struct os_affinity *affinity);

#endif

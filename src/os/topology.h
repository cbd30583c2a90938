/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which CPUs the process may use, and how much of them.
 */
#ifndef OS_TOPOLOGY_H
#define OS_TOPOLOGY_H

#include <limits.h>

/* Numbers of the system's CPUs, ascending. */
struct os_cpulist {
	unsigned count;
	unsigned *cpus;
};

/* The calling thread's affinity, at least one CPU, however many the system
 * has.  The list is to be given back. */
int os_cpus_allowed(struct os_cpulist *ret);
void os_cpulist_fini(struct os_cpulist *list);

/*
 * The container's CPU limit, rounded up to CPUs, UINT_MAX without one: the
 * minimum over the process's control group and all its ancestors, of both
 * versions.  root is put before every path: "" for the real tree.
 * A tree that cannot be read limits nothing; -ENOMEM.
 */
int os_cpu_limit(const char *root, unsigned *ret_cpus_ceil);

#endif

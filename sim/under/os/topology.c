/* SPDX-License-Identifier: Apache-2.0 */
/* The machine's CPUs: as many as asked for, from 0 on. */
#include "os/topology.h"

#include <errno.h>

#include "os/mem.h"
#include "sim/thread.h"

int os_cpus_allowed(struct os_cpulist *ret)
{
	unsigned count = sim_machine.options.cpus;
	unsigned *cpus = os_alloc(count * sizeof(*cpus));

	if (!cpus)
		return -ENOMEM;
	for (unsigned i = 0; i < count; i++)
		cpus[i] = i;
	*ret = (struct os_cpulist){count, cpus};
	return 0;
}

void os_cpulist_fini(struct os_cpulist *list)
{
	os_free(list->cpus);
	*list = (struct os_cpulist){0, NULL};
}

int os_cpu_limit(const char *root, unsigned *ret_cpus_ceil)
{
	(void)root;
	*ret_cpus_ceil = UINT_MAX;
	return 0;
}

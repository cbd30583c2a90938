/* SPDX-License-Identifier: Apache-2.0 */
/* The public face of blocking regions. */
#include <errno.h>

#include <mete/io.h>

#include "sched/region.h"
#include "sched/wait.h"

int mete_blocking_begin(void)
{
	struct cpu *cpu = sched_cpu();

	if (cpu)
		region_begin(cpu);
	else if (region_task())
		carrier_self()->depth++;
	return 0;
}

int mete_blocking_end(void)
{
	if (sched_cpu())
		return -EPERM;
	if (!region_task())
		return 0;
	region_end(carrier_self());
	wait_cancel_point();
	return 0;
}

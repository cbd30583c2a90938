/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel refuses (-EINVAL) a mask shorter than its own, whose length
 * nothing tells: try longer ones.
 */
#include "os/affinity.h"

#include <errno.h>

#include "os/inject.h"
#include "os/mem.h"

#define CPUS_FIRST 1024
/* No kernel is built for more than 8,192 at present. */
#define CPUS_MAX (1 << 20)

static int allocate(size_t cpus, struct os_affinity *ret)
{
	ret->bytes = CPU_ALLOC_SIZE(cpus);
	ret->mask = os_alloc(ret->bytes);
	return ret->mask ? 0 : -ENOMEM;
}

int os_affinity_get(struct os_affinity *ret)
{
	struct os_affinity got;
	int err;

	if (os_fault(OS_CALL_AFFINITY))
		return -EPERM;
	for (size_t cpus = CPUS_FIRST; cpus <= CPUS_MAX; cpus *= 2) {
		err = allocate(cpus, &got);
		if (err)
			return err;
		if (!sched_getaffinity(0, got.bytes, got.mask)) {
			*ret = got;
			return 0;
		}
		err = -errno;
		os_affinity_fini(&got);
		if (err != -EINVAL)
			return err;
	}
	return -EINVAL;
}

int os_affinity_one(int os_cpu, struct os_affinity *ret)
{
	struct os_affinity one;
	int err;

	if (os_cpu < 0 || os_cpu >= CPUS_MAX)
		return -EINVAL;
	err = allocate((size_t)os_cpu + 1, &one);
	if (err)
		return err;
	CPU_SET_S((size_t)os_cpu, one.bytes, one.mask);
	*ret = one;
	return 0;
}

void os_affinity_fini(struct os_affinity *affinity)
{
	os_free(affinity->mask);
	affinity->mask = NULL;
}

int os_affinity_set(const struct os_affinity *affinity)
{
	if (os_fault(OS_CALL_AFFINITY))
		return -EPERM;
	return sched_setaffinity(0, affinity->bytes, affinity->mask) ? -errno
								     : 0;
}

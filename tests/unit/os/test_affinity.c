/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Masks of any length.
 */
#include <errno.h>
#include <sched.h>
#include <sys/syscall.h>

#include "harness/refuse.h"
#include "harness/test.h"
#include "os/affinity.h"
#include "os/inject.h"

TEST(the_mask_is_the_kernels)
{
	struct os_affinity affinity;
	cpu_set_t set;

	CHECK_EQ(sched_getaffinity(0, sizeof(set), &set), 0);
	CHECK_EQ(os_affinity_get(&affinity), 0);
	CHECK_EQ(CPU_COUNT_S(affinity.bytes, affinity.mask), CPU_COUNT(&set));
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		CHECK_EQ(CPU_ISSET_S(cpu, affinity.bytes, affinity.mask),
			 CPU_ISSET(cpu, &set));
	os_affinity_fini(&affinity);
	CHECK(!affinity.mask);
}

TEST(one_cpu_beyond_the_usual_length)
{
	struct os_affinity one;

	CHECK_EQ(os_affinity_one(5000, &one), 0);
	CHECK_EQ(CPU_COUNT_S(one.bytes, one.mask), 1);
	CHECK(CPU_ISSET_S(5000, one.bytes, one.mask));
	/* No such CPU here. */
	CHECK_EQ(os_affinity_set(&one), -EINVAL);
	os_affinity_fini(&one);
	CHECK_EQ(os_affinity_one(-1, &one), -EINVAL);
	CHECK_EQ(os_affinity_one(1 << 20, &one), -EINVAL);
}

TEST(what_is_set_is_got)
{
	struct os_affinity one;
	struct os_affinity got;
	int cpu = sched_getcpu();

	CHECK_EQ(os_affinity_one(cpu, &one), 0);
	CHECK_EQ(os_affinity_set(&one), 0);
	CHECK_EQ(os_affinity_get(&got), 0);
	CHECK_EQ(CPU_COUNT_S(got.bytes, got.mask), 1);
	CHECK(CPU_ISSET_S((size_t)cpu, got.bytes, got.mask));
	os_affinity_fini(&one);
	os_affinity_fini(&got);
}

TEST(masks_that_are_never_long_enough)
{
	struct os_affinity affinity = {0};

	test_refuse(SYS_sched_getaffinity, EINVAL);
	CHECK_EQ(os_affinity_get(&affinity), -EINVAL);
	CHECK(!affinity.mask);
}

TEST(another_refusal_is_told_at_once)
{
	struct os_affinity affinity = {0};
	struct os_affinity one;

	CHECK_EQ(os_affinity_one(0, &one), 0);
	test_refuse(SYS_sched_getaffinity, EPERM);
	test_refuse(SYS_sched_setaffinity, ESRCH);
	CHECK_EQ(os_affinity_get(&affinity), -EPERM);
	CHECK(!affinity.mask);
	CHECK_EQ(os_affinity_set(&one), -ESRCH);
	os_affinity_fini(&one);
}

#ifdef METE_FAULTS
TEST(refusals_are_told)
{
	struct os_affinity affinity = {0};

	os_fault_arm(OS_CALL_ALLOC, 1, true);
	CHECK_EQ(os_affinity_get(&affinity), -ENOMEM);
	CHECK_EQ(os_affinity_one(0, &affinity), -ENOMEM);
	os_fault_arm(OS_CALL_AFFINITY, 1, true);
	CHECK_EQ(os_affinity_get(&affinity), -EPERM);
	CHECK_EQ(os_affinity_set(&affinity), -EPERM);
	CHECK(!affinity.mask);
}
#endif

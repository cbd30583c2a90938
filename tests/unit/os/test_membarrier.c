/* SPDX-License-Identifier: Apache-2.0 */
/* The fence: registered first, then given; and refused where it is not there. */
#include <errno.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "harness/refuse.h"
#include "harness/test.h"
#include "os/clock.h"
#include "os/inject.h"
#include "os/membarrier.h"

TEST(register_then_fence)
{
	/* It may be given only after that. */
	CHECK_EQ(syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0,
			 0),
		 -1);
	CHECK_EQ(os_membarrier_register(), 0);
	CHECK_EQ(os_membarrier_register(), 0);
	CHECK_EQ(syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0,
			 0),
		 0);
	os_membarrier();
}

/* Then time makes up for it. */
TEST(where_there_is_no_fence)
{
	uint64_t begin;

	CHECK_EQ(os_membarrier_register(), 0);
	begin = os_monotonic_ns();
	os_membarrier();
	CHECK_LT(os_monotonic_ns() - begin, 10000000);
	test_refuse(SYS_membarrier, ENOSYS);
	CHECK_EQ(os_membarrier_register(), -ENOSYS);
	begin = os_monotonic_ns();
	os_membarrier();
	CHECK_GE(os_monotonic_ns() - begin, 10000000);
}

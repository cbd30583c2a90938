/* SPDX-License-Identifier: Apache-2.0 */
/* The fence: registered first, then given; and refused where it is not there. */
#include <errno.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "harness/test.h"
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

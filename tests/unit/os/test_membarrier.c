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
	/* Which also tells that it is the private expedited one. */
	CHECK_EQ(os_membarrier(), -EPERM);
	CHECK_EQ(os_membarrier_register(), 0);
	CHECK_EQ(os_membarrier_register(), 0);
	CHECK_EQ(os_membarrier(), 0);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The expedited, private kind: it interrupts those that run, and no others. */
#include "os/membarrier.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/inject.h"

static int call(int command)
{
	if (os_fault(OS_CALL_FENCE))
		return -ENOSYS;
	return syscall(SYS_membarrier, command, 0, 0) ? -errno : 0;
}

int os_membarrier_register(void)
{
	return call(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
}

int os_membarrier(void)
{
	return call(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
}

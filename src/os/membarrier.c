/* SPDX-License-Identifier: Apache-2.0 */
/* The expedited, private kind: it interrupts those that run, and no others. */
#include "os/membarrier.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/clock.h"
#include "os/futex.h"
#include "os/inject.h"

/* In which whatever a CPU has stored is certainly seen by all. */
#define DRAIN_NS 10000000

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

void os_membarrier(void)
{
	uint64_t until = os_monotonic_ns() + DRAIN_NS;

	if (call(MEMBARRIER_CMD_PRIVATE_EXPEDITED))
		os_sleep_until(until);
}

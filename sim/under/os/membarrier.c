/* SPDX-License-Identifier: Apache-2.0 */
/* The machine has no such fence: what can do without does. */
#include "os/membarrier.h"

#include <errno.h>

int os_membarrier_register(void)
{
	return -ENOSYS;
}

int os_membarrier(void)
{
	return -ENOSYS;
}

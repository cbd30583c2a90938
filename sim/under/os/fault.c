/* SPDX-License-Identifier: Apache-2.0 */
/* No reports of stack overflows: the guard pages still end the process. */
#include "os/fault.h"

#include <unistd.h>

#include "os/file.h"

int os_fault_install(bool (*report)(void *addr, int signal))
{
	(void)report;
	return 0;
}

void os_fault_remove(void)
{
}

int os_altstack_install(struct os_altstack *ret)
{
	ret->owned = false;
	return 0;
}

void os_altstack_remove(struct os_altstack *alt)
{
	(void)alt;
}

void os_write_err(const char *text, size_t bytes)
{
	os_file_write(STDERR_FILENO, text, bytes);
}

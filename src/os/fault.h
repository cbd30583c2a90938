/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports of stack overflows: a handler for SIGSEGV and SIGBUS that runs on an
 * alternate stack, since the task's own is used up.
 *
 * The handler asks `report` about the address.  Where it knows the address (it
 * lies in a guard) it writes its message with os_write_err() and returns true:
 * the previous disposition is restored, the instruction faults again, and the
 * process dies of the signal as it would have.  Else the previous handler is
 * called, or its default restored.
 *
 * `report` runs in a signal handler on the alternate stack of the faulting
 * thread: signal-safe functions only.
 */
#ifndef OS_FAULT_H
#define OS_FAULT_H

#include <stdbool.h>
#include <stddef.h>

/* Per thread; owned is false where the thread had an alternate stack. */
struct os_altstack {
	void *base;
	size_t bytes;
	bool owned;
};

/* -EALREADY when installed.  Not thread-safe against itself and remove. */
int os_fault_install(bool (*report)(void *addr, int signal));

/* Restores the previous handlers, unless somebody replaced ours meanwhile. */
void os_fault_remove(void);

/* For the calling thread; a task stack may be in use. */
int os_altstack_install(struct os_altstack *ret);
void os_altstack_remove(struct os_altstack *alt);

/* Writes to standard error; signal-safe; errno is kept. */
void os_write_err(const char *text, size_t bytes);

#endif

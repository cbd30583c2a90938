/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who has overflowed his stack: asked from a signal handler.
 *
 * The task that runs on the faulting thread's CPU is named if the address lies
 * within reach below its stack.
 */
#include <string.h>

#include "sched/sched.h"

/* A frame may leap over the guard proper. */
#define REACH (64 * 1024)

static size_t append(char *text, size_t used, size_t size, const char *more)
{
	while (*more && used + 1 < size)
		text[used++] = *more++;
	text[used] = '\0';
	return used;
}

static size_t append_number(char *text, size_t used, size_t size,
			    uint64_t number)
{
	char digits[24];
	size_t i = sizeof(digits) - 1;

	digits[i] = '\0';
	do {
		digits[--i] = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	return append(text, used, size, digits + i);
}

bool overflow_report(void *address, int signal)
{
	struct task *task = sched_current();
	uintptr_t fault = (uintptr_t)address;
	uintptr_t base = task ? (uintptr_t)task->stack.base : 0;
	char name[TASK_NAME_MAX + 1];
	char text[192];
	size_t used = 0;

	(void)signal;
	if (!task || fault >= base || fault < base - REACH)
		return false;
	used = append(text, used, sizeof(text),
		      "mete: stack overflow in task ");
	used = append_number(text, used, sizeof(text), task->number + 1);
	used = append(text, used, sizeof(text), " \"");
	task_name_get(task, name);
	used = append(text, used, sizeof(text), name);
	used = append(text, used, sizeof(text), "\": its stack has ");
	used = append_number(text, used, sizeof(text), task->stack.bytes);
	used = append(text, used, sizeof(text), " bytes\n");
	os_write_err(text, used);
	return true;
}

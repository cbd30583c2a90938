/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who has overflowed his stack: asked from a signal handler.
 *
 * The task that runs on the faulting thread's CPU, or has left it for a blocking
 * region, is named if the address lies within reach below its stack.
 */
#include "base/text.h"
#include "sched/region.h"
#include "sched/sched.h"

/* A frame may leap over the guard proper. */
#define REACH (64 * 1024)

void overflow_tell(const struct task *task)
{
	char name[TASK_NAME_MAX + 1];
	char message[192];
	struct text text = {.at = message, .room = sizeof(message)};

	task_name_get(task, name);
	text_string(&text, "mete: stack overflow in task ");
	text_decimal(&text, task->number + 1);
	text_string(&text, " \"");
	text_name(&text, name, sizeof(name));
	text_string(&text, "\": its stack has ");
	text_decimal(&text, task->stack.bytes);
	text_string(&text, " bytes\n");
	os_write_err(message, text.used);
}

bool overflow_report(void *address, int signal)
{
	struct task *task = region_task() ? region_task() : sched_current();
	uintptr_t fault = (uintptr_t)address;
	uintptr_t base = task ? (uintptr_t)task->stack.base : 0;

	(void)signal;
	if (!task || fault >= base || fault < base - REACH)
		return false;
	overflow_tell(task);
	return true;
}

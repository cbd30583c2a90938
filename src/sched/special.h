/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What only some tasks need at a switch: floating-point control words of their
 * own, and a canary where the kernel refused a guard page.
 */
#ifndef SCHED_SPECIAL_H
#define SCHED_SPECIAL_H

#include "sched/task.h"

#define TASK_SPECIAL (TASK_FP | TASK_CANARY)

void special_prepare(struct task *task);
void special_enter(struct task *next);
void special_leave(struct task *prev);

static inline void special_switch(struct task *prev, struct task *next)
{
	special_leave(prev);
	special_enter(next);
}

#endif

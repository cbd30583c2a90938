/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What only some tasks need at a switch: floating-point control words of their
 * own, a canary where the kernel refused a guard page, and a look whether they
 * were cancelled while they did not run.
 */
#ifndef SCHED_SPECIAL_H
#define SCHED_SPECIAL_H

#include "sched/task.h"

#define TASK_SPECIAL (TASK_FP | TASK_CANARY | TASK_CANCELLABLE)

void special_prepare(struct task *task);
void special_enter(struct task *next);
void special_leave(struct task *prev);

static inline void special_switch(struct task *prev, struct task *next)
{
	special_leave(prev);
	special_enter(next);
}

#endif

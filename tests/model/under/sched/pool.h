/* SPDX-License-Identifier: Apache-2.0 */
/* Where tasks lie, for the models: there is one, and what becomes of it when it
 * is given back is the model's. */
#ifndef SCHED_POOL_H
#define SCHED_POOL_H

#include "sched/cpu.h"

extern struct task *model_task;

static inline struct task *task_at(uint32_t)
{
	return model_task;
}

void pool_give(struct cpu *cpu, struct task *task);

#endif

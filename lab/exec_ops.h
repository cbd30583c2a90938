/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the ops share: exec_ops.c has the table of them. */
#ifndef LAB_EXEC_OPS_H
#define LAB_EXEC_OPS_H

#include "lab/exec.h"

/* From here on the task waits for something that has no end of its own. */
void lab_waits_for(struct lab_task *task, const struct lab_op *op,
		   uint32_t object);
void lab_waits_no_more(struct lab_task *task);

/* Calibrated work, past safe points, until the run ends. */
void lab_task_work(struct lab_task *task, uint64_t loops);

/* It was due, or woken, then, and goes on now. */
void lab_woke(struct lab_task *task, uint64_t due_ns);

/* exec_sync.c */
void lab_op_lock(struct lab_task *task, const struct lab_op *op);
void lab_op_unlock(struct lab_task *task, const struct lab_op *op);
void lab_op_wait(struct lab_task *task, const struct lab_op *op);
void lab_op_wake(struct lab_task *task, const struct lab_op *op);
void lab_op_suspend(struct lab_task *task, const struct lab_op *op);
void lab_op_resume(struct lab_task *task, const struct lab_op *op);
void lab_op_barrier(struct lab_task *task, const struct lab_op *op);
void lab_op_sem_post(struct lab_task *task, const struct lab_op *op);
void lab_op_sem_wait(struct lab_task *task, const struct lab_op *op);

#endif

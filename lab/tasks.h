/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tasks of a run: those that the program names, and those that they fork.
 *
 * A task never moves once it is made.  Forked ones stand in chunks that double
 * in size, behind the others; the count is raised when a slot is there, so
 * that lab_task_at() needs no lock.  A slot whose `strand` is NULL has not been
 * started (yet), and whoever walks the tasks passes it over.
 */
#ifndef LAB_TASKS_H
#define LAB_TASKS_H

#include "lab/exec.h"

/* Those that the program names, not started.  0 or -ENOMEM. */
int lab_tasks_create(struct lab_run *run);
void lab_tasks_free(struct lab_run *run);

/* A task below run->task_count. */
struct lab_task *lab_task_at(const struct lab_run *run, size_t index);

/* Makes the task's strand; it waits at the gate until it is nudged. */
int lab_task_spawn(struct lab_task *task);

/* One task more, of the op's spec: at work at once. */
void lab_op_fork(struct lab_task *task, const struct lab_op *op);

#endif

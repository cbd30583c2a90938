/* SPDX-License-Identifier: Apache-2.0 */
/* Ops on memory and on the device: see exec_mem.c. */
#ifndef LAB_EXEC_MEM_H
#define LAB_EXEC_MEM_H

#include "lab/exec.h"

/* The device that iorun writes to; 0 or -errno with *error filled. */
int lab_device_open(struct lab_run *run, struct lab_error *error);
void lab_device_close(struct lab_run *run);

void lab_op_mem(struct lab_task *task, const struct lab_op *op);
void lab_op_iorun(struct lab_task *task, const struct lab_op *op);
void lab_op_memrun(struct lab_task *task, const struct lab_op *op);

/* The buffers that a task has made for itself. */
void lab_buffers_free(struct lab_task *task);

#endif

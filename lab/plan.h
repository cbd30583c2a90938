/* SPDX-License-Identifier: Apache-2.0 */
/* The program's names resolved for an engine, before anything runs. */
#ifndef LAB_PLAN_H
#define LAB_PLAN_H

#include "lab/exec.h"

/* Fills run->plans and the slots of unique timers.  0; -EINVAL with *error
 * filled for a CPU that is not there; -ENOMEM. */
int lab_plans_create(struct lab_run *run, struct lab_error *error);
void lab_plans_free(struct lab_run *run);

#endif

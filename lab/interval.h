/* SPDX-License-Identifier: Apache-2.0 */
/* Intervals of a run: what each group has used since the one before. */
#ifndef LAB_INTERVAL_H
#define LAB_INTERVAL_H

#include "lab/exec.h"

/* Before the start, where intervals are wanted.  0 or -ENOMEM. */
int lab_intervals_begin(struct lab_run *run);
/* When the next one ends; METE_FOREVER: none is wanted. */
uint64_t lab_intervals_next(const struct lab_run *run);
/* Shows the interval that ends now; `last`: no other follows. */
void lab_intervals_take(struct lab_run *run, uint64_t now_ns, bool last);
void lab_intervals_free(struct lab_run *run);

#endif

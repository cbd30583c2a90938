/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The machine's heap of threads by time; equal times by number, so that the
 * order does not depend on history.
 */
#ifndef SIM_HEAP_H
#define SIM_HEAP_H

#include "sim/thread.h"

/* Room for that many threads: 0 or -ENOMEM. */
int heap_reserve(uint32_t count);

void heap_insert(struct sim_thread *thread);
void heap_remove(struct sim_thread *thread);

/* The first leaves, `thread` comes in. */
struct sim_thread *heap_swap_first(struct sim_thread *thread);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sleeping on a word of memory: the kernel's futex.
 *
 * The look at the word and the falling asleep are one step, so is a wake-up.
 * Sleepers of a word go on in the order of their arrival.
 */
#ifndef SIM_SLEEP_H
#define SIM_SLEEP_H

#include <stdint.h>

#include "sim/thread.h"

/* As os_futex_wait(), the deadline on the machine's clock. */
int sleep_on(const uint32_t *word, uint32_t expected, uint64_t deadline_ns,
	     const void *at);

/* Gives how many were woken. */
unsigned sleep_wake(const uint32_t *word, unsigned most);

#endif

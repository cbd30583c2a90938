/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sleeping on a word of memory, private to the process.
 */
#ifndef OS_FUTEX_H
#define OS_FUTEX_H

#include <stdint.h>

#include "os/clock.h"

#define OS_FUTEX_FOREVER UINT64_MAX

/*
 * Sleeps while *word is expected, until woken or CLOCK_MONOTONIC reaches
 * deadline_ns (OS_FUTEX_FOREVER: no end).  0 when woken (spurious ones
 * included), -EAGAIN when *word differed, -EINTR, -ETIMEDOUT.
 */
int os_futex_wait(const uint32_t *word, uint32_t expected,
		  uint64_t deadline_ns);

/* Sleeps until CLOCK_MONOTONIC reaches it, whatever comes between. */
static inline void os_sleep_until(uint64_t deadline_ns)
{
	const uint32_t word = 0;

	while (os_monotonic_ns() < deadline_ns)
		os_futex_wait(&word, 0, deadline_ns);
}

/* Wakes up to count sleepers; gives how many. */
int os_futex_wake(const uint32_t *word, unsigned count);

/* The calling thread's timers are not to be late on purpose (50 us else). */
void os_timer_slack_min(void);

#endif

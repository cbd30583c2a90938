/* SPDX-License-Identifier: Apache-2.0 */
/* The futex of src/ on the machine. */
#include "os/futex.h"

#include "sim/sleep.h"
#include "sim/step.h"

int os_futex_wait(const uint32_t *word, uint32_t expected, uint64_t deadline_ns)
{
	sim_step();
	return sleep_on(word, expected, deadline_ns,
			__builtin_return_address(0));
}

int os_futex_wake(const uint32_t *word, unsigned count)
{
	sim_step();
	return (int)sleep_wake(word, count);
}

void os_timer_slack_min(void)
{
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * FUTEX_WAIT_BITSET, since its deadline is absolute: a sleeper that is
 * interrupted and goes on does not sleep longer.
 */
#include "os/futex.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The kernel's 64-bit timespec: 32-bit machines have a call of its own. */
struct deadline {
	int64_t seconds;
	int64_t ns;
};

#ifdef SYS_futex_time64
# define CALL_FUTEX SYS_futex_time64
#else
# define CALL_FUTEX SYS_futex
#endif

int os_futex_wait(const uint32_t *word, uint32_t expected, uint64_t deadline_ns)
{
	struct deadline deadline = {(int64_t)(deadline_ns / 1000000000),
				    (int64_t)(deadline_ns % 1000000000)};

	if (!syscall(CALL_FUTEX, word, FUTEX_WAIT_BITSET_PRIVATE, expected,
		     deadline_ns == OS_FUTEX_FOREVER ? NULL : &deadline, NULL,
		     FUTEX_BITSET_MATCH_ANY))
		return 0;
	return -errno;
}

int os_futex_wake(const uint32_t *word, unsigned count)
{
	long n = syscall(CALL_FUTEX, word, FUTEX_WAKE_PRIVATE,
			 count > INT_MAX ? INT_MAX : (int)count, NULL, NULL, 0);

	return n < 0 ? -errno : (int)n;
}

void os_timer_slack_min(void)
{
	prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
}

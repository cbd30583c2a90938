/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Futexes: all ends of a wait, and that its deadline is absolute.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "harness/test.h"
#include "os/clock.h"
#include "os/futex.h"
#include "os/thread.h"

static uint32_t word;

TEST(a_changed_word_does_not_sleep)
{
	word = 1;
	CHECK_EQ(os_futex_wait(&word, 2, OS_FUTEX_FOREVER), -EAGAIN);
}

TEST(the_deadline_is_absolute)
{
	uint64_t start = os_monotonic_ns();

	word = 1;
	CHECK_EQ(os_futex_wait(&word, 1, start + 20000000), -ETIMEDOUT);
	CHECK_GE(os_monotonic_ns() - start, 20000000);
	/* Past already: at once. */
	start = os_monotonic_ns();
	CHECK_EQ(os_futex_wait(&word, 1, start - 1), -ETIMEDOUT);
	CHECK_EQ(os_futex_wait(&word, 1, 0), -ETIMEDOUT);
	CHECK_LT(os_monotonic_ns() - start, 2000000000);
}

TEST(a_sleep_ends_when_its_time_is_over)
{
	uint64_t start = os_monotonic_ns();

	os_sleep_until(start + 20000000);
	CHECK_GE(os_monotonic_ns() - start, 20000000);
	start = os_monotonic_ns();
	os_sleep_until(start - 1);
	CHECK_LT(os_monotonic_ns() - start, 2000000000);
}

static int results[2];

static void sleeper(void *ret)
{
	*(int *)ret = os_futex_wait(&word, 5, OS_FUTEX_FOREVER);
}

TEST(wake_wakes_as_many_as_told)
{
	struct os_thread threads[2];
	int woken = 0;

	word = 5;
	for (int i = 0; i < 2; i++) {
		results[i] = 1;
		CHECK_EQ(os_thread_create(&threads[i], NULL, sleeper,
					  &results[i]),
			 0);
	}
	/* Each call wakes at most one; both sleep sooner or later. */
	while (woken < 2) {
		int n = os_futex_wake(&word, 1);

		CHECK(n == 0 || n == 1);
		woken += n;
	}
	for (int i = 0; i < 2; i++) {
		os_thread_join(&threads[i]);
		CHECK_EQ(results[i], 0);
	}
	CHECK_EQ(os_futex_wake(&word, UINT32_MAX), 0);
}

static void nothing(int number)
{
	(void)number;
}

TEST(a_signal_interrupts)
{
	struct sigaction action = {.sa_handler = nothing};

	sigaction(SIGALRM, &action, NULL);
	word = 1;
	ualarm(20000, 0);
	CHECK_EQ(os_futex_wait(&word, 1, os_monotonic_ns() + 5000000000u),
		 -EINTR);
}

TEST(a_refused_wake_is_told)
{
	const void *odd = (const char *)&word + 1;

	CHECK_EQ(os_futex_wake(odd, 1), -EINVAL);
}

TEST(timer_slack_shrinks)
{
	CHECK_GT(prctl(PR_GET_TIMERSLACK), 1);
	os_timer_slack_min();
	CHECK_EQ(prctl(PR_GET_TIMERSLACK), 1);
}

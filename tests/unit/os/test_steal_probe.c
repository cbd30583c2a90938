/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The probe: finds out what this kernel does, leaves the caller as it was, and
 * asks where there is nothing to find.
 */
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "harness/test.h"
#include "os/clock.h"
#include "os/inject.h"
#include "os/steal_area.h"
#include "os/steal_probe.h"

#if !TEST_SANITIZED

/*
 * Other kernels, and other states of this one, as the C library would tell of
 * them to the probe.
 */
static bool never_asleep;   /* sleeps end before they begin */
static bool often_switched; /* each look shows one more preemption */
static bool nowhere;        /* on no CPU that has a number */

int nanosleep(const struct timespec *span, struct timespec *rest)
{
	return never_asleep ? 0 : (int)syscall(SYS_nanosleep, span, rest);
}

int getrusage(int who, struct rusage *ret)
{
	static long switches;
	int failed = (int)syscall(SYS_getrusage, who, ret);

	if (often_switched)
		ret->ru_nivcsw = ++switches;
	return failed;
}

int sched_getcpu(void)
{
	unsigned cpu;

	return nowhere || syscall(SYS_getcpu, &cpu, NULL, NULL) ? -1 : (int)cpu;
}

#endif

TEST(the_probe_knows_this_kernel)
{
	struct utsname name;
	unsigned major = 0;
	unsigned minor = 0;
	uint64_t start = os_raw_ns();
	cpu_set_t before;
	cpu_set_t after;

	CHECK_EQ(os_steal_probed(), OS_STEAL_ASK);
	CHECK(!os_steal_calls_flagged());
	sched_getaffinity(0, sizeof(before), &before);
	CHECK_EQ(os_steal_probe(), os_steal_probed());
	NOTE("%.3f ms", (double)(os_raw_ns() - start) / 1e6);
	sched_getaffinity(0, sizeof(after), &after);
	CHECK(CPU_EQUAL(&before, &after));
	if (!os_steal_area_slot()) {
		CHECK_EQ(os_steal_probed(), OS_STEAL_ASK);
		return;
	}
	CHECK_EQ(*os_steal_area_slot(), 0);
	uname(&name);
	major = (unsigned)strtoul(name.release, NULL, 10);
	minor = (unsigned)strtoul(name.release + (major < 10 ? 2 : 3), NULL,
				  10);
	CHECK_EQ(os_steal_probed(), OS_STEAL_FLAG);
	if (major < 6 || (major == 6 && minor < 19))
		CHECK(os_steal_calls_flagged());
}

/* In the program started anew without the area, before the harness. */
__attribute__((constructor)) static void answer(void)
{
	if (getenv("OS_STEAL_PROBE_ANSWER"))
		_exit(os_steal_probe() == OS_STEAL_ASK &&
				      !os_steal_calls_flagged()
			      ? 11
			      : 10);
}

static void start_anew(void *arg)
{
	(void)arg;
	setenv("OS_STEAL_PROBE_ANSWER", "1", 1);
	setenv("GLIBC_TUNABLES", "glibc.pthread.rseq=0", 1);
	execl("/proc/self/exe", "anew", (char *)NULL);
	_exit(2);
}

TEST(without_the_area_it_asks)
{
	struct test_outcome outcome;

	test_in_child(start_anew, NULL, &outcome);
	CHECK_EQ(outcome.status, 11 << 8);
}

#if !TEST_SANITIZED

/* Preempted again and again, and nothing was cleared: it does not flag. */
TEST(preemptions_that_clear_nothing)
{
	if (!os_steal_area_slot())
		SKIP("no restartable sequences here");
	often_switched = true;
	never_asleep = true;
	/* Unless a true preemption comes first, as it may. */
	for (int tries = 0; tries < 100; tries++)
		if (os_steal_probe() == OS_STEAL_ASK)
			break;
	CHECK_EQ(os_steal_probed(), OS_STEAL_ASK);
	CHECK(!os_steal_calls_flagged());
}

/* As newer kernels: cleared when preempted, not for a switch in a call. */
TEST(calls_that_clear_nothing)
{
	if (!os_steal_area_slot())
		SKIP("no restartable sequences here");
	if (os_steal_probe() != OS_STEAL_FLAG)
		SKIP("this kernel does not flag preemptions");
	never_asleep = true;
	/* The moment in which it would sleep may be struck, too. */
	for (int tries = 0; tries < 20; tries++)
		if (os_steal_probe() == OS_STEAL_FLAG &&
		    !os_steal_calls_flagged())
			break;
	CHECK_EQ(os_steal_probed(), OS_STEAL_FLAG);
	CHECK(!os_steal_calls_flagged());
}

/* No CPU to be preempted on: what a sleep shows decides. */
TEST(a_cpu_without_a_number)
{
	nowhere = true;
	CHECK_EQ(os_steal_probe() == OS_STEAL_FLAG, os_steal_calls_flagged());
}

#endif

#ifdef METE_FAULTS
TEST(refusals_make_it_ask)
{
	os_fault_arm(OS_CALL_THREAD, 1, true);
	CHECK_EQ(os_steal_probe(), OS_STEAL_ASK);
	os_fault_arm(OS_CALL_RSEQ, 1, true);
	CHECK_EQ(os_steal_probe(), OS_STEAL_ASK);
	/* No disturber, or no binding: what a sleep shows decides. */
	os_fault_arm(OS_CALL_THREAD, 2, true);
	CHECK_EQ(os_steal_probe() == OS_STEAL_FLAG, os_steal_calls_flagged());
	for (uint64_t k = 1; k <= 4; k++) {
		os_fault_arm(OS_CALL_AFFINITY, k, true);
		CHECK_EQ(os_steal_probe() == OS_STEAL_FLAG,
			 os_steal_calls_flagged());
	}
	os_fault_arm(OS_CALL_ANY, 0, false);
}
#endif

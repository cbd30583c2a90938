/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The probe: finds out what this kernel does, leaves the caller as it was, and
 * asks where there is nothing to find.
 */
#include <sched.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "harness/test.h"
#include "os/clock.h"
#include "os/inject.h"
#include "os/steal_area.h"
#include "os/steal_probe.h"

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
	os_fault_arm(OS_CALL_ANY, 0, false);
}
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For the tests of stolen time: one carrier that presses, and a competitor.
 */
#ifndef UNIT_OS_PRESSING_H
#define UNIT_OS_PRESSING_H

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/test.h"
#include "os/steal.h"
#include "os/steal_area.h"
#include "os/thread.h"

#define MS 1000000u

static struct os_timebase base;
static struct os_steal steal;

static inline uint64_t to_ns(uint64_t ticks)
{
	return os_ticks_to_ns(&base, ticks);
}

/* Bound to one CPU, calibrated, probed (asking: not) and anchored. */
static inline void begin(enum os_steal_mode wanted)
{
	CHECK_EQ(os_timebase_calibrate(&base), 0);
	CHECK_EQ(os_thread_bind(sched_getcpu()), 0);
	if (wanted == OS_STEAL_FLAG && !os_steal_area_slot())
		SKIP("no restartable sequences here");
	if (wanted == OS_STEAL_FLAG && os_steal_probe() != OS_STEAL_FLAG)
		SKIP("this kernel does not flag preemptions");
	os_steal_init(&steal, &base);
	CHECK_EQ(steal.mode, wanted);
}

/* A process that computes on our CPU until the test ends. */
static inline pid_t compete(void)
{
	pid_t parent = getpid();
	pid_t child = fork();

	CHECK_GE(child, 0);
	if (child)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (getppid() == parent)
		arch_relax();
	_exit(0);
}

static inline void end_competitor(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

/* What the accounts of one CPU would hold. */
struct books {
	uint64_t held;
	uint64_t stolen;
	uint64_t hits;
	uint64_t robbed_most; /* the largest stolen / held of an interval */
};

/* Presses every `interval` ticks or so until `until`; start is where the
 * interval that is open begins, and where the next does afterwards. */
static inline void press_until(struct books *books, uint64_t until,
			       uint64_t interval, uint64_t *start)
{
	for (;;) {
		uint64_t now = os_ticks();
		uint64_t stolen = 0;

		if (now - *start < interval && now < until)
			continue;
		if (os_steal_disturbed(&steal)) {
			os_steal_rearm(&steal);
			now = os_ticks();
			stolen = os_steal_collect(&steal, now - *start, &now);
			books->hits++;
		}
		CHECK_LE(stolen, now - *start);
		books->held += now - *start;
		books->stolen += stolen;
		*start = now;
		if (now >= until)
			return;
	}
}

/* exec agrees with the thread's CPU clock to so many millionths of it. */
static inline void check_exec(const struct books *books, uint64_t cpu_ns,
			      unsigned ppm)
{
	uint64_t exec = to_ns(books->held - books->stolen);
	uint64_t error = exec > cpu_ns ? exec - cpu_ns : cpu_ns - exec;

	NOTE("held %.3f ms stolen %.3f ms hits %llu: exec %.3f, kernel %.3f ms",
	     (double)to_ns(books->held) / MS, (double)to_ns(books->stolen) / MS,
	     (unsigned long long)books->hits, (double)exec / MS,
	     (double)cpu_ns / MS);
	CHECK_LE(error, cpu_ns / 1000000 * ppm + 50000);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory comes and goes with the tasks: a hundred thousand that wait take what
 * is said of them, their end gives it back down to what the pool keeps, and the
 * runtime's end gives back the rest.
 */
#include <stdio.h>
#include <stdlib.h>

#include "harness/proc.h"
#include "unit/sched/running.h"

#define MANY 100000
/* Free tasks whose memory is kept: 4,096, and 1,024 a CPU. */
#define KEPT (4096 + 2 * 1024)

static struct mete_sem gate;
static mete_task tasks[MANY];
static atomic_int blocked;

static void *block_once(void *arg)
{
	blocked++;
	CHECK_EQ(mete_sem_wait(&gate, METE_FOREVER), 0);
	return arg;
}

static long kib(void)
{
	return proc_field("/proc/self/status", "VmRSS:") +
	       proc_field("/proc/self/status", "VmPTE:");
}

static void fill(void)
{
	blocked = 0;
	for (int i = 0; i < MANY; i++)
		tasks[i] = spawn(block_once, &tasks[i]);
	for (uint64_t end = soon(); blocked < MANY; usleep(1000))
		CHECK_LT(now_ns(), end + 20000 * MS);
}

static void drain(void)
{
	CHECK_EQ(mete_sem_post(&gate, MANY), 0);
	for (int i = 0; i < MANY; i++)
		CHECK(join(tasks[i]) == &tasks[i]);
}

TEST_WITHIN(before_peak_after_stopped, 60)
{
	const char *build = getenv("METE_TEST_BUILD");
	struct mete_options options = METE_OPTIONS_INIT;
	long begin;
	long before;

	if (TEST_ASAN || TEST_TSAN || TEST_MSAN ||
	    (build && !strcmp(build, "valgrind")))
		SKIP("sanitizers take memory of their own");
	memset(tasks, 0xff, sizeof(tasks));
	begin = kib();
	options.cpus = 2;
	options.flags = METE_IGNORE_ENV;
	CHECK_EQ(mete_start(&options), 0);
	mete_sem_init(&gate, 0);
	before = kib();
	for (int round = 0; round < 2; round++) {
		long most = before + KEPT * 9L / 2 + 8 * 1024;
		long peak;
		long ended;

		fill();
		peak = kib();
		CHECK_GE(peak - before, MANY * 4L);
		CHECK_LE(peak - before, MANY * 9L / 2);
		drain();
		ended = kib();
		for (uint64_t end = soon(); kib() > most; usleep(20000))
			CHECK_LT(now_ns(), end);
		NOTE("KiB before %ld, at the peak %ld, all ended %ld, then %ld",
		     before, peak, ended, kib());
	}
	stop();
	NOTE("KiB before the start %ld, stopped %ld", begin, kib());
	CHECK_LE(kib(), begin + 4 * 1024);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* lab/work.c: work is as long as the calibration says. */
#include <time.h>

#include "harness/test.h"
#include "lab/work.h"

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

TEST(loops_take_what_calibration_says)
{
	double ns_per_loop = lab_work_calibrate(), ratio;
	uint64_t start_ns = cpu_ns();

	CHECK(ns_per_loop > 1);
	lab_work(200000);
	ratio = (double)(cpu_ns() - start_ns) / (ns_per_loop * 200000);
	NOTE("%.2f ns a loop, ratio %.3f", ns_per_loop, ratio);
	CHECK(ratio > 0.7);
	CHECK(ratio < 1.4);
}

TEST(no_loops_take_no_time)
{
	uint64_t start_ns = cpu_ns();

	lab_work(0);
	CHECK_LT(cpu_ns() - start_ns, 1000000);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* lab/kernel.c: the kernel's figures of the calling thread. */
#include <sys/resource.h>
#include <unistd.h>

#include "harness/test.h"
#include "lab/books.h"
#include "lab/kernel.h"
#include "lab/work.h"

TEST(cpu_time_grows_with_work)
{
	struct lab_kernel_figures before, after;
	uint64_t process_ns = lab_kernel_process_ns();

	lab_kernel_self(&before);
	lab_work(20000);
	lab_kernel_self(&after);
	CHECK_GT(after.cpu_ns, before.cpu_ns + 200000);
	CHECK_GE(lab_kernel_process_ns() - process_ns,
		 after.cpu_ns - before.cpu_ns);
}

TEST(sleeps_are_switches)
{
	struct lab_kernel_figures before, after;

	lab_kernel_self(&before);
	for (int i = 0; i < 20; i++)
		usleep(100);
	lab_kernel_self(&after);
	CHECK_GE(after.switches, before.switches + 20);
	if (after.delay_ns != LAB_UNKNOWN)
		CHECK_GE(after.delay_ns, before.delay_ns);
}

TEST(a_thread_that_runs_does_not_sleep)
{
	CHECK(!lab_kernel_asleep(gettid()));
}

TEST(nice_and_policy_are_applied)
{
	struct lab_sched nicer = {.policy = LAB_POLICY_BATCH,
				  .priority_given = true,
				  .priority = 7};
	struct lab_sched same = {.policy = LAB_POLICY_SAME};

	CHECK_EQ(lab_kernel_sched(&same), 0);
	CHECK_EQ(lab_kernel_sched(&nicer), 0);
	CHECK_EQ(getpriority(PRIO_PROCESS, 0), 7);
	CHECK_EQ(lab_kernel_sched(&same), 0);
	CHECK_EQ(getpriority(PRIO_PROCESS, 0), 7);
}

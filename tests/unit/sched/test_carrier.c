/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Carriers: as many as are needed, used again, bounded, gone at the end; their
 * signals, their CPUs, their clocks.
 */
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "os/inject.h"
#include "sched/carrier.h"
#include "sched/sched.h"
#include "unit/sched/running.h"

static unsigned threads(void)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *entry;
	unsigned count = 0;

	CHECK(tasks);
	while ((entry = readdir(tasks)))
		count += entry->d_name[0] != '.';
	closedir(tasks);
	return count;
}

static atomic_int inside;
static atomic_int may_leave;

static void *hold(void *arg)
{
	CHECK_EQ(mete_blocking_begin(), 0);
	inside++;
	while (!may_leave)
		usleep(1000);
	CHECK_EQ(mete_blocking_end(), 0);
	return arg;
}

static void await_inside(int count)
{
	for (uint64_t end = soon(); inside < count;) {
		CHECK_LT(now_ns(), end);
		usleep(1000);
	}
}

TEST(as_many_as_block_and_no_more)
{
	unsigned before = threads();
	mete_task tasks[20];

	start_cpus(2);
	for (int round = 0; round < 3; round++) {
		inside = 0;
		may_leave = 0;
		for (int i = 0; i < 20; i++)
			tasks[i] = spawn(hold, NULL);
		await_inside(20);
		may_leave = 1;
		for (int i = 0; i < 20; i++)
			join(tasks[i]);
	}
	/* Those of the CPUs, and one for each that was away. */
	CHECK_GE(a32_own(&sched.carrier_count), 20);
	CHECK_LE(a32_own(&sched.carrier_count), 22);
	CHECK_GE(threads(), before + 20);
	stop();
	/* A sanitizer may have a thread of its own. */
	CHECK_LE(threads(), before + 1);
}

/* Beyond the bound a task keeps its CPU, as without a region. */
TEST_WITHIN(there_is_a_bound, 60)
{
	enum {
		MOST = 2 + CARRIER_SPARE_MOST
	};
	static mete_task tasks[MOST + 10];

	start_cpus(2);
	for (int i = 0; i < MOST + 10; i++)
		tasks[i] = spawn(hold, NULL);
	await_inside(MOST);
	usleep(50000);
	CHECK_EQ(inside, MOST);
	CHECK_EQ(a32_own(&sched.carrier_count), MOST);
	may_leave = 1;
	for (int i = 0; i < MOST + 10; i++)
		join(tasks[i]);
	CHECK_EQ(inside, MOST + 10);
	stop();
}

static void *look_around(void *arg)
{
	/* Written here too: the memory sanitizer does not know these calls. */
	sigset_t blocked = {0};
	cpu_set_t set = {0};

	for (int i = 0; i < 20; i++) {
		CHECK_EQ(mete_blocking_begin(), 0);
		usleep(2000);
		CHECK_EQ(mete_blocking_end(), 0);
		/* On whatever carrier it goes on. */
		pthread_sigmask(SIG_SETMASK, NULL, &blocked);
		CHECK(sigismember(&blocked, SIGUSR2));
		CHECK(!sigismember(&blocked, SIGUSR1));
		CHECK_EQ(pthread_getaffinity_np(pthread_self(), sizeof(set),
						&set),
			 0);
		if (sched.config.bind)
			CHECK(CPU_ISSET(sched.cpu[mete_cpu_self()]->os_cpu,
					&set) &&
			      CPU_COUNT(&set) == 1);
	}
	return arg;
}

TEST(they_are_as_the_first_ones)
{
	mete_task tasks[6];
	sigset_t mine;

	sigemptyset(&mine);
	sigaddset(&mine, SIGUSR2);
	pthread_sigmask(SIG_SETMASK, &mine, NULL);
	start_cpus(0);
	sigaddset(&mine, SIGUSR1);
	pthread_sigmask(SIG_SETMASK, &mine, NULL);
	for (int i = 0; i < 6; i++)
		tasks[i] = spawn(look_around, NULL);
	for (int i = 0; i < 6; i++)
		join(tasks[i]);
	stop();
}

static void *compute_and_block(void *arg)
{
	for (int i = 0; i < 20; i++) {
		compute(2 * MS);
		CHECK_EQ(mete_blocking_begin(), 0);
		usleep(5000);
		/* Nobody's. */
		compute(1 * MS);
		CHECK_EQ(mete_blocking_end(), 0);
	}
	return arg;
}

/* The clocks of all that ever drove a CPU add up to what its books hold. */
TEST(clocks_add_up)
{
	struct mete_ledger ledger;
	mete_task tasks[4];

	start_cpus(1);
	for (int i = 0; i < 4; i++)
		tasks[i] = spawn(compute_and_block, NULL);
	for (int i = 0; i < 4; i++)
		join(tasks[i]);
	CHECK_EQ(mete_ledger(&ledger, sizeof(ledger)), 0);
	NOTE("exec %.3f, drift %.3f, away %.3f, asleep %.3f ms",
	     (double)ledger.exec_ns / MS, (double)ledger.drift_ns / MS,
	     (double)ledger.away_cpu_ns / MS, (double)ledger.asleep_ns / MS);
	CHECK_EQ(ledger.residual_ticks, 0);
	CHECK_GT(ledger.away_cpu_ns, 10 * MS);
	CHECK_GT(ledger.kernel_cpu_ns, 80 * MS);
	CHECK_LT(llabs((long long)ledger.drift_ns),
		 (long long)(ledger.exec_ns / 5 + 5 * MS));
	stop();
}

#ifdef METE_FAULTS

/* Where there is no thread to be had, the task keeps its CPU. */
TEST(a_refused_carrier_is_done_without)
{
	mete_task task;
	mete_task next;

	start_cpus(1);
	os_fault_arm(OS_CALL_THREAD, 1, true);
	task = spawn(hold, NULL);
	next = spawn(hold, NULL);
	await_inside(1);
	usleep(30000);
	CHECK_EQ(inside, 1);
	CHECK_GT(os_fault_count(OS_CALL_THREAD), 0);
	/* Tried again. */
	os_fault_arm(OS_CALL_THREAD, 0, false);
	await_inside(2);
	may_leave = 1;
	join(task);
	join(next);
	stop();
}

#endif

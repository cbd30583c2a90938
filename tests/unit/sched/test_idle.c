/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Idle CPUs: they sleep, use nothing, and wake for work, timers and the end.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "unit/io/descriptors.h"

static void *nothing(void *arg)
{
	return arg;
}

static void *sleeper(void *arg)
{
	uint64_t deadline = now_ns() + *(uint64_t *)arg;

	mete_task_sleep_until(deadline);
	*(uint64_t *)arg = now_ns() - deadline;
	return NULL;
}

TEST(an_idle_runtime_sleeps)
{
	struct mete_ledger before, after;
	uint64_t parks = 0;
	uint64_t cpu_ns;

	start_cpus(2);
	join(spawn(nothing, NULL));
	usleep(20000);
	for (unsigned i = 0; i < 2; i++)
		parks += cpu_usage(i).parks;
	CHECK_EQ(mete_ledger(&before, sizeof(before)), 0);
	cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	usleep(200000);
	cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_ns;
	CHECK_EQ(mete_ledger(&after, sizeof(after)), 0);
	/* Nobody beats time, nobody looks around. */
	CHECK_LT(cpu_ns, 20 * MS);
	CHECK_GE(after.parked_ns - before.parked_ns, 2 * 180 * MS);
	CHECK_EQ(after.held_ns, before.held_ns);
	for (unsigned i = 0; i < 2; i++)
		CHECK_LE(cpu_usage(i).parks, parks + 4);
	stop();
}

/* How often the threads of this process but the caller have gone to sleep. */
static uint64_t sleeps(void)
{
	DIR *threads = opendir("/proc/self/task");
	struct dirent *entry;
	uint64_t sum = 0;

	CHECK(threads);
	while ((entry = readdir(threads))) {
		char path[300];
		char line[200];
		FILE *status;

		if (entry->d_name[0] == '.' || atoi(entry->d_name) == getpid())
			continue;
		snprintf(path, sizeof(path), "/proc/self/task/%s/status",
			 entry->d_name);
		status = fopen(path, "r");
		while (status && fgets(line, sizeof(line), status))
			if (!strncmp(line, "voluntary_ctxt_switches:", 24))
				sum += strtoull(line + 24, NULL, 10);
		if (status)
			fclose(status);
	}
	closedir(threads);
	return sum;
}

static void check_nobody_wakes(void)
{
	uint64_t before;

	/* Until the tick has come to rest. */
	usleep(300000);
	before = sleeps();
	CHECK_GT(before, 2);
	usleep(1000000);
	CHECK_EQ(sleeps() - before, 0);
}

TEST(an_idle_runtime_never_wakes)
{
	struct fd_wait wait;
	int fds[2];
	mete_task task;

	if (TEST_TSAN)
		SKIP("the sanitizer has a thread that wakes");
	start_cpus(2);
	join(spawn(nothing, NULL));
	check_nobody_wakes();
	/* Nor does one that waits for the world. */
	connect_pair(fds);
	task = start_wait(&wait, fds[0], METE_READ, METE_FOREVER);
	check_nobody_wakes();
	put(fds[1]);
	join(task);
	check_nobody_wakes();
	stop();
}

/* How long a CPU polls before it sleeps, in the middle of some. */
static uint64_t polled_before_a_sleep(unsigned between_us)
{
	struct mete_cpu_usage before, after;

	for (int i = 0; i < 20; i++) {
		usleep(between_us);
		join(spawn(nothing, NULL));
	}
	before = cpu_usage(0);
	for (int i = 0; i < 20; i++) {
		usleep(between_us);
		join(spawn(nothing, NULL));
	}
	after = cpu_usage(0);
	return (after.polling_ns - before.polling_ns) /
	       (after.polls - before.polls);
}

/* Who sleeps long does not poll long before. */
TEST(polling_learns_from_sleeps)
{
	uint64_t least = UINT64_MAX;

	start_cpus(1);
	for (int i = 0; i < 5 * (int)test_slow(); i++) {
		uint64_t polled = polled_before_a_sleep(1000);

		least = polled < least ? polled : least;
	}
	/* With the way to sleep and back, which counts as polling. */
	CHECK_LT(least, 60 * US * test_slow());
	CHECK_GE(cpu_usage(0).polls, cpu_usage(0).parks);
	stop();
}

/* One sleeps on an idle machine: the parked CPU must keep its time. */
TEST(a_parked_cpu_minds_its_timers)
{
	uint64_t late[3] = {5 * MS, 30 * MS, 1};

	start_cpus(1);
	for (int i = 0; i < 3; i++)
		join(spawn(sleeper, &late[i]));
	for (int i = 0; i < 3; i++)
		CHECK_LT(late[i], 1000 * MS * test_slow());
	stop();
}

TEST(work_wakes_a_parked_cpu_by_one_call)
{
	enum {
		ROUNDS = 50
	};
	struct mete_cpu_usage usage;

	start_cpus(1);
	for (int i = 0; i < ROUNDS; i++) {
		usleep(500);
		join(spawn(nothing, NULL));
	}
	usleep(20000);
	usage = cpu_usage(0);
	/* One call a sleep at most; and most rounds did find it asleep. */
	CHECK_LE(usage.notifications, usage.parks);
	CHECK_LE(usage.notifications, ROUNDS);
	CHECK_GE(usage.notifications, ROUNDS / 2);
	stop();
}

/* Idle implies that nothing waits: what is pushed in the instant in which a
 * CPU falls asleep is run. */
TEST(no_work_is_slept_over)
{
	uint64_t rounds = test_rounds(5000);
	uint64_t state = test_seed();

	start_cpus(2);
	for (uint64_t i = 0; i < rounds; i++) {
		mete_task task = spawn(nothing, NULL);

		CHECK_EQ(mete_task_join(task, soon(), NULL), 0);
		for (uint64_t n = test_random(&state) % 2000; n; n--)
			__asm__ volatile("");
	}
	stop();
}

TEST(stopping_wakes_everybody)
{
	uint64_t begin;

	for (int i = 0; i < 20; i++) {
		start_cpus(3);
		join(spawn(nothing, NULL));
		if (i & 1)
			usleep(2000);
		begin = now_ns();
		stop();
		CHECK_LT(now_ns() - begin, 5000 * MS * test_slow());
	}
}

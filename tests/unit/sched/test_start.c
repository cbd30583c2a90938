/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Start and stop of the scheduler: again and again, nothing left behind, no
 * task left alone, and clean when something is refused.
 */
#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <sys/syscall.h>

#include "os/inject.h"
#include "sched/sched.h"
#include "unit/sched/running.h"

static atomic_int ran;

static void *sleep_and_run(void *arg)
{
	mete_task_sleep(10 * MS);
	ran++;
	return arg;
}

static void *nothing(void *arg)
{
	return arg;
}

static void *spawn_after_sleep(void *arg)
{
	struct mete_task_attr attr = METE_TASK_ATTR_INIT;
	mete_task task;

	attr.detached = true;
	mete_task_sleep(10 * MS);
	for (int i = 0; i < 10; i++)
		CHECK_EQ(mete_task_create(&task, &attr, sleep_and_run, NULL),
			 0);
	return arg;
}

static int entries(const char *path)
{
	DIR *directory = opendir(path);
	int count = 0;

	CHECK(directory);
	while (readdir(directory))
		count++;
	closedir(directory);
	return count;
}

static int maps(void)
{
	FILE *file = fopen("/proc/self/maps", "r");
	int lines = 0;

	CHECK(file);
	for (int c; (c = fgetc(file)) != EOF;)
		lines += c == '\n';
	fclose(file);
	return lines;
}

/* Threads that have ended may be seen for an instant. */
static void check_threads(int expected)
{
	for (uint64_t end = soon(); entries("/proc/self/task") > expected;)
		CHECK_LT(now_ns(), end);
	CHECK_EQ(entries("/proc/self/task"), expected);
}

TEST(nothing_is_left_behind)
{
	int threads, files, lines = 0;

	/* Once before: thread sanitizer begins a thread of its own. */
	start_cpus(1);
	stop();
	usleep(20000);
	threads = entries("/proc/self/task");
	files = entries("/proc/self/fd");
	for (int i = 0; i < 30; i++) {
		start_cpus(1 + (unsigned)i % 4);
		for (int t = 0; t < 20; t++)
			join(spawn(nothing, NULL));
		stop();
		check_threads(threads);
		CHECK_EQ(entries("/proc/self/fd"), files);
		if (i == 9)
			lines = maps();
		if (i > 9 && test_slow() == 1)
			CHECK_LE(maps(), lines + 8);
		CHECK_EQ(mete_cpus(), 0);
	}
}

/* The books balance from the first moment, and at once after the last. */
TEST(the_ledger_closes_right_after_the_start)
{
	for (uint64_t i = test_rounds(60); i; i--) {
		struct mete_ledger ledger;

		start_cpus(3);
		if (i % 2) {
			CHECK_EQ(mete_ledger(&ledger, sizeof(ledger)), 0);
			CHECK_EQ(ledger.residual_ticks, 0);
			CHECK_EQ(ledger.groups_residual_ticks, 0);
			CHECK_LT(ledger.wall_ns, 60000 * MS * test_slow());
		}
		stop();
	}
}

static atomic_int stopped;

static void *stop_now(void *arg)
{
	stop();
	stopped = 1;
	return arg;
}

/* Who looks at a runtime keeps it. */
TEST(stop_waits_for_those_who_look)
{
	pthread_t thread;

	CHECK(!sched_look_begin());
	for (int i = 0; i < 3; i++) {
		start_cpus(2);
		CHECK(sched_look_begin());
		CHECK(sched_look_begin());
		stopped = 0;
		CHECK_EQ(pthread_create(&thread, NULL, stop_now, NULL), 0);
		usleep(20000);
		sched_look_end();
		usleep(20000);
		CHECK(!stopped);
		CHECK(sched.cpu[1]->index == 1);
		sched_look_end();
		pthread_join(thread, NULL);
		CHECK(stopped);
		CHECK(!sched_look_begin());
	}
}

TEST(stop_waits_for_all_tasks)
{
	struct mete_task_attr attr = METE_TASK_ATTR_INIT;

	attr.detached = true;
	for (int i = 0; i < 5; i++) {
		start_cpus(2);
		ran = 0;
		CHECK_EQ(mete_task_create(NULL, &attr, spawn_after_sleep, NULL),
			 0);
		CHECK_EQ(mete_task_create(NULL, &attr, sleep_and_run, NULL), 0);
		/* Not joined, not detached: it is freed all the same. */
		spawn(sleep_and_run, NULL);
		stop();
		CHECK_EQ(ran, 12);
	}
}

static void *own_cpus(void *arg)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CHECK_EQ(sched_getaffinity(0, sizeof(set), &set), 0);
	*(int *)arg = CPU_COUNT(&set);
	return NULL;
}

/* Carriers are bound when there is one for each CPU, and unless forbidden. */
TEST(carriers_are_bound_one_to_one)
{
	struct mete_options options = METE_OPTIONS_INIT;
	cpu_set_t set;
	int all, seen;

	CHECK_EQ(sched_getaffinity(0, sizeof(set), &set), 0);
	all = CPU_COUNT(&set);
	for (int bind = 0; bind < 2; bind++) {
		options.cpus = (unsigned)all;
		options.flags = METE_IGNORE_ENV | (bind ? 0 : METE_NO_BIND);
		CHECK_EQ(mete_start(&options), 0);
		join(spawn(own_cpus, &seen));
		CHECK_EQ(seen, bind ? 1 : all);
		stop();
	}
	start_cpus((unsigned)all + 1);
	join(spawn(own_cpus, &seen));
	CHECK_EQ(seen, all);
	stop();
	CHECK_EQ(sched_getaffinity(0, sizeof(set), &set), 0);
	CHECK_EQ(CPU_COUNT(&set), all);
}

static void ours(int signal)
{
	(void)signal;
}

TEST(handlers_are_ours_for_as_long_as_it_runs)
{
	struct mete_options options = METE_OPTIONS_INIT;
	struct sigaction action = {.sa_handler = ours};
	struct sigaction seen;

	CHECK_EQ(sigaction(SIGSEGV, &action, NULL), 0);
	options.cpus = 1;
	options.flags = METE_IGNORE_ENV;
	CHECK_EQ(mete_start(&options), 0);
	CHECK_EQ(sigaction(SIGSEGV, NULL, &seen), 0);
	CHECK(seen.sa_handler == ours);
	stop();
	options.flags |= METE_REPORT_OVERFLOW;
	CHECK_EQ(mete_start(&options), 0);
	CHECK_EQ(sigaction(SIGSEGV, NULL, &seen), 0);
	CHECK(seen.sa_handler != ours);
	stop();
	CHECK_EQ(sigaction(SIGSEGV, NULL, &seen), 0);
	CHECK(seen.sa_handler == ours);
}

#if !TEST_SANITIZED

static bool no_clock;

int clock_gettime(clockid_t clock, struct timespec *ret)
{
	if (!no_clock)
		return (int)syscall(SYS_clock_gettime, clock, ret);
	*ret = (struct timespec){0, 0};
	return 0;
}

TEST(without_a_clock_there_is_no_start)
{
	struct mete_options options = METE_OPTIONS_INIT;

	options.cpus = 1;
	options.flags = METE_IGNORE_ENV;
	no_clock = true;
	CHECK_EQ(mete_start(&options), -ENOTSUP);
	CHECK_EQ(mete_cpus(), 0);
	/* It is asked for again. */
	no_clock = false;
	start_cpus(1);
	stop();
}

#endif

#ifdef METE_FAULTS
/* Whatever is refused: an error, nothing left, and the next start succeeds. */
TEST(refused_at_any_point)
{
	struct mete_options options = METE_OPTIONS_INIT;
	static const enum os_call kinds[] = {OS_CALL_ALLOC, OS_CALL_MAP,
					     OS_CALL_THREAD};
	int threads, files, failed = 0;

	start_cpus(1);
	stop();
	usleep(20000);
	threads = entries("/proc/self/task");
	files = entries("/proc/self/fd");
	options.cpus = 3;
	for (int kind = 0; kind < 6; kind++) {
		enum os_call call = kinds[kind % 3];

		options.flags = METE_IGNORE_ENV;
		if (kind >= 3)
			options.flags |= METE_REPORT_OVERFLOW;
		for (uint64_t k = 1;; k++) {
			uint64_t calls;
			int error;

			os_fault_arm(call, k, false);
			error = mete_start(&options);
			calls = os_fault_count(call);
			os_fault_arm(call, 0, false);
			CHECK(error == 0 || error == -ENOMEM ||
			      error == -EAGAIN);
			failed += error != 0;
			if (!error)
				stop();
			CHECK_EQ(mete_cpus(), 0);
			check_threads(threads);
			CHECK_EQ(entries("/proc/self/fd"), files);
			if (calls < k)
				break;
		}
	}
	CHECK_GE(failed, 12);
}
#endif

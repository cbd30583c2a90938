/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hundred thousand tasks alive at once, each having blocked once; a million;
 * as many as there is room for.  Every stack has a guard, or it is said which
 * have not.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "harness/proc.h"
#include "sched/sched.h"
#include "unit/sched/running.h"

/* Thread sanitizer knows some 8,000 stacks at most, and is slow with many. */
#if TEST_TSAN
# define MANY 1000
#else
# define MANY 100000
#endif

static struct mete_sem gate;
static atomic_int blocked;
static atomic_int guarded, unguarded;

static void *block_once(void *arg)
{
	if (sched_current()->flags & TASK_CANARY)
		unguarded++;
	else
		guarded++;
	blocked++;
	CHECK_EQ(mete_sem_wait(&gate, METE_FOREVER), 0);
	return arg;
}

TEST_WITHIN(a_hundred_thousand_blocked_tasks, 60)
{
	int many = MANY;
	mete_task *tasks = calloc((size_t)many, sizeof(*tasks));
	struct mete_options options = METE_OPTIONS_INIT;
	uint64_t begin = now_ns();
	long kib;

	CHECK(tasks);
	options.cpus = 2;
	options.stack_bytes = 16 * 1024;
	options.flags = METE_IGNORE_ENV;
	CHECK_EQ(mete_start(&options), 0);
	kib = proc_field("/proc/self/status", "VmRSS:");
	for (int i = 0; i < many; i++)
		tasks[i] = spawn(block_once, &tasks[i]);
	for (uint64_t end = soon(); blocked < many;) {
		CHECK_LT(now_ns(), end + 20000 * MS);
		usleep(1000);
	}
	kib = proc_field("/proc/self/status", "VmRSS:") - kib;
	NOTE("%d guarded, %d with a canary, %.2f KiB each, %.0f ms", guarded,
	     unguarded, (double)kib / many, (double)(now_ns() - begin) / MS);
	CHECK_EQ(guarded + unguarded, many);
	CHECK_EQ(mete_sem_post(&gate, (unsigned)many), 0);
	for (int i = 0; i < many; i++)
		CHECK(join(tasks[i]) == &tasks[i]);
	CHECK_EQ(group_usage(METE_ROOT, 0).tasks, many);
	CHECK_LE(group_usage(METE_ROOT, 0).wakeups, many);
	stop();
	free(tasks);
}

#define MILLION 1000000
/* Those that end first. */
#define EARLY 1000
/* What a million may take, and what must be there to try. */
#define MOST_KIB   (6L << 20)
#define WANTED_KIB (8L << 20)

static void skip_where_too_much(void)
{
	const char *build = getenv("METE_TEST_BUILD");

	if (TEST_ASAN || TEST_TSAN || TEST_MSAN || (build && *build))
		SKIP("for the plain build");
}

static void *nothing(void *arg)
{
	return arg;
}

static struct mete_sem early_gate;

static void *block_early(void *arg)
{
	blocked++;
	CHECK_EQ(mete_sem_wait(&early_gate, METE_FOREVER), 0);
	return arg;
}

static long process_kib(void)
{
	return proc_field("/proc/self/status", "VmRSS:") +
	       proc_field("/proc/self/status", "VmPTE:");
}

/* With the limit of tasks at a million: then -EAGAIN, until some have ended. */
TEST_WITHIN(a_million_blocked_tasks, 110)
{
	struct mete_options options = METE_OPTIONS_INIT;
	mete_task untouched = {77};
	mete_task *tasks;
	int made = MILLION;
	long before;
	long after;
	int error;

	skip_where_too_much();
	if (proc_field("/proc/meminfo", "MemAvailable:") < WANTED_KIB)
		SKIP("less than 8 GiB are to be had");
	/* The limit may be passed by what CPUs keep: 1,024 each. */
	tasks = calloc((size_t)made + 4096, sizeof(*tasks));
	CHECK(tasks);
	options.cpus = 2;
	options.max_tasks = MILLION;
	options.flags = METE_IGNORE_ENV;
	CHECK_EQ(mete_start(&options), 0);
	mete_sem_init(&gate, 0);
	mete_sem_init(&early_gate, 0);
	before = process_kib();
	for (int i = 0; i < made; i++)
		tasks[i] =
			spawn(i < EARLY ? block_early : block_once, &tasks[i]);
	for (uint64_t end = soon() + 60000 * MS; blocked < made; usleep(1000))
		CHECK_LT(now_ns(), end);
	after = process_kib();
	NOTE("%d guarded, %d with a canary, %ld bytes each", guarded, unguarded,
	     (after - before) * 1024 / made);
	CHECK_LE(after, MOST_KIB);
	if (os_stack_guard_kind() == OS_GUARD_LIGHT)
		CHECK_EQ(unguarded, 0);
	while (!(error = mete_task_create(&tasks[made], NULL, block_once,
					  &tasks[made])))
		CHECK_LE(++made, MILLION + 4095);
	CHECK_EQ(error, -EAGAIN);
	CHECK_EQ(mete_task_create(&untouched, NULL, nothing, NULL), -EAGAIN);
	CHECK_EQ(untouched.id, 77);
	CHECK_EQ(mete_sem_post(&early_gate, EARLY), 0);
	for (int i = 0; i < EARLY; i++)
		CHECK(join(tasks[i]) == &tasks[i]);
	for (int i = 0; i < EARLY; i++)
		join(spawn(nothing, NULL));
	CHECK_EQ(mete_sem_post(&gate, (unsigned)(made - EARLY)), 0);
	for (int i = EARLY; i < made; i++)
		CHECK(join(tasks[i]) == &tasks[i]);
	stop();
	free(tasks);
}

/* Where the address space ends: -ENOMEM, and what lives goes on. */
TEST_WITHIN(as_many_as_there_is_room_for, 60)
{
	struct mete_options options = METE_OPTIONS_INIT;
	static mete_task tasks[20000];
	struct rlimit room;
	int made = 0;
	int error;

	skip_where_too_much();
	options.cpus = 2;
	options.max_tasks = 20000;
	options.flags = METE_IGNORE_ENV;
	CHECK_EQ(mete_start(&options), 0);
	mete_sem_init(&gate, 0);
	CHECK_EQ(getrlimit(RLIMIT_AS, &room), 0);
	room.rlim_cur = ((rlim_t)proc_field("/proc/self/status", "VmSize:") +
			 512 * 1024) *
			1024;
	CHECK_EQ(setrlimit(RLIMIT_AS, &room), 0);
	while (!(error = mete_task_create(&tasks[made], NULL, block_once,
					  &tasks[made])))
		made++;
	CHECK_EQ(error, -ENOMEM);
	NOTE("%d in 512 MiB of addresses", made);
	CHECK_GE(made, 512 * 1024 / 128);
	for (int i = 0; i < 1000; i++)
		CHECK_EQ(mete_task_create(&tasks[made], NULL, nothing, NULL),
			 -ENOMEM);
	for (uint64_t end = soon(); blocked < made; usleep(1000))
		CHECK_LT(now_ns(), end);
	CHECK_EQ(mete_sem_post(&gate, (unsigned)made), 0);
	for (int i = 0; i < made; i++)
		CHECK(join(tasks[i]) == &tasks[i]);
	for (int i = 0; i < 1000; i++)
		join(spawn(nothing, NULL));
	stop();
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hundred thousand tasks alive at once, each having blocked once.  Every
 * stack has a guard, or it is said which have not.
 */
#include <stdio.h>
#include <stdlib.h>

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

static long field_of(const char *path, const char *name)
{
	FILE *file = fopen(path, "r");
	char line[256];
	long value = -1;

	CHECK(file);
	while (fgets(line, sizeof(line), file))
		if (!strncmp(line, name, strlen(name)))
			value = strtol(line + strlen(name), NULL, 10);
	fclose(file);
	return value;
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
	kib = field_of("/proc/self/status", "VmRSS:");
	for (int i = 0; i < many; i++)
		tasks[i] = spawn(block_once, &tasks[i]);
	for (uint64_t end = soon(); blocked < many;) {
		CHECK_LT(now_ns(), end + 20000 * MS);
		usleep(1000);
	}
	kib = field_of("/proc/self/status", "VmRSS:") - kib;
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

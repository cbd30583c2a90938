/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For the tests that need a runtime: starting one, tasks, time, competitors.
 */
#ifndef UNIT_SCHED_RUNNING_H
#define UNIT_SCHED_RUNNING_H

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <mete/mete.h>

#include "harness/test.h"

#define MS UINT64_C(1000000)
#define US UINT64_C(1000)

static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline uint64_t now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

/* A deadline that only a fault lets pass. */
static inline uint64_t soon(void)
{
	return now_ns() + 10000 * MS * test_slow();
}

static inline void start_with(unsigned cpus, enum mete_books books)
{
	struct mete_options options = METE_OPTIONS_INIT;

	options.cpus = cpus;
	options.books = books;
	options.flags = METE_IGNORE_ENV;
	CHECK_EQ(mete_start(&options), 0);
}

static inline void start_cpus(unsigned cpus)
{
	start_with(cpus, METE_BOOKS_TASK);
}

static inline void stop(void)
{
	CHECK_EQ(mete_stop(), 0);
}

static inline mete_task spawn(void *(*fn)(void *), void *arg)
{
	mete_task task;

	CHECK_EQ(mete_task_create(&task, NULL, fn, arg), 0);
	return task;
}

static inline mete_task spawn_in(mete_group group, void *(*fn)(void *),
				 void *arg)
{
	struct mete_task_attr attr = METE_TASK_ATTR_INIT;
	mete_task task;

	attr.group = group;
	CHECK_EQ(mete_task_create(&task, &attr, fn, arg), 0);
	return task;
}

static inline mete_task spawn_on(unsigned cpu, void *(*fn)(void *), void *arg)
{
	struct mete_task_attr attr = METE_TASK_ATTR_INIT;
	struct mete_cpuset set = {&cpu, 1};
	mete_task task;

	attr.affinity = &set;
	CHECK_EQ(mete_task_create(&task, &attr, fn, arg), 0);
	return task;
}

static inline int bind_to(mete_task task, unsigned cpu)
{
	struct mete_cpuset set = {&cpu, 1};

	return mete_task_set_affinity(task, &set);
}

static inline void *join(mete_task task)
{
	void *value = NULL;

	CHECK_EQ(mete_task_join(task, soon(), &value), 0);
	return value;
}

static inline mete_group group_below(mete_group parent, const char *name)
{
	mete_group group;

	CHECK_EQ(mete_group_create(&group, parent, name, NULL), 0);
	return group;
}

static inline struct mete_usage usage_of(mete_task task)
{
	struct mete_usage usage;

	CHECK_EQ(mete_task_usage(task, 0, &usage, sizeof(usage)), 0);
	return usage;
}

static inline struct mete_usage group_usage(mete_group group, unsigned flags)
{
	struct mete_usage usage;

	CHECK_EQ(mete_group_usage(group, flags, &usage, sizeof(usage)), 0);
	return usage;
}

static inline struct mete_cpu_usage cpu_usage(unsigned cpu)
{
	struct mete_cpu_usage usage;

	CHECK_EQ(mete_cpu_usage(cpu, 0, &usage, sizeof(usage)), 0);
	return usage;
}

/* Compute for some wall time without a safe point. */
static inline void compute(uint64_t ns)
{
	uint64_t end = now_ns() + ns;

	while (now_ns() < end)
		;
}

/* Wait in a foreign thread until the flag is up. */
static inline void await(atomic_int *flag)
{
	uint64_t end = soon();

	while (!*flag) {
		CHECK_LT(now_ns(), end);
		usleep(100);
	}
}

/* In so many tasks, and here beside them, to the end of all. */
static inline void run_beside(int count, void *(*fn)(void *))
{
	mete_task tasks[16];

	CHECK_LE(count, 16);
	for (int i = 0; i < count; i++)
		tasks[i] = spawn(fn, NULL);
	fn(NULL);
	for (int i = 0; i < count; i++)
		join(tasks[i]);
}

/* From a foreign thread: until the task waits. */
static inline void await_blocked(mete_task task)
{
	enum mete_task_state state;
	uint64_t end = soon();

	do {
		CHECK_LT(now_ns(), end);
		usleep(100);
		CHECK_EQ(mete_task_state(task, &state), 0);
	} while (state != METE_TASK_BLOCKED);
}

/* A process that computes until the test ends. */
static inline pid_t compete(void)
{
	pid_t parent = getpid();
	pid_t child = fork();

	CHECK_GE(child, 0);
	if (child)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (getppid() == parent)
		;
	_exit(0);
}

static inline void end_competitor(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

#endif

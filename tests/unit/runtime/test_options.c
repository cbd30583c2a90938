/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options: defaults, ranges, the environment, what is shown.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "os/inject.h"
#include "runtime/runtime.h"
#include "unit/sched/running.h"

static const char *const variables[] = {"METE_CPUS",     "METE_STACK",
					"METE_BOOKS",    "METE_SLICE",
					"METE_SHOW",     "METE_MAX_TASKS",
					"METE_PLACEMENT"};

static void clear(void)
{
	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
		unsetenv(variables[i]);
}

/* Start with them, and what was in force. */
static int resolve(const struct mete_options *options, struct mete_options *ret)
{
	int error = mete_start(options);

	if (error)
		return error;
	CHECK_EQ(mete_options_get(ret, sizeof(*ret)), 0);
	stop();
	return 0;
}

TEST(defaults)
{
	struct mete_options in_force;
	cpu_set_t set;

	clear();
	CHECK_EQ(resolve(NULL, &in_force), 0);
	CHECK_EQ(sched_getaffinity(0, sizeof(set), &set), 0);
	CHECK_EQ(in_force.size, sizeof(in_force));
	CHECK_GE(in_force.cpus, 1);
	CHECK_LE(in_force.cpus, CPU_COUNT(&set));
	CHECK_EQ(in_force.books, METE_BOOKS_TASK);
	CHECK_EQ(in_force.stack_bytes, 64 * 1024);
	CHECK_EQ(in_force.slice_ns, 3000000);
	CHECK_EQ(in_force.max_tasks, 1u << 20);
	CHECK_EQ(in_force.flags, 0);
}

TEST(affinity_is_followed)
{
	struct mete_options in_force;
	cpu_set_t set;
	int cpu = 0;

	clear();
	CHECK_EQ(sched_getaffinity(0, sizeof(set), &set), 0);
	while (!CPU_ISSET(cpu, &set))
		cpu++;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	CHECK_EQ(sched_setaffinity(0, sizeof(set), &set), 0);
	CHECK_EQ(resolve(NULL, &in_force), 0);
	CHECK_EQ(in_force.cpus, 1);
}

struct range_case {
	struct mete_options options;
	int error;
};

#define WITH(...)                                                            \
 {                                                                           \
  .size = sizeof(struct mete_options), .flags = METE_IGNORE_ENV, __VA_ARGS__ \
 }

TEST(ranges)
{
	static const struct range_case cases[] = {
		{WITH(.cpus = 1025), -EINVAL},
		{WITH(.cpus = UINT32_MAX), -EINVAL},
		{WITH(.cpus = 1, .books = (enum mete_books)3), -EINVAL},
		{WITH(.cpus = 1, .placement = (enum mete_placement)3), -EINVAL},
		{WITH(.cpus = 1, .stack_bytes = 1), -EINVAL},
		{WITH(.cpus = 1, .stack_bytes = 4095), -EINVAL},
		{WITH(.cpus = 1, .stack_bytes = (1u << 30) + 1), -EINVAL},
		{WITH(.cpus = 1, .slice_ns = 1), -EINVAL},
		{WITH(.cpus = 1, .slice_ns = 99999), -EINVAL},
		{WITH(.cpus = 1, .slice_ns = 10000000001), -EINVAL},
		{WITH(.cpus = 1, .max_tasks = (1u << 24) + 1), -EINVAL},
		{WITH(.cpus = 1, .stack_bytes = 4096, .slice_ns = 100000,
		      .max_tasks = 1),
		 0},
		{WITH(.cpus = 5, .books = METE_BOOKS_OFF,
		      .slice_ns = 10000000000),
		 0},
		{WITH(.cpus = 1, .stack_bytes = 5000), 0},
	};
	struct mete_options flags = WITH(.cpus = 1);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct mete_options in_force;
		const struct mete_options *o = &cases[i].options;

		CHECK_EQ(resolve(o, &in_force), cases[i].error);
		CHECK_EQ(mete_cpus(), 0);
		if (cases[i].error)
			continue;
		CHECK_EQ(in_force.cpus, o->cpus);
		CHECK_EQ(in_force.books, o->books);
		CHECK_EQ(in_force.stack_bytes % 4096, 0);
		CHECK_GE(in_force.stack_bytes, o->stack_bytes);
		if (o->slice_ns)
			CHECK_EQ(in_force.slice_ns, o->slice_ns);
		if (o->max_tasks)
			CHECK_EQ(in_force.max_tasks, o->max_tasks);
	}
	flags.flags |= 1u << 20;
	CHECK_EQ(mete_start(&flags), -EINVAL);
	flags.size = 3;
	flags.flags = METE_IGNORE_ENV;
	CHECK_EQ(mete_start(&flags), -EINVAL);
	flags.size = 0;
	CHECK_EQ(mete_start(&flags), -EINVAL);
}

TEST(an_older_caller_sets_less)
{
	struct mete_options options = WITH(.cpus = 3);
	struct mete_options in_force;

	clear();
	options.size = offsetof(struct mete_options, books);
	options.books = METE_BOOKS_OFF;
	options.slice_ns = 1;
	CHECK_EQ(resolve(&options, &in_force), 0);
	CHECK_EQ(in_force.cpus, 3);
	CHECK_EQ(in_force.books, METE_BOOKS_TASK);
	CHECK_EQ(in_force.slice_ns, 3000000);
}

TEST(the_environment_overrides)
{
	struct mete_options options = METE_OPTIONS_INIT;
	struct mete_options in_force;

	clear();
	options.cpus = 1;
	options.slice_ns = 1234567;
	setenv("METE_CPUS", "3", 1);
	setenv("METE_STACK", "128K", 1);
	setenv("METE_BOOKS", "group", 1);
	setenv("METE_PLACEMENT", "spread", 1);
	setenv("METE_MAX_TASKS", "500", 1);
	CHECK_EQ(resolve(&options, &in_force), 0);
	CHECK_EQ(in_force.cpus, 3);
	CHECK_EQ(in_force.stack_bytes, 128 * 1024);
	CHECK_EQ(in_force.books, METE_BOOKS_GROUP);
	CHECK_EQ(in_force.placement, METE_PLACE_SPREAD);
	CHECK_EQ(in_force.max_tasks, 500);
	CHECK_EQ(in_force.slice_ns, 1234567);
	setenv("METE_SLICE", "5000", 1);
	setenv("METE_STACK", "2M", 1);
	setenv("METE_BOOKS", "off", 1);
	CHECK_EQ(resolve(&options, &in_force), 0);
	CHECK_EQ(in_force.slice_ns, 5000000);
	CHECK_EQ(in_force.stack_bytes, 2u << 20);
	CHECK_EQ(in_force.books, METE_BOOKS_OFF);
	/* Empty is unset; ignored when told so. */
	setenv("METE_CPUS", "", 1);
	setenv("METE_BOOKS", "", 1);
	CHECK_EQ(resolve(&options, &in_force), 0);
	CHECK_EQ(in_force.cpus, 1);
	CHECK_EQ(in_force.books, METE_BOOKS_TASK);
	options.flags = METE_IGNORE_ENV;
	setenv("METE_CPUS", "nonsense", 1);
	CHECK_EQ(resolve(&options, &in_force), 0);
	CHECK_EQ(in_force.cpus, 1);
	CHECK_EQ(in_force.books, METE_BOOKS_TASK);
	CHECK_EQ(in_force.stack_bytes, 64 * 1024);
}

TEST(nonsense_in_the_environment)
{
	static const char *const nonsense[][2] = {
		{"METE_CPUS", "0"},
		{"METE_CPUS", "-1"},
		{"METE_CPUS", "1025"},
		{"METE_CPUS", "two"},
		{"METE_CPUS", "2 "},
		{"METE_CPUS", " 2"},
		{"METE_CPUS", "2x"},
		{"METE_CPUS", "0x2"},
		{"METE_CPUS", "99999999999999999999"},
		{"METE_STACK", "100"},
		{"METE_STACK", "2G"},
		{"METE_STACK", "64KK"},
		{"METE_STACK", "64k"},
		{"METE_STACK", "K"},
		{"METE_STACK", "17179869184G"},
		{"METE_BOOKS", "Task"},
		{"METE_BOOKS", "0"},
		{"METE_SLICE", "99"},
		{"METE_SLICE", "10000001"},
		{"METE_MAX_TASKS", "0"},
		{"METE_MAX_TASKS", "17M"},
		{"METE_PLACEMENT", "near"},
		{"METE_PLACEMENT", "1"},
	};
	struct mete_options options = METE_OPTIONS_INIT;

	options.cpus = 1;
	for (size_t i = 0; i < sizeof(nonsense) / sizeof(nonsense[0]); i++) {
		clear();
		setenv(nonsense[i][0], nonsense[i][1], 1);
		CHECK_EQ(mete_start(&options), -EINVAL);
	}
}

static void start_and_show(void *arg)
{
	struct mete_options options = METE_OPTIONS_INIT;

	options.cpus = 2;
	options.flags = *(unsigned *)arg;
	CHECK_EQ(mete_start(&options), 0);
	CHECK_EQ(mete_stop(), 0);
}

TEST(shown_on_request)
{
	struct test_outcome outcome;
	unsigned flags = 0;

	clear();
	setenv("METE_SHOW", "1", 1);
	setenv("METE_SLICE", "7000", 1);
	test_in_child(start_and_show, &flags, &outcome);
	CHECK_STR(outcome.output, "METE_CPUS=2\nMETE_BOOKS=task\n"
				  "METE_STACK=65536\nMETE_SLICE=7000\n"
				  "METE_MAX_TASKS=1048576\n"
				  "METE_PLACEMENT=auto\n");
	flags = METE_IGNORE_ENV;
	test_in_child(start_and_show, &flags, &outcome);
	CHECK_STR(outcome.output, "");
	flags = 0;
	setenv("METE_SHOW", "0", 1);
	test_in_child(start_and_show, &flags, &outcome);
	CHECK_STR(outcome.output, "");
}

#if !TEST_SANITIZED

/* Other machines, as the C library would tell of them. */
static const char *const *files; /* path, contents, ..., NULL */
static size_t many_cpus;         /* all of them allowed; 0: as it is */

int open(const char *path, int flags, ...)
{
	for (const char *const *at = files; at && *at; at += 2) {
		int fd;

		if (strcmp(path, at[0]) != 0)
			continue;
		fd = memfd_create("file", MFD_CLOEXEC);
		if (write(fd, at[1], strlen(at[1])) < 0)
			return -1;
		lseek(fd, 0, SEEK_SET);
		return fd;
	}
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, 0);
}

int sched_getaffinity(pid_t pid, size_t bytes, cpu_set_t *ret)
{
	if (!many_cpus) {
		long n;

		memset(ret, 0, bytes);
		n = syscall(SYS_sched_getaffinity, pid, bytes, ret);
		return n < 0 ? -1 : 0;
	}
	/* The kernel's own mask is longer. */
	if (bytes * 8 < many_cpus) {
		errno = EINVAL;
		return -1;
	}
	memset(ret, 0, bytes);
	for (size_t cpu = 0; cpu < many_cpus; cpu++)
		CPU_SET_S(cpu, bytes, ret);
	return 0;
}

TEST(a_container_limits_the_cpus)
{
	static const char *const one[] = {
		"/proc/self/cgroup",
		"0::/a\n",
		"/proc/self/mountinfo",
		"30 22 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
		"/sys/fs/cgroup/a/cpu.max",
		"100000 100000\n",
		NULL,
	};
	struct mete_options options;

	clear();
	many_cpus = 7;
	CHECK_EQ(options_resolve(NULL, &options), 0);
	CHECK_LE(options.cpus, 7);
	files = one;
	CHECK_EQ(options_resolve(NULL, &options), 0);
	CHECK_EQ(options.cpus, 1);
}

TEST(machines_larger_than_the_runtime)
{
	static const char *const unlimited[] = {"/proc/self/cgroup", "", NULL};
	struct mete_options options;

	clear();
	files = unlimited;
	many_cpus = 1025;
	CHECK_EQ(options_resolve(NULL, &options), 0);
	CHECK_EQ(options.cpus, 1024);
	many_cpus = 5000;
	CHECK_EQ(options_resolve(NULL, &options), 0);
	CHECK_EQ(options.cpus, 1024);
}

#endif

#ifdef METE_FAULTS
TEST(refused_while_the_cpus_are_counted)
{
	struct mete_options options = {.cpus = 77};

	clear();
	os_fault_arm(OS_CALL_AFFINITY, 1, false);
	CHECK_EQ(options_resolve(NULL, &options), -EPERM);
	for (uint64_t k = 1;; k++) {
		int error;

		os_fault_arm(OS_CALL_ALLOC, k, false);
		error = options_resolve(NULL, &options);
		if (os_fault_count(OS_CALL_ALLOC) < k) {
			CHECK_EQ(error, 0);
			CHECK_GT(k, 3);
			break;
		}
		CHECK_EQ(error, -ENOMEM);
		CHECK_EQ(options.cpus, 77);
	}
}
#endif

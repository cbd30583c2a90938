/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which CPUs, and the container's limit over fake trees of both versions.
 */
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/test.h"
#include "os/inject.h"
#include "os/topology.h"

static char root[] = "/tmp/mete-topology-XXXXXX";

/* Writes a file below the root, with all directories above it. */
static void put(const char *path, const char *text)
{
	char full[1024];
	FILE *file;

	snprintf(full, sizeof(full), "%s%s", root, path);
	for (char *at = full + strlen(root) + 1; *at; at++) {
		if (*at != '/')
			continue;
		*at = '\0';
		mkdir(full, 0755);
		*at = '/';
	}
	file = fopen(full, "w");
	CHECK(file);
	fputs(text, file);
	fclose(file);
}

static void remove_file(const char *path)
{
	char full[1024];

	snprintf(full, sizeof(full), "%s%s", root, path);
	CHECK_EQ(unlink(full), 0);
}

static void begin(const char *cgroup, const char *mountinfo)
{
	CHECK(mkdtemp(root));
	put("/proc/self/cgroup", cgroup);
	put("/proc/self/mountinfo", mountinfo);
}

static void end(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", root);
	CHECK_EQ(system(command), 0);
}

static unsigned limit(void)
{
	unsigned cpus = 12345;

	CHECK_EQ(os_cpu_limit(root, &cpus), 0);
	return cpus;
}

#define V2_MOUNT                         \
 "22 1 0:21 / /proc rw - proc proc rw\n" \
 "30 22 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n"

TEST(allowed_cpus_are_the_affinity)
{
	struct os_cpulist list;
	cpu_set_t set;

	sched_getaffinity(0, sizeof(set), &set);
	CHECK_EQ(os_cpus_allowed(&list), 0);
	CHECK_EQ(list.count, CPU_COUNT(&set));
	for (unsigned i = 0; i < list.count; i++) {
		CHECK(CPU_ISSET(list.cpus[i], &set));
		CHECK(!i || list.cpus[i] > list.cpus[i - 1]);
	}
	/* Bound to the last one. */
	CPU_ZERO(&set);
	CPU_SET(list.cpus[list.count - 1], &set);
	CHECK_EQ(sched_setaffinity(0, sizeof(set), &set), 0);
	unsigned last = list.cpus[list.count - 1];
	os_cpulist_fini(&list);
	CHECK(!list.cpus && !list.count);
	CHECK_EQ(os_cpus_allowed(&list), 0);
	CHECK_EQ(list.count, 1);
	CHECK_EQ(list.cpus[0], last);
	os_cpulist_fini(&list);
}

TEST(v2_minimum_over_all_ancestors)
{
	begin("0::/a/b/c\n", V2_MOUNT);
	CHECK_EQ(limit(), UINT_MAX);
	put("/sys/fs/cgroup/a/b/c/cpu.max", "800000 100000\n");
	CHECK_EQ(limit(), 8);
	put("/sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
	CHECK_EQ(limit(), 8);
	put("/sys/fs/cgroup/a/cpu.max", "250000 100000\n");
	CHECK_EQ(limit(), 3);
	put("/sys/fs/cgroup/a/cpu.max", "200000 100000\n");
	CHECK_EQ(limit(), 2);
	put("/sys/fs/cgroup/cpu.max", "150000 100000\n");
	CHECK_EQ(limit(), 2);
	put("/sys/fs/cgroup/cpu.max", "1000 100000\n");
	CHECK_EQ(limit(), 1);
	/* A neighbour's limit is none of ours. */
	put("/sys/fs/cgroup/cpu.max", "max 100000\n");
	put("/sys/fs/cgroup/a/x/cpu.max", "1000 100000\n");
	put("/cpu.max", "1000 100000\n");
	put("/sys/fs/cpu.max", "1000 100000\n");
	CHECK_EQ(limit(), 2);
	end();
}

TEST(v2_container_sees_a_subtree)
{
	/* The mount shows /docker/1 as its root. */
	begin("0::/docker/1/app\n",
	      "30 22 0:26 /docker/1 /sys/fs/cgroup rw - cgroup2 none rw\n");
	put("/sys/fs/cgroup/app/cpu.max", "500000 100000\n");
	put("/sys/fs/cgroup/cpu.max", "300000 100000\n");
	CHECK_EQ(limit(), 3);
	end();
}

TEST(v2_path_outside_of_the_mount)
{
	begin("0::/../other\n",
	      "30 22 0:26 / /sys/fs/cgroup rw - cgroup2 none rw\n");
	put("/sys/fs/other/cpu.max", "100000 100000\n");
	put("/sys/fs/cgroup/cpu.max", "700000 100000\n");
	CHECK_EQ(limit(), 7);
	/* A name that merely begins alike is not below. */
	put("/proc/self/cgroup", "0::/docker/12\n");
	put("/proc/self/mountinfo",
	    "30 22 0:26 /docker/1 /sys/fs/cgroup rw - cgroup2 none rw\n");
	put("/sys/fs/cgroup2/cpu.max", "100000 100000\n");
	CHECK_EQ(limit(), 7);
	put("/proc/self/cgroup", "0::/elsewhere\n");
	put("/sys/fs/cgroup/elsewhere/cpu.max", "100000 100000\n");
	CHECK_EQ(limit(), 7);
	/* The mount's own root. */
	put("/proc/self/cgroup", "0::/docker/1\n");
	CHECK_EQ(limit(), 7);
	end();
}

TEST(v1_minimum_over_all_ancestors)
{
	begin("5:cpuset:/elsewhere\n4:cpu,cpuacct:/a/b\n"
	      "1:name=systemd:/user\n",
	      "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n"
	      "33 31 0:30 / /sys/fs/cgroup/cpuset rw - cgroup cgroup "
	      "rw,cpuset\n"
	      "32 31 0:29 / /cg/cpu rw master:1 - cgroup cgroup "
	      "rw,cpu,cpuacct\n");
	put("/cg/cpu/a/b/cpu.cfs_quota_us", "-1\n");
	put("/cg/cpu/a/b/cpu.cfs_period_us", "100000\n");
	CHECK_EQ(limit(), UINT_MAX);
	put("/cg/cpu/a/cpu.cfs_quota_us", "350000\n");
	put("/cg/cpu/a/cpu.cfs_period_us", "100000\n");
	CHECK_EQ(limit(), 4);
	put("/cg/cpu/a/b/cpu.cfs_quota_us", "60000\n");
	put("/cg/cpu/a/b/cpu.cfs_period_us", "50000\n");
	CHECK_EQ(limit(), 2);
	/* Of another controller: not ours. */
	put("/sys/fs/cgroup/cpuset/elsewhere/cpu.cfs_quota_us", "1000\n");
	put("/sys/fs/cgroup/cpuset/elsewhere/cpu.cfs_period_us", "100000\n");
	CHECK_EQ(limit(), 2);
	end();
}

TEST(both_versions_at_once)
{
	begin("4:cpu:/a\n0::/b\n",
	      "32 31 0:29 / /cg/cpu rw - cgroup cgroup rw,cpu\n" V2_MOUNT);
	put("/cg/cpu/a/cpu.cfs_quota_us", "500000\n");
	put("/cg/cpu/a/cpu.cfs_period_us", "100000\n");
	put("/sys/fs/cgroup/b/cpu.max", "900000 100000\n");
	CHECK_EQ(limit(), 5);
	put("/sys/fs/cgroup/b/cpu.max", "400000 100000\n");
	CHECK_EQ(limit(), 4);
	end();
}

TEST(blanks_in_mount_points)
{
	begin("0::/a b\n",
	      "30 22 0:26 / /sys/my\\040groups rw - cgroup2 none rw\n");
	put("/sys/my groups/a b/cpu.max", "600000 100000\n");
	CHECK_EQ(limit(), 6);
	end();
}

/* The kernel writes three octal digits: others stand for themselves. */
TEST(odd_escapes_in_mount_points)
{
	static const char *const points[] = {
		"/odd\\9", "/odd\\", "/odd\\1", "/odd\\04", "/odd\\!!!",
	};

	begin("0::/a\n", "");
	for (unsigned i = 0; i < sizeof(points) / sizeof(*points); i++) {
		char line[128];
		char path[128];

		snprintf(line, sizeof(line),
			 "30 22 0:26 / %s rw - cgroup2 none rw\n", points[i]);
		put("/proc/self/mountinfo", line);
		snprintf(path, sizeof(path), "%s/a/cpu.max", points[i]);
		snprintf(line, sizeof(line), "%u00000 100000\n", i + 2);
		put(path, line);
		CHECK_EQ(limit(), i + 2);
	}
	end();
}

/* Longer than any path that could be opened. */
TEST(a_path_without_end_limits_nothing)
{
	static char path[4000];
	static char cgroup[4100];
	static char mountinfo[2048];

	memset(path, 'x', sizeof(path) - 1);
	snprintf(cgroup, sizeof(cgroup), "0::/%s\n", path);
	snprintf(mountinfo, sizeof(mountinfo),
		 "30 22 0:26 / /%.200s rw - cgroup2 none rw\n" V2_MOUNT, path);
	begin(cgroup, mountinfo);
	put("/sys/fs/cgroup/cpu.max", "300000 100000\n");
	CHECK_EQ(limit(), 3);
	end();
}

TEST(unreadable_trees_limit_nothing)
{
	static const char *const broken[] = {
		"",
		"\n",
		"0\n",
		"0:\n",
		"x y z",
		"0::/a",
		"::::\n",
		"- - -\n",
		"30 22 0:26 - cgroup2 none rw",
		"30 22 0:26 / - cgroup2 none rw",
	};
	unsigned cpus;

	CHECK_EQ(os_cpu_limit("/nowhere", &cpus), 0);
	CHECK_EQ(cpus, UINT_MAX);
	begin("", "");
	for (size_t i = 0; i < sizeof(broken) / sizeof(*broken); i++) {
		for (size_t k = 0; k < sizeof(broken) / sizeof(*broken); k++) {
			put("/proc/self/cgroup", broken[i]);
			put("/proc/self/mountinfo", broken[k]);
			CHECK_EQ(limit(), UINT_MAX);
		}
	}
	put("/proc/self/cgroup", "0::/a\n");
	remove_file("/proc/self/mountinfo");
	CHECK_EQ(limit(), UINT_MAX);
	put("/proc/self/mountinfo", V2_MOUNT);
	put("/sys/fs/cgroup/a/cpu.max", "0 0\n");
	CHECK_EQ(limit(), UINT_MAX);
	put("/sys/fs/cgroup/a/cpu.max", "100000 0\n");
	CHECK_EQ(limit(), UINT_MAX);
	put("/sys/fs/cgroup/a/cpu.max", "nonsense\n");
	CHECK_EQ(limit(), UINT_MAX);
	put("/sys/fs/cgroup/a/cpu.max", "9223372036854775807 1\n");
	CHECK_EQ(limit(), UINT_MAX);
	end();
}

TEST(the_real_tree)
{
	unsigned cpus = 0;

	CHECK_EQ(os_cpu_limit("", &cpus), 0);
	CHECK_GE(cpus, 1);
}

#ifdef METE_FAULTS
TEST(refused_memory_is_told)
{
	struct os_cpulist list = {7, NULL};
	unsigned cpus = 12345;

	os_fault_arm(OS_CALL_ALLOC, 2, false);
	CHECK_EQ(os_cpus_allowed(&list), -ENOMEM);
	CHECK_EQ(list.count, 7);
	begin("4:cpu:/a\n0::/a\n",
	      "32 31 0:29 / /cg rw - cgroup cgroup rw,cpu\n"
	      "33 31 0:30 / /sys rw - sysfs sysfs rw\n" V2_MOUNT);
	put("/sys/fs/cgroup/a/cpu.max", "300000 100000\n");
	put("/cg/a/cpu.cfs_quota_us", "900000\n");
	put("/cg/a/cpu.cfs_period_us", "100000\n");
	for (uint64_t k = 1;; k++) {
		int err;

		os_fault_arm(OS_CALL_ALLOC, k, false);
		err = os_cpu_limit(root, &cpus);
		if (os_fault_count(OS_CALL_ALLOC) < k) {
			CHECK_EQ(err, 0);
			CHECK_EQ(cpus, 3);
			break;
		}
		CHECK_EQ(err, -ENOMEM);
		CHECK_EQ(cpus, 12345);
	}
	end();
}
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The limit.  /proc/self/cgroup says where the process stands in each
 * hierarchy ("0::/a/b" in version 2, "4:cpu,cpuacct:/a/b" in version 1),
 * /proc/self/mountinfo where the hierarchies are mounted, and which part of
 * them: in a container the mount may show a subtree only, and then the path is
 * to be taken relative to that.  From there all directories up to the mount
 * are read; each may limit.
 */
#include "os/topology.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "os/affinity.h"
#include "os/file.h"
#include "os/mem.h"

#define PATH_BYTES 4096

int os_cpus_allowed(struct os_cpulist *ret)
{
	struct os_affinity affinity;
	struct os_cpulist list = {0, NULL};
	int err;

	err = os_affinity_get(&affinity);
	if (err)
		return err;
	list.cpus =
		os_alloc((size_t)CPU_COUNT_S(affinity.bytes, affinity.mask) *
			 sizeof(*list.cpus));
	if (!list.cpus) {
		err = -ENOMEM;
		goto out;
	}
	for (unsigned cpu = 0; cpu < affinity.bytes * CHAR_BIT; cpu++)
		if (CPU_ISSET_S(cpu, affinity.bytes, affinity.mask))
			list.cpus[list.count++] = cpu;
	*ret = list;
out:
	os_affinity_fini(&affinity);
	return err;
}

void os_cpulist_fini(struct os_cpulist *list)
{
	os_free(list->cpus);
	*list = (struct os_cpulist){0, NULL};
}

/* Refused memory ends the search; a file that isn't there limits nothing. */
static int read_text(const char *path, char **ret)
{
	int err = os_file_read(path, ret);

	if (err == -ENOMEM)
		return err;
	if (err)
		*ret = NULL;
	return 0;
}

static void apply(int64_t quota, int64_t period, unsigned *limit)
{
	int64_t cpus;

	if (quota <= 0 || period <= 0)
		return;
	cpus = quota / period + (quota % period != 0);
	if (cpus < *limit)
		*limit = (unsigned)cpus;
}

/* cpu.max: "max 100000" or "150000 100000". */
static int read_v2(const char *directory, unsigned *limit)
{
	char path[PATH_BYTES + 32];
	int64_t quota;
	int64_t period;
	char *text;
	char *rest;
	int err;

	snprintf(path, sizeof(path), "%s/cpu.max", directory);
	err = read_text(path, &text);
	if (err || !text)
		return err;
	/* "max" is no number, so that nothing stands behind it. */
	quota = strtoll(text, &rest, 10);
	period = strtoll(rest, NULL, 10);
	apply(quota, period, limit);
	os_free(text);
	return 0;
}

static int read_number(const char *directory, const char *name, int64_t *ret)
{
	char path[PATH_BYTES + 32];
	char *text;
	int err;

	*ret = -1;
	snprintf(path, sizeof(path), "%s/%s", directory, name);
	err = read_text(path, &text);
	if (err || !text)
		return err;
	*ret = strtoll(text, NULL, 10);
	os_free(text);
	return 0;
}

static int read_v1(const char *directory, unsigned *limit)
{
	int64_t quota;
	int64_t period;
	int err;

	err = read_number(directory, "cpu.cfs_quota_us", &quota);
	if (!err)
		err = read_number(directory, "cpu.cfs_period_us", &period);
	if (!err)
		apply(quota, period, limit);
	return err;
}

/* A word of a list parted by commas. */
static bool lists(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = list; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (!strncmp(at, word, length) &&
		    (at[length] == ',' || !at[length]))
			return true;
	}
	return false;
}

/* Where the process stands: the line "...:controllers:PATH"; NULL if none.
 * The text is cut into lines and words. */
static const char *find_path(char *text, bool v2)
{
	char *save;

	for (char *line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		char *controllers = strchr(line, ':');
		char *path = controllers ? strchr(controllers + 1, ':') : NULL;

		if (!path)
			continue;
		*path++ = '\0';
		if (v2 ? controllers[1] == '\0' : lists(controllers + 1, "cpu"))
			return path;
	}
	return NULL;
}

/* mountinfo writes blanks and backslashes as three octal digits. */
static void unescape(char *text)
{
	char *to = text;

	for (const char *from = text; *from; to++) {
		if (from[0] == '\\' && from[1] >= '0' && from[1] <= '3' &&
		    from[2] && from[3]) {
			*to = (char)((from[1] - '0') << 6 |
				     (from[2] - '0') << 3 | (from[3] - '0'));
			from += 4;
		} else {
			*to = *from++;
		}
	}
	*to = '\0';
}

struct mount {
	char *root;  /* what part of the hierarchy it shows */
	char *point; /* where */
};

/* ID PARENT MAJOR:MINOR ROOT POINT OPTIONS FIELDS... - TYPE SOURCE SUPER */
static bool parse_mount(char *line, bool v2, struct mount *ret)
{
	char *super = strstr(line, " - ");
	char type[32];
	char options[PATH_BYTES];
	char *save;

	if (!super || sscanf(super, " - %31s %*s %4095s", type, options) != 2 ||
	    strcmp(type, v2 ? "cgroup2" : "cgroup") != 0 ||
	    (!v2 && !lists(options, "cpu")))
		return false;
	*super = '\0';
	strtok_r(line, " ", &save);
	strtok_r(NULL, " ", &save);
	strtok_r(NULL, " ", &save);
	ret->root = strtok_r(NULL, " ", &save);
	ret->point = strtok_r(NULL, " ", &save);
	if (!ret->root || !ret->point)
		return false;
	unescape(ret->root);
	unescape(ret->point);
	return true;
}

/* The part of path below the mount's root; "" where it lies elsewhere. */
static const char *below(const char *path, const char *root)
{
	size_t length = strcmp(root, "/") != 0 ? strlen(root) : 0;

	if (strncmp(path, root, length) != 0 ||
	    (path[length] && path[length] != '/') || strstr(path, "/.."))
		return "";
	return path + length;
}

/* From the process's group up to the mount. */
static int climb(const char *root, const struct mount *mount, const char *path,
		 int (*read)(const char *directory, unsigned *limit),
		 unsigned *limit)
{
	char directory[PATH_BYTES];
	size_t top = strlen(root) + strlen(mount->point);
	int n = snprintf(directory, sizeof(directory), "%s%s%s", root,
			 mount->point, below(path, mount->root));

	if (n < 0 || (size_t)n >= sizeof(directory))
		return 0;
	for (;;) {
		int err = read(directory, limit);

		if (err || strlen(directory) <= top)
			return err;
		/* What is longer than the mount's point begins behind it. */
		*strrchr(directory, '/') = '\0';
	}
}

static int apply_version(const char *root, bool v2, unsigned *limit)
{
	char file[PATH_BYTES];
	char *groups = NULL;
	char *mounts = NULL;
	const char *path;
	char *save;
	int err;

	snprintf(file, sizeof(file), "%s/proc/self/cgroup", root);
	err = read_text(file, &groups);
	if (err || !groups)
		return err;
	path = find_path(groups, v2);
	if (!path)
		goto out;
	snprintf(file, sizeof(file), "%s/proc/self/mountinfo", root);
	err = read_text(file, &mounts);
	if (err || !mounts)
		goto out;
	for (char *line = strtok_r(mounts, "\n", &save); line && !err;
	     line = strtok_r(NULL, "\n", &save)) {
		struct mount mount;

		if (parse_mount(line, v2, &mount))
			err = climb(root, &mount, path, v2 ? read_v2 : read_v1,
				    limit);
	}
out:
	os_free(mounts);
	os_free(groups);
	return err;
}

int os_cpu_limit(const char *root, unsigned *ret_cpus_ceil)
{
	unsigned limit = UINT_MAX;
	int err;

	err = apply_version(root, true, &limit);
	if (!err)
		err = apply_version(root, false, &limit);
	if (!err)
		*ret_cpus_ceil = limit;
	return err;
}

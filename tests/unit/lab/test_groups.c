/* SPDX-License-Identifier: Apache-2.0 */
/* lab/groups.c: the tree of the groups that a program names. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lab/groups.h"
#include "unit/lab/run.h"

static void rename_group(struct lab_task_spec *spec, const char *path)
{
	free(spec->taskgroup);
	spec->taskgroup = strdup(path);
	free(spec->phases[0].taskgroup);
	spec->phases[0].taskgroup = NULL;
}

static struct lab_program *naming(const char *path_a, const char *path_b)
{
	struct lab_program *program = program_of(
		"{\"tasks\": {\"a\": {\"run\": 1, \"taskgroup\": \"/t\"},"
		"\"b\": {\"run\": 1, \"taskgroup\": \"/t\"}}}");

	rename_group(&program->specs[0], path_a);
	rename_group(&program->specs[1], path_b);
	return program;
}

TEST(parents_stand_before_children)
{
	static const char *const paths[] = {"/", "/a", "/a/b", "/a/b/c",
					    "/a-b"};
	static const int parents[] = {-1, 0, 1, 2, 0};
	struct lab_program *program = naming("/a-b", "/a/b/c");
	struct lab_groups *groups;
	struct lab_error error;

	CHECK_EQ(lab_groups_collect(program, &groups, &error), 0);
	CHECK_EQ(groups->count, 5);
	for (size_t i = 0; i < 5; i++) {
		CHECK_STR(groups->rows[i].path, paths[i]);
		CHECK_EQ(groups->rows[i].parent, parents[i]);
		CHECK_EQ(lab_groups_find(groups, paths[i]), i);
	}
	CHECK_EQ(groups->rows[3].depth, 3);
	CHECK_EQ(lab_groups_find(groups, NULL), 0);
	CHECK_STR(lab_group_name("/a/b/c"), "c");
	CHECK_STR(lab_group_name("/"), "/");
	lab_groups_free(groups);
	lab_program_free(program);
}

static void refused(const char *path, const char *why)
{
	struct lab_program *program = naming(path, "/x");
	struct lab_groups *groups = NULL;
	struct lab_error error;

	CHECK_EQ(lab_groups_collect(program, &groups, &error), -EINVAL);
	CHECK(groups == NULL);
	CHECK_HAS(error.text, why);
	CHECK_HAS(error.text, "test.json:1:");
	lab_program_free(program);
}

TEST(paths_that_cannot_be_are_refused)
{
	refused("a", "begins with '/'");
	refused("/a//b", "a name after each '/'");
	refused("/a/", "a name after each '/'");
	refused("/a/../b", "no \".\" or \"..\"");
	refused("/0123456789012345678901234567890123", "at most 31 bytes");
	refused("/1/2/3/4/5/6/7/8/9/0/1/2/3/4/5/6/7/8/9/0/1/2/3/4/5/6/7/8/9/0"
		"/1/2/3",
		"at most 32 levels");
	refused("/a\nb", "printable");
}

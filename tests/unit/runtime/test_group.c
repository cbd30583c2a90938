/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The public face of groups: names, paths, handles, errors.  (Their books are
 * tested in acct/, law/ and stat/.)
 */
#include "unit/sched/running.h"

static atomic_int over;

TEST(calls_without_a_runtime)
{
	mete_group group = {5};
	char path[8] = "as it is";

	for (int i = 0; i < 2; i++) {
		CHECK_EQ(mete_group_create(&group, METE_ROOT, "g", NULL),
			 -ENOSYS);
		CHECK_EQ(mete_group_find(&group, "/"), -ENOSYS);
		CHECK_EQ(mete_group_path(METE_ROOT, path, sizeof(path)),
			 -ENOSYS);
		CHECK_EQ(mete_group_destroy(group), -ENOSYS);
		CHECK_EQ(mete_group_self().id, METE_ROOT.id);
		CHECK_EQ(mete_charge(group).id, 5);
		CHECK_EQ(group.id, 5);
		/* Again after a stop. */
		if (!i) {
			start_cpus(1);
			stop();
		}
	}
}

TEST(names)
{
	static const char *const wrong[] = {
		"",   "/",    "a/b",
		".",  "..",   "a\nb",
		"\t", "\x7f", "12345678901234567890123456789012"};
	static const char *const right[] = {"a",
					    "...",
					    " ",
					    "a.b",
					    "\xc3\xa4\xc3\xb6",
					    "1234567890123456789012345678901"};
	struct mete_group_attr attr = METE_GROUP_ATTR_INIT;
	mete_group group = {5}, found;

	start_cpus(1);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		CHECK_EQ(mete_group_create(&group, METE_ROOT, wrong[i], NULL),
			 -EINVAL);
	CHECK_EQ(mete_group_create(&group, METE_ROOT, NULL, NULL), -EINVAL);
	CHECK_EQ(mete_group_create(NULL, METE_ROOT, "a", NULL), -EINVAL);
	attr.size = 0;
	CHECK_EQ(mete_group_create(&group, METE_ROOT, "a", &attr), -EINVAL);
	CHECK_EQ(group.id, 5);
	attr.size = sizeof(attr);
	for (size_t i = 0; i < sizeof(right) / sizeof(right[0]); i++) {
		char path[64] = "/";

		CHECK_EQ(mete_group_create(&group, METE_ROOT, right[i], &attr),
			 0);
		CHECK_EQ(mete_group_find(&found, strcat(path, right[i])), 0);
		CHECK_EQ(found.id, group.id);
		CHECK_EQ(mete_group_create(&found, METE_ROOT, right[i], NULL),
			 -EEXIST);
		CHECK_EQ(found.id, group.id);
	}
	stop();
}

TEST(paths)
{
	static const char *const nowhere[] = {"/x",    "/a/x", "/a/b/c/x", "//",
					      "/a//b", "/ab",  "/a/b/cc"};
	mete_group a, b, c, found = {5};
	char path[16];

	start_cpus(1);
	a = group_below(METE_ROOT, "a");
	b = group_below(a, "b");
	c = group_below(b, "c");
	CHECK_EQ(mete_group_find(&found, "/"), 0);
	CHECK_EQ(found.id, METE_ROOT.id);
	CHECK_EQ(mete_group_find(&found, "/a"), 0);
	CHECK_EQ(found.id, a.id);
	CHECK_EQ(mete_group_find(&found, "/a/b/c"), 0);
	CHECK_EQ(found.id, c.id);
	found.id = 5;
	for (size_t i = 0; i < sizeof(nowhere) / sizeof(nowhere[0]); i++)
		CHECK_EQ(mete_group_find(&found, nowhere[i]), -ENOENT);
	CHECK_EQ(mete_group_find(&found, ""), -EINVAL);
	CHECK_EQ(mete_group_find(&found, "a"), -EINVAL);
	CHECK_EQ(mete_group_find(&found, NULL), -EINVAL);
	CHECK_EQ(found.id, 5);
	CHECK_EQ(mete_group_path(METE_ROOT, path, sizeof(path)), 0);
	CHECK_STR(path, "/");
	CHECK_EQ(mete_group_path(c, path, 7), 0);
	CHECK_STR(path, "/a/b/c");
	strcpy(path, "left");
	CHECK_EQ(mete_group_path(c, path, 6), -ERANGE);
	CHECK_EQ(mete_group_path(c, path, 0), -ERANGE);
	CHECK_EQ(mete_group_path(METE_ROOT, path, 1), -ERANGE);
	CHECK_EQ(mete_group_path((mete_group){0}, path, 7), -ESRCH);
	CHECK_EQ(mete_group_path((mete_group){99}, path, 7), -ESRCH);
	CHECK_STR(path, "left");
	stop();
}

TEST(depth)
{
	char expected[METE_PATH_MAX + 1] = "", path[METE_PATH_MAX + 1];
	char name[METE_NAME_MAX + 1];
	mete_group group = METE_ROOT, below;

	start_cpus(1);
	memset(name, 'n', METE_NAME_MAX);
	name[METE_NAME_MAX] = '\0';
	for (int i = 0; i < METE_DEPTH_MAX; i++) {
		group = group_below(group, name);
		strcat(strcat(expected, "/"), name);
	}
	CHECK_EQ(mete_group_create(&below, group, "x", NULL), -ELOOP);
	/* The longest of all paths. */
	CHECK_EQ(strlen(expected), METE_PATH_MAX);
	CHECK_EQ(mete_group_path(group, path, sizeof(path)), 0);
	CHECK_STR(path, expected);
	CHECK_EQ(mete_group_find(&below, path), 0);
	CHECK_EQ(below.id, group.id);
	stop();
}

TEST(destroying)
{
	mete_group a, b, again;

	start_cpus(1);
	a = group_below(METE_ROOT, "a");
	b = group_below(a, "b");
	CHECK_EQ(mete_group_destroy(METE_ROOT), -EBUSY);
	CHECK_EQ(mete_group_destroy(a), -EBUSY);
	CHECK_EQ(mete_group_destroy(b), 0);
	CHECK_EQ(mete_group_destroy(b), -ESRCH);
	CHECK_EQ(mete_group_destroy(a), 0);
	CHECK_EQ(mete_group_create(&b, a, "b", NULL), -ESRCH);
	CHECK_EQ(mete_group_find(&b, "/a"), -ENOENT);
	/* The name is free at once, the handle is another. */
	again = group_below(METE_ROOT, "a");
	CHECK_NE(again.id, a.id);
	CHECK_EQ(mete_group_destroy(a), -ESRCH);
	CHECK_EQ(mete_group_find(&b, "/a"), 0);
	CHECK_EQ(b.id, again.id);
	CHECK_EQ(mete_group_destroy((mete_group){0}), -ESRCH);
	CHECK_EQ(mete_group_destroy((mete_group){UINT64_MAX}), -ESRCH);
	stop();
}

static void *self_and_charge(void *arg)
{
	mete_group *groups = arg;

	CHECK_EQ(mete_group_self().id, groups[0].id);
	CHECK_EQ(mete_charge(groups[1]).id, groups[0].id);
	CHECK_EQ(mete_group_self().id, groups[1].id);
	mete_task_yield();
	CHECK_EQ(mete_group_self().id, groups[1].id);
	CHECK_EQ(mete_charge(METE_ROOT).id, groups[1].id);
	CHECK_EQ(mete_group_self().id, METE_ROOT.id);
	CHECK_EQ(mete_charge((mete_group){0}).id, 0);
	CHECK_EQ(mete_charge(groups[0]).id, METE_ROOT.id);
	return NULL;
}

TEST(who_pays)
{
	mete_group groups[2];

	start_cpus(1);
	groups[0] = group_below(METE_ROOT, "a");
	groups[1] = group_below(groups[0], "b");
	join(spawn_in(groups[0], self_and_charge, groups));
	/* Outside of tasks. */
	CHECK_EQ(mete_group_self().id, METE_ROOT.id);
	CHECK_EQ(mete_charge(groups[0]).id, groups[0].id);
	CHECK_EQ(mete_group_self().id, METE_ROOT.id);
	stop();
}

static void *work_in_a_dying_group(void *arg)
{
	CHECK_EQ(mete_group_destroy(*(mete_group *)arg), 0);
	compute(2 * MS);
	mete_task_yield();
	compute(2 * MS);
	while (!over)
		mete_task_sleep(MS);
	return NULL;
}

/* What a destroyed group's task uses goes on to the ancestors. */
TEST(a_destroyed_group_is_charged_to_its_last)
{
	mete_group a, b;
	mete_task task;

	start_cpus(2);
	a = group_below(METE_ROOT, "a");
	b = group_below(a, "b");
	task = spawn_in(b, work_in_a_dying_group, &b);
	for (uint64_t end = soon(); group_usage(a, 0).held_ns < 4 * MS;)
		CHECK_LT(now_ns(), end);
	over = 1;
	join(task);
	CHECK_EQ(mete_group_destroy(a), 0);
	CHECK_GE(group_usage(METE_ROOT, 0).held_ns, 4 * MS);
	stop();
}

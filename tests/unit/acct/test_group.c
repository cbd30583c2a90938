/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tree of groups: names, handles, paths, counts, order.
 */
#include <errno.h>
#include <stdio.h>

#include "unit/acct/fixture.h"

static uint64_t create(uint64_t parent, const char *name)
{
	uint64_t id = 0;

	CHECK_EQ(acct_group_create(&tree, parent, name, &id), 0);
	CHECK_NE(id, 0);
	return id;
}

static const char *path_of(uint64_t id)
{
	static char path[ACCT_PATH_MAX + 2];

	CHECK_EQ(acct_group_path(&tree, id, path, sizeof(path)), 0);
	return path;
}

TEST(paths_lead_there_and_back)
{
	uint64_t id = 0;
	char path[9] = "untouch";

	fixture_begin(ACCT_TASK);
	CHECK_STR(path_of(ACCT_ROOT_ID), "/");
	CHECK_STR(path_of(group_id[4]), "/a/b/c/d");
	CHECK_EQ(acct_group_find(&tree, "/a/b/c/d", &id), 0);
	CHECK_EQ(id, group_id[4]);
	CHECK_EQ(acct_group_find(&tree, "/", &id), 0);
	CHECK_EQ(id, ACCT_ROOT_ID);
	CHECK_EQ(acct_group_find(&tree, "/f/g", &id), 0);
	CHECK_EQ(id, group_id[7]);
	CHECK_EQ(acct_group_find(&tree, "/f/gg", &id), -ENOENT);
	CHECK_EQ(acct_group_find(&tree, "/f/", &id), 0);
	CHECK_EQ(acct_group_find(&tree, "/ff", &id), -ENOENT);
	CHECK_EQ(acct_group_find(&tree, "a", &id), -EINVAL);
	CHECK_EQ(acct_group_find(&tree, "", &id), -EINVAL);
	CHECK_EQ(acct_group_find(&tree, NULL, &id), -EINVAL);
	CHECK_EQ(acct_group_path(&tree, group_id[4], path, 8), -ERANGE);
	CHECK_EQ(acct_group_path(&tree, 12345, path, 8), -ESRCH);
	CHECK_STR(path, "untouch");
	CHECK_EQ(acct_group_path(&tree, group_id[4], path, 9), 0);
	fixture_end();
}

TEST(names_are_checked)
{
	char name[ACCT_NAME_MAX + 2];
	uint64_t id = 99;

	fixture_begin(ACCT_TASK);
	memset(name, 'x', sizeof(name));
	name[ACCT_NAME_MAX + 1] = '\0';
	static const char *const bad[] = {"",    ".",    "..",   "a/b",
					  "a\n", "\x7f", "tab\t"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CHECK_EQ(acct_group_create(&tree, 1, bad[i], &id), -EINVAL);
	CHECK_EQ(acct_group_create(&tree, 1, name, &id), -EINVAL);
	CHECK_EQ(acct_group_create(&tree, 1, "a", &id), -EEXIST);
	CHECK_EQ(acct_group_create(&tree, 0, "x", &id), -ESRCH);
	CHECK_EQ(acct_group_create(&tree, 1000, "x", &id), -ESRCH);
	CHECK_EQ(id, 99);
	name[ACCT_NAME_MAX] = '\0';
	create(ACCT_ROOT_ID, name);
	create(ACCT_ROOT_ID, "...");
	create(ACCT_ROOT_ID, "a b");
	fixture_end();
}

/* Not even when nothing is left below it. */
TEST(the_root_stays)
{
	fixture_begin(ACCT_TASK);
	for (int g = GROUPS - 1; g > 0; g--)
		CHECK_EQ(acct_group_destroy(&tree, group_id[g]), 0);
	CHECK_EQ(acct_group_destroy(&tree, ACCT_ROOT_ID), -EBUSY);
	CHECK(acct_group_get(&tree, ACCT_ROOT_ID));
	fixture_end();
}

TEST(depth_has_an_end)
{
	uint64_t id = ACCT_ROOT_ID;
	uint64_t beyond = 99;

	fixture_begin(ACCT_TASK);
	for (int i = 0; i < ACCT_DEPTH_MAX; i++)
		id = create(id, "a_name_of_thirty_one_characters");
	CHECK_EQ(acct_group_create(&tree, id, "x", &beyond), -ELOOP);
	CHECK_EQ(beyond, 99);
	CHECK_EQ(strlen(path_of(id)), 32 * ACCT_DEPTH_MAX);
	fixture_end();
}

TEST(handles_go_stale)
{
	uint64_t id = 0;
	uint64_t again;

	fixture_begin(ACCT_TASK);
	CHECK_EQ(acct_group_destroy(&tree, ACCT_ROOT_ID), -EBUSY);
	CHECK_EQ(acct_group_destroy(&tree, group_id[3]), -EBUSY);
	CHECK_EQ(acct_group_destroy(&tree, group_id[4]), 0);
	CHECK_EQ(acct_group_destroy(&tree, group_id[4]), -ESRCH);
	CHECK(!acct_group_get(&tree, group_id[4]));
	CHECK_EQ(acct_group_find(&tree, "/a/b/c/d", &id), -ENOENT);
	CHECK_EQ(acct_group_destroy(&tree, group_id[3]), 0);
	quiesce();
	/* The entries are used again, under other handles. */
	again = create(group_id[2], "c");
	CHECK_NE(again, group_id[3]);
	CHECK_NE(again, group_id[4]);
	CHECK_EQ(tree.groups.count.value, GROUPS);
	CHECK(!acct_group_get(&tree, group_id[3]));
	CHECK(!acct_group_get(&tree, group_id[4]));
	CHECK(acct_group_get(&tree, again));
	CHECK(!acct_group_get(&tree, 0));
	fixture_end();
}

TEST(created_counts_upwards)
{
	struct acct_usage usage;

	fixture_begin(ACCT_GROUP);
	acct_group_created(groups[4]);
	for (int g = 4; g >= 0; g = parent_of[g]) {
		acct_read_group(&tree, groups[g], &usage);
		CHECK_EQ(usage.count[ACCT_CREATED], 1);
		acct_read_own(&tree, groups[g], &usage);
		CHECK_EQ(usage.count[ACCT_CREATED], g == 4);
	}
	fixture_end();
}

TEST(the_walk_is_depth_first)
{
	static const int order[] = {0, 1, 2, 3, 4, 5, 6, 7};
	struct acct_group *group;
	size_t i = 0;

	fixture_begin(ACCT_TASK);
	for (group = tree.root; group; group = acct_group_next(group))
		CHECK(group == groups[order[i++]]);
	CHECK_EQ(i, GROUPS);
	for (int g = 1; g < GROUPS; g++) {
		const struct acct_slot *slot = &groups[g]->slot[1];

		CHECK_EQ(slot->depth, groups[parent_of[g]]->depth + 1);
		CHECK(slot->parent == &groups[parent_of[g]]->slot[1]);
	}
	CHECK(tree.root->slot[1].parent == &cpus[1].outside);
	CHECK_EQ(tree.root->slot[1].depth, 1);
	fixture_end();
}

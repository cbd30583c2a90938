/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tree of groups: names, handles and paths; who keeps a group from going,
 * and what passes on when it goes.
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

TEST(whoever_is_inside_keeps_it)
{
	struct acct_group *group;
	uint64_t id = 0;

	fixture_begin(ACCT_TASK);
	group = groups[7];
	CHECK_EQ(acct_group_enter(group), 0);
	acct_group_born(group, 1);
	CHECK_EQ(acct_group_destroy(&tree, group_id[7]), 0);
	CHECK_EQ(a32_own(&group->life), ACCT_DYING);
	/* Name and handle are free, nobody comes in. */
	CHECK_EQ(acct_group_enter(group), -ESRCH);
	CHECK_EQ(acct_group_find(&tree, "/f/g", &id), -ENOENT);
	id = create(group_id[6], "g");
	CHECK(acct_group_get(&tree, id) != group);
	/* It keeps its parent, which may be destroyed all the same. */
	CHECK_EQ(acct_group_destroy(&tree, id), 0);
	CHECK_EQ(acct_group_destroy(&tree, group_id[6]), 0);
	CHECK_EQ(a32_own(&groups[6]->life), ACCT_DYING);
	acct_group_died(&tree, group, 0);
	quiesce();
	CHECK_EQ(a32_own(&group->life), ACCT_DYING);
	acct_group_leave(&tree, group);
	quiesce();
	CHECK_EQ(a32_own(&group->life), ACCT_FREE);
	CHECK_EQ(a32_own(&groups[6]->life), ACCT_FREE);
	fixture_end();
}

TEST(a_cpu_that_charges_it_keeps_it)
{
	static struct acct_task task;

	fixture_begin(ACCT_TASK);
	acct_task_begin(&task, ACCT_NOWHERE, os_ticks());
	acct_resume(&cpus[1], &task, &groups[7]->slot[1]);
	CHECK_EQ(acct_group_destroy(&tree, group_id[7]), 0);
	CHECK_EQ(a32_own(&groups[7]->life), ACCT_DYING);
	quiesce();
	CHECK_EQ(a32_own(&groups[7]->life), ACCT_DYING);
	acct_move(&cpus[1], &task, &groups[6]->slot[1]);
	quiesce();
	CHECK_EQ(a32_own(&groups[7]->life), ACCT_FREE);
	CHECK_EQ(a32_own(&groups[6]->life), ACCT_LIVE);
	fixture_end();
}

/* A CPU has looked at a task's group, but not pressed into its slot yet: the
 * group waits until each CPU has switched twice, or sleeps. */
TEST(a_cpu_that_may_enter_keeps_it)
{
	static struct acct_task task;
	struct acct_slot *slot;

	fixture_begin(ACCT_TASK);
	slot = &groups[7]->slot[0];
	acct_task_begin(&task, ACCT_NOWHERE, os_ticks());
	CHECK_EQ(acct_group_enter(groups[7]), 0);
	CHECK_EQ(acct_group_destroy(&tree, group_id[7]), 0);
	acct_group_leave(&tree, groups[7]); /* it is moved away */
	a64_own_add(&cpus[1].switches, 2);
	a64_own_add(&cpus[0].switches, 1);
	acct_group_reap(&tree);
	CHECK_EQ(a32_own(&groups[7]->life), ACCT_DYING);
	acct_resume(&cpus[0], &task, slot);
	a64_own_add(&cpus[0].switches, 1);
	quiesce();
	CHECK_EQ(a32_own(&groups[7]->life), ACCT_DYING);
	CHECK(slot->parent == &groups[6]->slot[0]);
	acct_suspend(&cpus[0], &task, ACCT_LEAVE_VOLUNTARY);
	/* The one sleeps, the other switches. */
	acct_charge(&cpus[0], ACCT_SCHEDULER, ACCT_POLLING);
	acct_group_reap(&tree);
	acct_park(&cpus[0]);
	a64_own_add(&cpus[1].switches, 1);
	acct_group_reap(&tree);
	CHECK_EQ(a32_own(&groups[7]->life), ACCT_DYING);
	a64_own_add(&cpus[1].switches, 1);
	acct_group_reap(&tree);
	CHECK_EQ(a32_own(&groups[7]->life), ACCT_FREE);
	acct_unpark(&cpus[0]);
	fixture_end();
}

/* What a group used stays in its ancestors, its own goes to its parent's. */
TEST(nothing_is_lost_or_counted_twice)
{
	static struct acct_task task;
	struct acct_usage own;
	struct acct_usage before;
	struct acct_usage after;

	fixture_begin(ACCT_TASK);
	for (int g = GROUPS - 1; g >= 0; g--) {
		acct_task_begin(&task, ACCT_NOWHERE, os_ticks());
		acct_resume(&cpus[g % CPUS], &task, &groups[g]->slot[g % CPUS]);
		acct_created(&cpus[g % CPUS], &groups[g]->slot[g % CPUS]);
		acct_group_created(groups[g]);
		pass(1000 * (unsigned)(g + 1));
		plant_theft(&cpus[g % CPUS], 100);
		acct_suspend(&cpus[g % CPUS], &task, ACCT_LEAVE_VOLUNTARY);
	}
	acct_read_group(&tree, groups[0], &before);
	acct_read_own(&tree, groups[4], &own);
	acct_read_own(&tree, groups[3], &after);
	CHECK_EQ(own.count[ACCT_STOLEN], 100);
	CHECK_EQ(own.count[ACCT_CREATED], 2);
	own.meter[ACCT_EXEC] += after.meter[ACCT_EXEC];
	own.meter[ACCT_WAIT] += after.meter[ACCT_WAIT];
	CHECK_EQ(acct_group_destroy(&tree, group_id[4]), 0);
	quiesce();
	acct_read_own(&tree, groups[3], &after);
	CHECK_EQ(after.meter[ACCT_EXEC], own.meter[ACCT_EXEC]);
	CHECK_EQ(after.meter[ACCT_WAIT], own.meter[ACCT_WAIT]);
	CHECK_EQ(after.meter[ACCT_VOLUNTARY], 2);
	CHECK_EQ(after.count[ACCT_STOLEN], 200);
	CHECK_EQ(after.count[ACCT_CREATED], 4);
	/* All the way up, and none is left of it in its next life. */
	for (int g = GROUPS - 1; g > 0; g--)
		acct_group_destroy(&tree, group_id[g]);
	quiesce();
	acct_read_own(&tree, groups[0], &own);
	acct_read_group(&tree, groups[0], &after);
	CHECK_EQ(memcmp(&before, &after, sizeof(before)), 0);
	CHECK_EQ(memcmp(&own, &after, sizeof(own)), 0);
	CHECK_EQ(after.count[ACCT_CREATED], 2 * GROUPS);
	CHECK(!acct_group_next(groups[0]));
	for (int g = 1; g < GROUPS; g++) {
		uint64_t id = create(ACCT_ROOT_ID, name_of[g]);
		struct acct_group *group = acct_group_get(&tree, id);
		static const struct acct_usage none;

		acct_read_own(&tree, group, &own);
		acct_read_group(&tree, group, &after);
		CHECK_EQ(memcmp(&own, &none, sizeof(own)), 0);
		CHECK_EQ(memcmp(&after, &none, sizeof(after)), 0);
	}
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

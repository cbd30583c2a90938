/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of destroyed groups: who keeps one from going, the grace period, and
 * what passes on when it goes.
 */
#include <errno.h>

#include "unit/acct/fixture.h"

static uint64_t create(uint64_t parent, const char *name)
{
	uint64_t id = 0;

	CHECK_EQ(acct_group_create(&tree, parent, name, &id), 0);
	CHECK_NE(id, 0);
	return id;
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
 * group waits until each CPU, a while after it was found empty, has switched
 * once more, or sleeps. */
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
	/* What they counted may only now come to light. */
	a64_own_add(&cpus[1].switches, 2);
	a64_own_add(&cpus[0].switches, 2);
	acct_group_reap(&tree);
	CHECK_EQ(a32_own(&groups[7]->life), ACCT_DYING);
	await_counting();
	a64_own_add(&cpus[1].switches, 1);
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
	await_counting();
	acct_park(&cpus[0]);
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

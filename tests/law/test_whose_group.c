/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose time it is, by group: charges for a scope, moves, turns of groups, and
 * what a safe point settles.
 */
#include "law/life.h"
#include "sched/cpu.h"

static mete_group there;
static uint64_t charge_ns[4];

static void *charger(void *arg)
{
	struct life *life = arg;
	mete_group before;

	life->first_ns = os_monotonic_ns();
	spin(SPAN);
	charge_ns[0] = os_monotonic_ns();
	before = mete_charge(there);
	charge_ns[1] = os_monotonic_ns();
	spin(SPAN);
	charge_ns[2] = os_monotonic_ns();
	CHECK_EQ(mete_charge(before).id, there.id);
	charge_ns[3] = os_monotonic_ns();
	spin(SPAN / 2);
	life->last_ns = os_monotonic_ns();
	return NULL;
}

/* In the group and in all above, in nobody else's. */
static void check_group(mete_group group, unsigned flags, uint64_t least,
			uint64_t most)
{
	struct mete_usage usage;

	CHECK_EQ(mete_group_usage(group, flags, &usage, sizeof(usage)), 0);
	at_least(usage.held_ns, least);
	at_most(usage.held_ns, most);
}

static void charge_in(enum mete_books books)
{
	struct life a = {0};
	mete_group above;
	mete_group here;
	uint64_t there_least;
	uint64_t there_most;

	start(1, books);
	CHECK_EQ(mete_group_create(&here, METE_ROOT, "here", NULL), 0);
	CHECK_EQ(mete_group_create(&above, METE_ROOT, "above", NULL), 0);
	CHECK_EQ(mete_group_create(&there, above, "there", NULL), 0);
	begin_life(&a, here, charger);
	CHECK_EQ(mete_task_wait(a.task, METE_FOREVER), 0);
	a.ended_ns = os_monotonic_ns();
	there_least = charge_ns[2] - charge_ns[1];
	there_most = charge_ns[3] - charge_ns[0];
	check_group(there, 0, there_least, there_most);
	check_group(there, METE_OWN, there_least, there_most);
	check_group(above, 0, there_least, there_most);
	check_group(above, METE_OWN, 0, 0);
	check_group(here, 0,
		    charge_ns[0] - a.first_ns + a.last_ns - charge_ns[3],
		    charge_ns[1] - a.create_ns + a.ended_ns - charge_ns[2]);
	check_group(METE_ROOT, 0, a.last_ns - a.first_ns,
		    a.ended_ns - a.create_ns);
	CHECK_EQ(mete_task_join(a.task, METE_FOREVER, NULL), 0);
	CHECK_EQ(mete_stop(), 0);
}

TEST(a_scoped_charge_pays_for_its_scope)
{
	charge_in(METE_BOOKS_TASK);
}

TEST(a_scoped_charge_by_group)
{
	charge_in(METE_BOOKS_GROUP);
}

static struct mete_barrier both_here = METE_BARRIER_INIT(2);

static void *yielder(void *arg)
{
	struct life *life = arg;

	CHECK_GE(mete_barrier_wait(&both_here, METE_FOREVER), 0);
	life->first_ns = os_monotonic_ns();
	for (int i = 0; i < 200; i++) {
		spin(100 * US);
		mete_task_yield();
	}
	life->last_ns = os_monotonic_ns();
	return NULL;
}

/* Two that take turns in two groups: each group has what its task has. */
static void turns_in(enum mete_books books)
{
	struct life life[2] = {{.task = {0}}, {.task = {0}}};
	struct mete_usage usage[2];
	mete_group group[2];
	uint64_t both = 0;

	start(1, books);
	CHECK_EQ(mete_group_create(&group[0], METE_ROOT, "0", NULL), 0);
	CHECK_EQ(mete_group_create(&group[1], METE_ROOT, "1", NULL), 0);
	for (int i = 0; i < 2; i++)
		begin_life(&life[i], group[i], yielder);
	for (int i = 0; i < 2; i++) {
		CHECK_EQ(mete_task_wait(life[i].task, METE_FOREVER), 0);
		CHECK_EQ(mete_group_usage(group[i], 0, &usage[i],
					  sizeof(usage[i])),
			 0);
		/* Each computed for at least its rounds. */
		at_least(usage[i].held_ns, 200 * 100 * US);
		CHECK_GE(usage[i].voluntary, 150);
		CHECK_LE(usage[i].voluntary, 202);
		both += usage[i].held_ns;
		if (books == METE_BOOKS_TASK) {
			struct mete_usage task;

			CHECK_EQ(mete_task_usage(life[i].task, 0, &task,
						 sizeof(task)),
				 0);
			CHECK_EQ(task.exec_ns, usage[i].exec_ns);
			CHECK_EQ(task.stolen_ns, usage[i].stolen_ns);
			CHECK_EQ(task.wait_ns, usage[i].wait_ns);
			CHECK_EQ(task.voluntary, usage[i].voluntary);
		}
	}
	at_most(both, os_monotonic_ns() - life[0].create_ns);
	for (int i = 0; i < 2; i++)
		CHECK_EQ(mete_task_join(life[i].task, METE_FOREVER, NULL), 0);
	CHECK_EQ(mete_stop(), 0);
}

TEST(turns_of_two_groups_by_task)
{
	turns_in(METE_BOOKS_TASK);
}

TEST(turns_of_two_groups_by_group)
{
	turns_in(METE_BOOKS_GROUP);
}

static struct a32 moved;
static uint64_t move_ns;
static uint64_t noticed_ns;

static void *moving(void *arg)
{
	struct life *life = arg;

	life->first_ns = os_monotonic_ns();
	while (!a32_load_acquire(&moved))
		mete_checkpoint();
	mete_checkpoint();
	noticed_ns = os_monotonic_ns();
	spin(SPAN);
	life->last_ns = os_monotonic_ns();
	return NULL;
}

/* By a foreign thread, while it runs: from its next safe point on. */
TEST(a_running_task_is_moved_at_its_safe_point)
{
	struct life a = {0};
	mete_group here;

	start(1, METE_BOOKS_TASK);
	CHECK_EQ(mete_group_create(&here, METE_ROOT, "here", NULL), 0);
	CHECK_EQ(mete_group_create(&there, METE_ROOT, "there", NULL), 0);
	begin_life(&a, here, moving);
	spin(SPAN);
	move_ns = os_monotonic_ns();
	CHECK_EQ(mete_task_move(a.task, there), 0);
	a32_store_release(&moved, 1);
	end_life(&a);
	check_group(there, METE_OWN, a.last_ns - noticed_ns,
		    a.ended_ns - move_ns);
	/* It may have begun late: what it had before is all it has in here. */
	check_group(here, METE_OWN,
		    a.first_ns < move_ns ? move_ns - a.first_ns : 0,
		    noticed_ns - a.create_ns);
	stop();
}

static void *checkpointer(void *arg)
{
	struct life *life = arg;

	life->first_ns = os_monotonic_ns();
	while (!a32_load_acquire(&moved))
		mete_checkpoint();
	life->last_ns = os_monotonic_ns();
	return NULL;
}

/* Asked for a safe point, a task that runs alone settles what runs: readings
 * of its CPU, its groups and itself become fresh without a switch.  The CPU's
 * is written last, so it is read first. */
TEST(a_safe_point_settles)
{
	struct mete_cpu_usage cpu;
	struct mete_usage usage;
	struct life a = {0};
	mete_group here;
	uint64_t last = 0;
	int fresh = 0;

	start(1, METE_BOOKS_TASK);
	CHECK_EQ(mete_group_create(&here, METE_ROOT, "here", NULL), 0);
	begin_life(&a, here, checkpointer);
	while (fresh < 5) {
		/* As the tick does when others have waited for a slice. */
		a32_or_release(&sched.cpu[0]->due, DUE_SLICE);
		spin(200 * US);
		CHECK_EQ(mete_cpu_usage(0, 0, &cpu, sizeof(cpu)), 0);
		if (cpu.exec_ns == last)
			continue;
		last = cpu.exec_ns;
		fresh++;
		CHECK_EQ(mete_group_usage(METE_ROOT, 0, &usage, sizeof(usage)),
			 0);
		CHECK_GE(usage.exec_ns, last);
		CHECK_EQ(mete_group_usage(here, METE_OWN, &usage,
					  sizeof(usage)),
			 0);
		CHECK_GE(usage.exec_ns, last);
		CHECK_EQ(mete_task_usage(a.task, 0, &usage, sizeof(usage)), 0);
		CHECK_GE(usage.exec_ns, last);
	}
	a32_store_release(&moved, 1);
	end_life(&a);
	CHECK_EQ(a.usage.voluntary, 1);
	stop();
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Creation: what a new task has, from whom, and that it runs.
 */
#include "unit/sched/running.h"

static void *nothing(void *arg)
{
	return arg;
}

static void *say_group(void *arg)
{
	*(mete_group *)arg = mete_group_self();
	return NULL;
}

static void *spawn_child(void *arg)
{
	join(spawn(say_group, arg));
	return NULL;
}

TEST(the_group_is_the_creators_unless_said)
{
	mete_group a, b, seen;

	start_cpus(2);
	a = group_below(METE_ROOT, "a");
	b = group_below(a, "b");
	join(spawn(say_group, &seen));
	CHECK_EQ(seen.id, METE_ROOT.id);
	join(spawn_in(b, say_group, &seen));
	CHECK_EQ(seen.id, b.id);
	join(spawn_in(b, spawn_child, &seen));
	CHECK_EQ(seen.id, b.id);
	stop();
}

TEST(a_group_counts_its_tasks)
{
	mete_group a, b, seen;

	start_cpus(2);
	a = group_below(METE_ROOT, "a");
	b = group_below(a, "b");
	for (int i = 0; i < 5; i++)
		join(spawn_in(a, nothing, NULL));
	for (int i = 0; i < 3; i++)
		join(spawn_in(b, spawn_child, &seen));
	CHECK_EQ(group_usage(a, METE_OWN).tasks, 5);
	CHECK_EQ(group_usage(b, METE_OWN).tasks, 6);
	CHECK_EQ(group_usage(a, 0).tasks, 11);
	CHECK_EQ(group_usage(METE_ROOT, METE_OWN).tasks, 0);
	CHECK_EQ(group_usage(METE_ROOT, 0).tasks, 11);
	stop();
}

static void *own_name(void *arg)
{
	CHECK_EQ(mete_task_name(mete_task_self(), arg, METE_NAME_MAX + 1), 0);
	return NULL;
}

static void check_name(const char *given, const char *expected)
{
	struct mete_task_attr attr = METE_TASK_ATTR_INIT;
	char name[METE_NAME_MAX + 1] = "?";
	char copy[64];
	mete_task task;

	attr.name = NULL;
	if (given) {
		strcpy(copy, given);
		attr.name = copy;
	}
	CHECK_EQ(mete_task_create(&task, &attr, own_name, name), 0);
	memset(copy, 'x', sizeof(copy) - 1);
	CHECK_EQ(mete_task_wait(task, soon()), 0);
	CHECK_STR(name, expected);
	memset(name, 'z', sizeof(name));
	CHECK_EQ(mete_task_name(task, name, strlen(expected)), -ERANGE);
	CHECK_EQ(name[0], 'z');
	CHECK_EQ(mete_task_name(task, name, strlen(expected) + 1), 0);
	CHECK_STR(name, expected);
	join(task);
}

TEST(names_are_copied_and_cut)
{
	start_cpus(1);
	check_name("one", "one");
	check_name(NULL, "");
	check_name("", "");
	check_name("exactly thirty-one characters..",
		   "exactly thirty-one characters..");
	check_name("exactly thirty-one characters..32",
		   "exactly thirty-one characters..");
	check_name("short again", "short again");
	stop();
}

static atomic_int ran_on[4];

static void *count_cpu(void *arg)
{
	ran_on[mete_cpu_self()]++;
	return arg;
}

TEST(an_affinity_from_birth)
{
	unsigned cpus[] = {3, 1};
	struct mete_cpuset set = {cpus, 2};
	struct mete_cpuset every = {NULL, 0};
	struct mete_task_attr attr = METE_TASK_ATTR_INIT;
	mete_task task;

	start_cpus(4);
	attr.affinity = &set;
	for (int i = 0; i < 50; i++) {
		CHECK_EQ(mete_task_create(&task, &attr, count_cpu, NULL), 0);
		join(task);
		CHECK_EQ(mete_task_create(NULL, NULL, count_cpu, NULL),
			 -EINVAL);
	}
	CHECK_EQ(ran_on[0] + ran_on[2], 0);
	CHECK_EQ(ran_on[1] + ran_on[3], 50);
	attr.affinity = &every;
	CHECK_EQ(mete_task_create(&task, &attr, count_cpu, NULL), 0);
	join(task);
	/* Bound ones keep to their CPU. */
	for (unsigned cpu = 0; cpu < 4; cpu++) {
		int before = ran_on[cpu];

		for (int i = 0; i < 20; i++)
			join(spawn_on(cpu, count_cpu, NULL));
		CHECK_EQ(ran_on[cpu], before + 20);
	}
	stop();
}

static void *spawn_many(void *arg)
{
	mete_task tasks[100];

	for (int i = 0; i < 100; i++)
		tasks[i] = spawn(nothing, &tasks[i]);
	for (int i = 99; i >= 0; i--)
		CHECK(join(tasks[i]) == &tasks[i]);
	return arg;
}

TEST(tasks_create_tasks)
{
	mete_task tasks[10];

	start_cpus(2);
	for (int i = 0; i < 10; i++)
		tasks[i] = spawn(spawn_many, NULL);
	for (int i = 0; i < 10; i++)
		join(tasks[i]);
	CHECK_EQ(group_usage(METE_ROOT, 0).tasks, 1010);
	stop();
}

TEST(a_failed_creation_leaves_nothing)
{
	struct mete_task_attr attr = METE_TASK_ATTR_INIT;
	mete_group group;
	mete_task task = {5};

	start_cpus(1);
	group = group_below(METE_ROOT, "g");
	CHECK_EQ(mete_group_destroy(group), 0);
	attr.group = group;
	for (int i = 0; i < 100; i++)
		CHECK_EQ(mete_task_create(&task, &attr, nothing, NULL), -ESRCH);
	attr.group.id = 0;
	attr.stack_bytes = 1u << 30;
	CHECK_EQ(task.id, 5);
	CHECK_EQ(group_usage(METE_ROOT, 0).tasks, 0);
	join(spawn(nothing, NULL));
	stop();
}

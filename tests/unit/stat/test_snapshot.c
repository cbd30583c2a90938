/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The snapshot: everything in its place, and whole sums in nanoseconds.
 */
#include <stdio.h>
#include <stdlib.h>

#include "os/inject.h"
#include "unit/sched/running.h"

enum {
	GROUPS = 12,
	TASKS = 60,
};

static mete_group groups[GROUPS + 1];
static atomic_int over;

static void *nothing(void *arg)
{
	return arg;
}

static void *some_work(void *arg)
{
	uint64_t us = (uintptr_t)arg;

	for (int i = 0; i < 3; i++) {
		compute(us * US);
		mete_task_sleep(50 * US);
	}
	return NULL;
}

/* A tree three deep with several tasks in each. */
static void make_tree(mete_task *tasks)
{
	groups[0] = METE_ROOT;
	for (int i = 1; i <= GROUPS; i++) {
		char name[8];

		snprintf(name, sizeof(name), "g%d", i);
		groups[i] = group_below(groups[(i - 1) / 3], name);
	}
	for (int i = 0; i < TASKS; i++) {
		tasks[i] = spawn_in(groups[i % (GROUPS + 1)], some_work,
				    (void *)(uintptr_t)(10 + i));
	}
}

static uint64_t exec(const struct mete_usage *u)
{
	return u->exec_ns;
}

static uint64_t stolen(const struct mete_usage *u)
{
	return u->stolen_ns;
}

static uint64_t wait_time(const struct mete_usage *u)
{
	return u->wait_ns;
}

static uint64_t blocked(const struct mete_usage *u)
{
	return u->blocked_ns;
}

static uint64_t wakeups(const struct mete_usage *u)
{
	return u->wakeups;
}

static uint64_t voluntary(const struct mete_usage *u)
{
	return u->voluntary;
}

static uint64_t created(const struct mete_usage *u)
{
	return u->tasks;
}

static void check_sums(const struct mete_snapshot *s,
		       uint64_t (*of)(const struct mete_usage *),
		       bool tasks_too)
{
	uint64_t own_all = 0, tasks_all = 0;

	for (size_t i = 0; i < s->group_count; i++) {
		uint64_t below = 0;

		for (size_t j = 0; j < s->group_count; j++) {
			size_t up = j;

			while (up != i && s->groups[up].parent >= 0)
				up = (size_t)s->groups[up].parent;
			if (up == i)
				below += of(&s->groups[j].own);
		}
		CHECK_EQ(of(&s->groups[i].usage), below);
		own_all += of(&s->groups[i].own);
	}
	CHECK_EQ(of(&s->groups[0].usage), own_all);
	for (size_t i = 0; i < s->group_count && tasks_too; i++) {
		uint64_t sum = 0;

		for (size_t t = 0; t < s->task_count; t++)
			if (s->tasks[t].group == i)
				sum += of(&s->tasks[t].usage);
		CHECK_EQ(of(&s->groups[i].own), sum);
		tasks_all += sum;
	}
	if (tasks_too)
		CHECK_EQ(tasks_all, own_all);
}

/* At rest, to the nanosecond: tasks, own, inclusive, CPUs. */
TEST(sums_are_whole)
{
	static mete_task tasks[TASKS];
	struct mete_snapshot *s = NULL;
	uint64_t cpus_exec = 0, cpus_stolen = 0;

	start_cpus(2);
	make_tree(tasks);
	for (int i = 0; i < TASKS; i++)
		CHECK_EQ(mete_task_wait(tasks[i], soon()), 0);
	CHECK_EQ(mete_snapshot(&s), 0);
	CHECK_EQ(s->group_count, GROUPS + 1);
	CHECK_EQ(s->task_count, TASKS);
	CHECK_EQ(s->cpu_count, 2);
	check_sums(s, exec, true);
	check_sums(s, stolen, true);
	check_sums(s, wait_time, true);
	check_sums(s, blocked, true);
	check_sums(s, wakeups, true);
	check_sums(s, voluntary, true);
	check_sums(s, created, true);
	for (size_t i = 0; i < s->cpu_count; i++) {
		const struct mete_cpu_usage *c = &s->cpus[i];

		CHECK_EQ(c->held_ns + c->scheduler_ns + c->polling_ns +
				 c->parked_ns,
			 c->wall_ns);
		cpus_exec += c->exec_ns;
		cpus_stolen += c->stolen_ns;
	}
	CHECK_EQ(cpus_exec, s->groups[0].usage.exec_ns);
	CHECK_EQ(cpus_stolen, s->groups[0].usage.stolen_ns);
	CHECK_EQ(s->ledger.exec_ns, cpus_exec);
	CHECK_EQ(s->ledger.residual_ticks, 0);
	CHECK_EQ(s->ledger.groups_residual_ticks, 0);
	mete_snapshot_free(s);
	/* The dead that are gone are still in their groups. */
	for (int i = 0; i < TASKS; i++)
		join(tasks[i]);
	CHECK_EQ(mete_snapshot(&s), 0);
	CHECK_EQ(s->task_count, 0);
	CHECK_EQ(s->groups[0].usage.exec_ns, cpus_exec);
	check_sums(s, exec, false);
	mete_snapshot_free(s);
	mete_snapshot_free(NULL);
	stop();
}

TEST(rows_stand_in_order)
{
	static mete_task tasks[TASKS];
	struct mete_snapshot *s;
	uint64_t before = now_ns();

	start_cpus(2);
	make_tree(tasks);
	for (int i = 0; i < TASKS; i++)
		CHECK_EQ(mete_task_wait(tasks[i], soon()), 0);
	CHECK_EQ(mete_snapshot(&s), 0);
	CHECK(s->stamp_ns >= before && s->stamp_ns <= now_ns());
	CHECK_EQ(s->groups[0].parent, -1);
	CHECK_EQ(s->groups[0].depth, 0);
	CHECK_EQ(s->groups[0].group.id, METE_ROOT.id);
	CHECK_STR(s->groups[0].path, "/");
	for (size_t i = 1; i < s->group_count; i++) {
		const struct mete_group_row *row = &s->groups[i];
		char path[METE_PATH_MAX + 1];

		CHECK(row->parent >= 0 && (size_t)row->parent < i);
		CHECK_EQ(row->depth, s->groups[row->parent].depth + 1);
		CHECK_EQ(mete_group_path(row->group, path, sizeof(path)), 0);
		CHECK_STR(row->path, path);
	}
	CHECK_STR(s->groups[1].path, "/g1");
	CHECK_STR(s->groups[2].path, "/g1/g4");
	for (size_t t = 0; t < s->task_count; t++) {
		CHECK_EQ(s->tasks[t].state, METE_TASK_DEAD);
		CHECK_LT(s->tasks[t].group, s->group_count);
		if (t)
			CHECK_GE(s->tasks[t].group, s->tasks[t - 1].group);
		/* By itself each is rounded down, in a sum to a whole. */
		CHECK_LE(llabs((int64_t)(usage_of(s->tasks[t].task).exec_ns -
					 s->tasks[t].usage.exec_ns)),
			 1);
	}
	mete_snapshot_free(s);
	stop();
}

static void *wait_for_over(void *arg)
{
	while (!over)
		mete_task_sleep(MS);
	return arg;
}

TEST(a_destroyed_group_with_a_task_is_marked)
{
	struct mete_task_attr attr = METE_TASK_ATTR_INIT;
	struct mete_snapshot *s;
	mete_group a, b;
	mete_task task;
	size_t i;

	start_cpus(1);
	a = group_below(METE_ROOT, "a");
	b = group_below(a, "b");
	attr.name = "inside";
	attr.group = b;
	CHECK_EQ(mete_task_create(&task, &attr, wait_for_over, NULL), 0);
	CHECK_EQ(mete_group_destroy(b), 0);
	CHECK_EQ(mete_group_destroy(a), 0);
	CHECK_EQ(mete_snapshot(&s), 0);
	CHECK_EQ(s->group_count, 3);
	CHECK_STR(s->groups[1].path, "/a (destroyed)");
	CHECK_STR(s->groups[2].path, "/a/b (destroyed)");
	CHECK_EQ(s->task_count, 1);
	CHECK_STR(s->tasks[0].name, "inside");
	CHECK_EQ(s->tasks[0].group, 2);
	CHECK_EQ(s->tasks[0].task.id, task.id);
	mete_snapshot_free(s);
	over = 1;
	join(task);
	/* It is freed after a grace period, at some next occasion. */
	for (uint64_t end = soon();;) {
		CHECK_EQ(mete_group_create(&a, METE_ROOT, "a", NULL), 0);
		CHECK_EQ(mete_group_destroy(a), 0);
		CHECK_EQ(mete_snapshot(&s), 0);
		i = s->group_count;
		CHECK_EQ(s->task_count, 0);
		mete_snapshot_free(s);
		if (i == 1)
			break;
		CHECK_LT(now_ns(), end);
		join(spawn(nothing, NULL));
	}
	stop();
}

static void *spawn_on_and_on(void *arg)
{
	while (!over) {
		mete_task task = spawn(nothing, NULL);

		if (mete_task_detach(task))
			FAIL("detach");
		mete_task_yield();
	}
	return arg;
}

/* Taken while everything changes: it never fails nor shows nonsense. */
TEST(under_a_storm)
{
	uint64_t rounds = test_rounds(200);
	mete_task tasks[4];

	start_cpus(2);
	for (int i = 0; i < 4; i++)
		tasks[i] = spawn(spawn_on_and_on, NULL);
	for (uint64_t i = 0; i < rounds; i++) {
		mete_group group = group_below(METE_ROOT, "passing");
		struct mete_snapshot *s;
		int error;

		CHECK_EQ(mete_task_move(tasks[i % 4], group), 0);
		do
			error = mete_snapshot(&s);
		while (error == -EAGAIN);
		CHECK_EQ(error, 0);
		CHECK_EQ(s->ledger.residual_ticks, 0);
		for (size_t t = 0; t < s->task_count; t++)
			CHECK_LT(s->tasks[t].group, s->group_count);
		for (size_t g = 0; g < s->group_count; g++)
			CHECK_EQ(s->groups[g].path[0], '/');
		mete_snapshot_free(s);
		CHECK_EQ(mete_group_destroy(group), 0);
	}
	over = 1;
	for (int i = 0; i < 4; i++)
		join(tasks[i]);
	stop();
}

TEST(errors_and_modes)
{
	struct mete_snapshot *untouched = (void *)&over;
	struct mete_snapshot *s = untouched;
	mete_task task;

	CHECK_EQ(mete_snapshot(&s), -ENOSYS);
	start_with(1, METE_BOOKS_OFF);
	CHECK_EQ(mete_snapshot(&s), -ENOTSUP);
	CHECK(s == untouched);
	stop();
	start_with(1, METE_BOOKS_GROUP);
	task = spawn(some_work, (void *)100);
	CHECK_EQ(mete_task_wait(task, soon()), 0);
	CHECK_EQ(mete_snapshot(&s), 0);
	CHECK_EQ(s->task_count, 1);
	CHECK_EQ(s->tasks[0].usage.exec_ns, METE_UNKNOWN);
	CHECK_EQ(s->tasks[0].usage.wakeups, METE_UNKNOWN);
	CHECK_EQ(s->groups[0].usage.wait_ns, METE_UNKNOWN);
	CHECK_GE(s->groups[0].usage.held_ns, 300 * US);
	mete_snapshot_free(s);
	join(task);
	stop();
}

#ifdef METE_FAULTS
TEST(memory_refused)
{
	struct mete_snapshot *untouched = (void *)&over;
	int refused = 0;

	start_cpus(2);
	join(spawn(nothing, NULL));
	for (uint64_t k = 1;; k++) {
		struct mete_snapshot *s = untouched;
		int error;

		os_fault_arm(OS_CALL_ALLOC, k, false);
		error = mete_snapshot(&s);
		os_fault_arm(OS_CALL_ALLOC, 0, false);
		if (!error) {
			mete_snapshot_free(s);
			break;
		}
		CHECK_EQ(error, -ENOMEM);
		CHECK(s == untouched);
		refused++;
	}
	CHECK_GE(refused, 4);
	stop();
}
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every press, alone and in random order, in each mode: all words of the books
 * are compared with a model after each, to the tick.
 */
#include "unit/acct/presses.h"

/* Enough for any planted theft to lie within the interval. */
#define SPAN  3000
#define THEFT 1000

TEST(a_cpu_begins_with_the_scheduler)
{
	uint64_t parked;

	model_begin(ACCT_TASK);
	model_check();
	CHECK_EQ(a64_own(&cpus[0].begun), model[0].last);
	pass(SPAN);
	do_charge(0, ACCT_POLLING);
	CHECK_GE(model[0].watch[ACCT_SCHEDULER], SPAN);
	pass(SPAN);
	do_charge(0, ACCT_PARKED);
	CHECK_GE(model[0].watch[ACCT_POLLING], SPAN);
	parked = model[0].watch[ACCT_POLLING];
	os_futex_wait(&(uint32_t){1}, 1, os_monotonic_ns() + 20 * 1000000);
	do_unpark(0);
	/* It slept, but for the way there and back. */
	CHECK_GT(model[0].watch[ACCT_POLLING], parked);
	parked = model[0].watch[ACCT_PARKED];
	CHECK_GE(os_ticks_to_ns(&timebase, parked), 19 * 1000000);
	do_charge(0, ACCT_SCHEDULER);
	fixture_end();
}

TEST(time_goes_to_whom_it_belongs)
{
	model_begin(ACCT_TASK);
	do_resume(0, 3);
	pass(SPAN);
	do_switch(0, 4, ACCT_LEAVE_INVOLUNTARY);
	CHECK_GE(tasks[3].exec, SPAN);
	pass(2 * SPAN);
	do_suspend(0);
	CHECK_GE(tasks[4].exec, 2 * SPAN);
	/* 3 was ready behind 4. */
	do_resume(0, 3);
	CHECK_GE(tasks[3].wait, 2 * SPAN);
	CHECK_EQ(tasks[3].blocked, 0);
	do_suspend(0);
	/* Asleep until woken, then ready. */
	pass(3 * SPAN);
	acct_woken(ACCT_TASK, &tasks[3].books);
	pass(SPAN);
	do_resume(0, 3);
	CHECK_GE(tasks[3].blocked, 3 * SPAN);
	CHECK_GE(tasks[3].wait, 3 * SPAN);
	CHECK_EQ(tasks[3].wakeups, 1);
	do_suspend(0);
	pass(SPAN);
	acct_woken_now(&tasks[3].books);
	do_resume(1, 3);
	CHECK_GE(tasks[3].blocked, 4 * SPAN);
	CHECK_EQ(tasks[3].migrations, 1);
	do_suspend(1);
	fixture_end();
}

/* A wake-up whose stamp lies before the leave: another CPU's skew. */
TEST(skewed_stamps_count_as_nothing)
{
	model_begin(ACCT_TASK);
	do_resume(0, 0);
	do_suspend(0);
	acct_woken(ACCT_TASK, &tasks[0].books);
	tasks[0].books.ready.value = tasks[0].since - 50;
	do_resume(0, 0);
	CHECK_EQ(tasks[0].blocked, 0);
	do_suspend(0);
	/* Left in the future of the CPU that takes it on. */
	tasks[0].since = a64_own(&cpus[1].last) + timebase.ticks_per_second;
	a64_own_set(&tasks[0].books.since, tasks[0].since);
	uint64_t wait = tasks[0].wait;

	do_resume(1, 0);
	CHECK_EQ(a64_own(&tasks[0].books.wait), wait);
	do_suspend(1);
	fixture_end();
}

TEST(a_cpu_s_stamps_never_go_back)
{
	uint64_t ahead;

	model_begin(ACCT_TASK);
	do_resume(0, 0);
	ahead = a64_own(&cpus[0].last) + timebase.ticks_per_second;
	a64_own_set(&cpus[0].last, ahead);
	do_switch(0, 1, ACCT_LEAVE_VOLUNTARY);
	CHECK_EQ(a64_own(&cpus[0].last), ahead);
	do_suspend(0);
	do_charge(0, ACCT_POLLING);
	do_charge(0, ACCT_PARKED);
	do_unpark(0);
	CHECK_EQ(a64_own(&cpus[0].last), ahead);
	fixture_end();
}

/* What was stolen is the task's whose interval it was, to the tick. */
static void rob(enum acct_mode mode)
{
	uint64_t parked;

	model_begin(mode);
	do_resume(0, 4);
	pass(SPAN);
	plant_theft(&cpus[0], THEFT);
	CHECK_EQ(do_switch(0, 1, ACCT_LEAVE_VOLUNTARY), THEFT);
	if (by_task()) {
		CHECK_EQ(tasks[4].stolen, THEFT);
		CHECK_EQ(tasks[1].stolen, 0);
	}
	CHECK_EQ(a64_own(&groups[4]->slot[0].count[ACCT_STOLEN]), THEFT);
	CHECK_EQ(a64_own(&groups[0]->slot[0].count[ACCT_STOLEN]), THEFT);
	CHECK_EQ(a64_own(&groups[5]->slot[0].count[ACCT_STOLEN]), 0);
	pass(SPAN);
	plant_theft(&cpus[0], THEFT);
	do_move(0, 7);
	pass(SPAN);
	plant_theft(&cpus[0], THEFT);
	CHECK_EQ(do_suspend(0), THEFT);
	CHECK_EQ(model[0].count[ACCT_STOLEN], 3 * THEFT);
	/* An idle CPU was robbed: as good as slept. */
	parked = model[0].watch[ACCT_PARKED];
	pass(SPAN);
	plant_theft(&cpus[0], THEFT);
	do_charge(0, ACCT_POLLING);
	CHECK_EQ(model[0].watch[ACCT_PARKED], parked + THEFT);
	pass(SPAN);
	plant_theft(&cpus[0], THEFT);
	do_charge(0, ACCT_SCHEDULER);
	CHECK_EQ(model[0].watch[ACCT_PARKED], parked + 2 * THEFT);
	/* More than the interval is paid out over the next. */
	do_resume(0, 2);
	plant_theft(&cpus[0], 100 * SPAN);
	do_suspend(0);
	CHECK_GT(cpus[0].steal.carry, 0);
	fixture_end();
}

TEST(stolen_by_task)
{
	rob(ACCT_TASK);
}

TEST(stolen_by_group)
{
	rob(ACCT_GROUP);
}

static void idle_step(int c, uint64_t dice)
{
	int t = (int)(dice / 16 % TASKS);

	if (model[c].charge == ACCT_PARKED)
		do_unpark(c);
	else if (model[c].charge == ACCT_POLLING)
		do_charge(c, dice & 1 ? ACCT_PARKED : ACCT_SCHEDULER);
	else if (!tasks[t].runs)
		do_resume(c, t);
	else
		do_charge(c, ACCT_POLLING);
}

static void busy_step(int c, uint64_t dice)
{
	int t = (int)(dice / 16 % TASKS);

	switch (dice % 8) {
	case 0:
		do_suspend(c);
		break;
	case 1:
		do_refresh(c);
		break;
	case 5:
		do_take_over(c);
		break;
	case 2:
	case 3:
		do_move(c, (int)(dice / 16 % GROUPS));
		break;
	case 4:
		acct_created(&cpus[c], &groups[model[c].group]->slot[c]);
		model_count(c, model[c].group, ACCT_CREATED, 1);
		model_check();
		break;
	default:
		if (!tasks[t].runs)
			do_switch(c, t,
				  dice & 256 ? ACCT_LEAVE_VOLUNTARY
					     : ACCT_LEAVE_INVOLUNTARY);
	}
}

static void walk(enum acct_mode mode)
{
	uint64_t state = test_seed();
	uint64_t steps = test_rounds(20000);

	model_begin(mode);
	for (uint64_t i = 0; i < steps; i++) {
		uint64_t dice = test_random(&state) >> 8;
		struct model_task *sleeper = &tasks[dice % TASKS];
		int c = (int)(dice / 8 % CPUS);

		dice /= 64;
		if (dice % 4 == 0 && !sleeper->runs)
			acct_woken(mode, &sleeper->books);
		if (dice % 32 == 1 && !sleeper->runs)
			acct_woken_now(&sleeper->books);
		if (dice % 16 == 2)
			plant_theft(&cpus[c], dice / 16 % THEFT);
		if (model[c].charge == ACCT_HELD)
			busy_step(c, dice / 1024);
		else
			idle_step(c, dice / 1024);
	}
	for (int c = 0; c < CPUS; c++)
		if (model[c].charge == ACCT_HELD)
			do_suspend(c);
	fixture_end();
}

TEST(random_walk_by_task)
{
	walk(ACCT_TASK);
}

TEST(random_walk_by_group)
{
	walk(ACCT_GROUP);
}

TEST(off_writes_nothing)
{
	static struct acct_cpu untouched;
	struct acct_task *a = &tasks[0].books;
	struct acct_task *b = &tasks[1].books;
	struct acct_cpu *cpu = &cpus[0];

	cpu->mode = ACCT_OFF;
	untouched.mode = ACCT_OFF;
	cpus[1].mode = ACCT_OFF;
	cpu_list[0] = &cpus[0];
	cpu_list[1] = &cpus[1];
	CHECK_EQ(acct_tree_init(&tree, cpu_list, CPUS), 0);
	untouched.slot = cpu->slot;
	acct_task_begin(a, ACCT_NOWHERE, 0);
	acct_task_begin(b, ACCT_NOWHERE, 0);
	acct_cpu_begin(cpu, &timebase);
	acct_resume(cpu, a, &tree.root->slot[0]);
	CHECK_EQ(a->cpu.value, 0);
	acct_switch(cpu, a, b, &tree.root->slot[0], ACCT_LEAVE_VOLUNTARY);
	CHECK_EQ(b->cpu.value, 0);
	acct_refresh(cpu, b);
	acct_move(cpu, b, &tree.root->slot[0]);
	acct_suspend(cpu, b, ACCT_LEAVE_VOLUNTARY);
	acct_take_over(cpu, b, NULL, NULL, NULL);
	acct_charge(cpu, ACCT_SCHEDULER, ACCT_POLLING);
	acct_park(cpu);
	acct_unpark(cpu);
	acct_cpu_end(cpu);
	CHECK_EQ(memcmp(cpu, &untouched, sizeof(*cpu)), 0);
	acct_tree_fini(&tree);
}

/* Between two tasks of one group the group is settled now and then. */
TEST(a_path_that_is_not_left_is_settled)
{
	uint64_t end;

	model_begin(ACCT_TASK);
	tasks[4].group = tasks[3].group;
	do_resume(0, 3);
	end = os_ticks() + 5 * cpus[0].fresh_ticks;
	for (int t = 4; os_ticks() < end; t = 7 - t) {
		struct acct_slot *slot = slot_of(0, 3);

		do_switch(0, t, ACCT_LEAVE_VOLUNTARY);
		CHECK_LE(a64_own(&cpus[0].last) -
				 a64_own(&slot->start[ACCT_EXEC]),
			 cpus[0].fresh_ticks);
	}
	do_suspend(0);
	fixture_end();
}

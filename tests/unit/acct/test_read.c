/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Readings: settled ones are what the last press left, live ones add what runs
 * since, less the lag, and give up on an owner that stays in mid-press.
 */
#include <errno.h>

#include "unit/acct/fixture.h"

#define SPAN 50000

static struct acct_task task;

static void run_in(int g)
{
	acct_task_begin(&task, ACCT_NOWHERE, os_ticks());
	acct_resume(&cpus[0], &task, &groups[g]->slot[0]);
}

static void stop(void)
{
	acct_suspend(&cpus[0], &task, ACCT_LEAVE_VOLUNTARY);
}

TEST(settled_is_as_of_the_last_press)
{
	struct acct_usage usage;
	struct acct_usage again;

	fixture_begin(ACCT_TASK);
	run_in(4);
	pass(SPAN);
	acct_read_group(&tree, groups[4], &usage);
	CHECK_EQ(usage.meter[ACCT_EXEC], 0);
	acct_read_task(&task, &usage);
	CHECK_EQ(usage.meter[ACCT_EXEC], 0);
	stop();
	acct_read_task(&task, &usage);
	CHECK_GE(usage.meter[ACCT_EXEC], SPAN);
	CHECK_EQ(usage.meter[ACCT_VOLUNTARY], 1);
	CHECK_EQ(usage.count[ACCT_CREATED], 1);
	CHECK_EQ(usage.in_flight, 0);
	for (int g = 4; g >= 0; g = parent_of[g]) {
		acct_read_group(&tree, groups[g], &again);
		CHECK_EQ(again.meter[ACCT_EXEC], usage.meter[ACCT_EXEC]);
		CHECK_EQ(again.meter[ACCT_WAIT], usage.meter[ACCT_WAIT]);
		CHECK_EQ(again.meter[ACCT_VOLUNTARY], 1);
		acct_read_own(&tree, groups[g], &again);
		CHECK_EQ(again.meter[ACCT_EXEC],
			 g == 4 ? usage.meter[ACCT_EXEC] : 0);
	}
	acct_read_group(&tree, groups[6], &again);
	CHECK_EQ(again.meter[ACCT_EXEC], 0);
	fixture_end();
}

TEST(a_group_is_the_sum_over_the_cpus)
{
	static struct acct_task other;
	struct acct_usage usage;

	fixture_begin(ACCT_TASK);
	run_in(1);
	acct_task_begin(&other, ACCT_NOWHERE, os_ticks());
	acct_resume(&cpus[1], &other, &groups[2]->slot[1]);
	acct_created(&cpus[1], &groups[2]->slot[1]);
	acct_group_created(groups[2]);
	pass(SPAN);
	stop();
	acct_suspend(&cpus[1], &other, ACCT_LEAVE_VOLUNTARY);
	acct_read_group(&tree, groups[1], &usage);
	CHECK_EQ(usage.meter[ACCT_EXEC],
		 a64_own(&task.exec) + a64_own(&other.exec));
	CHECK_EQ(usage.meter[ACCT_VOLUNTARY], 2);
	CHECK_EQ(usage.count[ACCT_CREATED], 2);
	acct_read_own(&tree, groups[2], &usage);
	CHECK_EQ(usage.meter[ACCT_EXEC], a64_own(&other.exec));
	CHECK_EQ(usage.count[ACCT_CREATED], 2);
	acct_read_own(&tree, groups[1], &usage);
	CHECK_EQ(usage.count[ACCT_CREATED], 0);
	fixture_end();
}

TEST(live_adds_what_runs_less_the_lag)
{
	struct acct_usage usage;
	uint64_t lag = 20000;

	fixture_begin(ACCT_TASK);
	run_in(4);
	pass(lag + SPAN);
	for (int g = 4; g >= -1; g = g < 0 ? -2 : parent_of[g]) {
		uint64_t last = a64_own(&cpus[0].last);
		uint64_t before = os_ticks();
		uint64_t after;

		if (g >= 0)
			CHECK_EQ(acct_live_group(&tree, groups[g], lag, &usage),
				 0);
		else
			CHECK_EQ(acct_live_task(&cpus[0], &task, lag, &usage),
				 0);
		after = os_ticks();
		CHECK_EQ(usage.meter[ACCT_EXEC], 0);
		CHECK_GE(usage.in_flight, before - last - lag);
		CHECK_LE(usage.in_flight, after - last - lag);
	}
	CHECK_EQ(acct_live_group(&tree, groups[5], lag, &usage), 0);
	CHECK_EQ(usage.in_flight, 0);
	/* On a CPU where it does not run, and within the lag: nothing. */
	CHECK_EQ(acct_live_task(&cpus[1], &task, lag, &usage), 0);
	CHECK_EQ(usage.in_flight, 0);
	CHECK_EQ(acct_live_task(&cpus[0], &task, UINT64_C(1) << 60, &usage), 0);
	CHECK_EQ(usage.in_flight, 0);
	stop();
	CHECK_EQ(acct_live_group(&tree, groups[4], lag, &usage), 0);
	CHECK_EQ(usage.in_flight, 0);
	CHECK_EQ(usage.meter[ACCT_EXEC], a64_own(&task.exec));
	fixture_end();
}

/* Meters of the present stay in the group show in live readings at once. */
TEST(live_shows_running_counts)
{
	static struct acct_task other;
	struct acct_usage usage;

	fixture_begin(ACCT_TASK);
	/* However long this test is stopped, nothing is settled in between. */
	cpus[0].fresh_ticks = UINT64_MAX;
	run_in(4);
	acct_task_begin(&other, ACCT_NOWHERE, os_ticks());
	acct_switch(&cpus[0], &task, &other, &groups[4]->slot[0],
		    ACCT_LEAVE_VOLUNTARY);
	acct_read_group(&tree, groups[0], &usage);
	CHECK_EQ(usage.meter[ACCT_VOLUNTARY], 0);
	CHECK_EQ(acct_live_group(&tree, groups[0], 0, &usage), 0);
	CHECK_EQ(usage.meter[ACCT_VOLUNTARY], 1);
	CHECK_GT(usage.meter[ACCT_WAIT], 0);
	fixture_end();
}

TEST(an_owner_in_mid_press_is_not_waited_for)
{
	struct acct_usage usage = {.in_flight = 77};
	struct acct_account account = {.wall = 78};

	fixture_begin(ACCT_TASK);
	run_in(4);
	mark_begin(&cpus[0].mark);
	CHECK_EQ(acct_live_task(&cpus[0], &task, 0, &usage), -EAGAIN);
	CHECK_EQ(acct_live_group(&tree, groups[4], 0, &usage), -EAGAIN);
	CHECK_EQ(usage.in_flight, 77);
	CHECK_EQ(acct_audit_cpu(&cpus[0], &account), -EAGAIN);
	CHECK_EQ(account.wall, 78);
	/* Settled readings do not wait. */
	acct_read_group(&tree, groups[4], &usage);
	acct_read_task(&task, &usage);
	acct_read_cpu(&cpus[0], &account);
	CHECK_EQ(account.residual, 0);
	mark_end(&cpus[0].mark);
	CHECK_EQ(acct_live_task(&cpus[0], &task, 0, &usage), 0);
	fixture_end();
}

TEST(the_audit_reads_every_account_back)
{
	struct acct_account account;
	struct acct_account settled;

	fixture_begin(ACCT_TASK);
	run_in(4);
	pass(SPAN);
	plant_theft(&cpus[0], SPAN / 2);
	stop();
	CHECK_EQ(acct_audit_cpu(&cpus[0], &account), 0);
	CHECK_EQ(account.residual, 0);
	CHECK_EQ(account.stolen, SPAN / 2);
	CHECK_EQ(account.charge[ACCT_HELD], a64_own(&task.exec));
	CHECK_GT(account.charge[ACCT_SCHEDULER], 0);
	CHECK_EQ(account.wall,
		 account.charge[ACCT_HELD] + account.charge[ACCT_SCHEDULER] +
			 account.charge[ACCT_POLLING] +
			 account.charge[ACCT_PARKED] + account.stolen);
	CHECK_EQ(account.meter[ACCT_VOLUNTARY], 1);
	acct_read_cpu(&cpus[0], &settled);
	CHECK_EQ(settled.wall + (account.stamp - a64_own(&cpus[0].last)),
		 account.wall);
	/* It is a check: what is missing or too much anywhere shows. */
	for (int i = 0; i < ACCT_CHARGES; i++) {
		a64_own_add(&cpus[0].watch[i].base, 5);
		CHECK_EQ(acct_audit_cpu(&cpus[0], &account), 0);
		CHECK_EQ(account.residual, -5);
		a64_own_add(&cpus[0].watch[i].base, (uint64_t)-5);
	}
	a64_own_add(&cpus[0].count[ACCT_STOLEN], (uint64_t)-9);
	CHECK_EQ(acct_audit_cpu(&cpus[0], &account), 0);
	CHECK_EQ(account.residual, 9);
	fixture_end();
}

/* Of a CPU, too, only held is live: what is in flight may prove stolen. */
TEST(a_live_cpu_adds_to_held_only)
{
	struct acct_account settled;
	struct acct_account live;
	uint64_t in_flight = 77;
	uint64_t lag = 20000;
	uint64_t before;
	uint64_t last;

	fixture_begin(ACCT_TASK);
	CHECK_EQ(acct_live_cpu(&cpus[0], 0, &live, &in_flight), 0);
	CHECK_EQ(in_flight, 0);
	run_in(4);
	last = a64_own(&cpus[0].last);
	pass(lag + SPAN);
	before = os_ticks();
	CHECK_EQ(acct_live_cpu(&cpus[0], lag, &live, &in_flight), 0);
	CHECK_GE(in_flight, before - last - lag);
	CHECK_LE(in_flight, os_ticks() - last - lag);
	acct_read_cpu(&cpus[0], &settled);
	CHECK_EQ(memcmp(&settled, &live, sizeof(live)), 0);
	mark_begin(&cpus[0].mark);
	in_flight = 77;
	CHECK_EQ(acct_live_cpu(&cpus[0], lag, &live, &in_flight), -EAGAIN);
	CHECK_EQ(in_flight, 77);
	fixture_end();
}

/* A press whose stamp lies after the reader's: not a negative wall. */
TEST(the_audit_follows_the_owner)
{
	struct acct_account account;
	uint64_t ahead;

	fixture_begin(ACCT_TASK);
	ahead = a64_own(&cpus[0].last) + timebase.ticks_per_second;
	a64_own_set(&cpus[0].last, ahead);
	acct_charge(&cpus[0], ACCT_SCHEDULER, ACCT_POLLING);
	CHECK_EQ(acct_audit_cpu(&cpus[0], &account), 0);
	CHECK_EQ(account.stamp, ahead);
	CHECK_EQ(account.residual, 0);
	fixture_end();
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The word and the turn: what others leave there while somebody has the turn,
 * and what becomes of it afterwards.
 */
#include <pthread.h>

#include "unit/sched/running.h"
#include "unit/sync/turns.h"

static int came[4];
static atomic_int order;

static void *wait_for_one(void *arg)
{
	CHECK_EQ(units_wait(&units, &rule_sem, 1, METE_FOREVER), 0);
	came[order++] = (int)(intptr_t)arg;
	return NULL;
}

/* Until it stands: a task seems to wait a little before. */
static void until_word(uint64_t before)
{
	for (uint64_t end = soon(); word() == before || word() & UNITS_BUSY;)
		CHECK_LT(now_ns(), end);
}

static void until_arrived(uint64_t before)
{
	for (uint64_t end = soon(); word() == before;)
		CHECK_LT(now_ns(), end);
}

TEST(arrivals_are_served_in_order)
{
	mete_task tasks[4];

	start_cpus(1);
	begin_turn();
	for (intptr_t i = 0; i < 4; i++) {
		uint64_t before = word();

		tasks[i] = spawn(wait_for_one, (void *)i);
		until_arrived(before);
	}
	CHECK_EQ(units_post(&units, &rule_sem, 3, 0), 0);
	end_turn(&rule_sem);
	for (int i = 0; i < 3; i++)
		join(tasks[i]);
	CHECK_EQ(order, 3);
	CHECK_EQ(word(), UNITS_WAITED | UNITS_LISTED);
	CHECK_EQ(units_post(&units, &rule_sem, 2, 0), 0);
	join(tasks[3]);
	for (int i = 0; i < 4; i++)
		CHECK_EQ(came[i], i);
	CHECK_EQ(word(), 1 << 1);
	stop();
}

static atomic_int given_up;

static void *wait_in_vain(void *arg)
{
	CHECK_EQ(units_wait(&units, &rule_sem, 1, now_ns() + MS), -ETIMEDOUT);
	given_up++;
	return arg;
}

/* One whose time is over sleeps until the turn has taken it out. */
TEST(the_late_are_taken_out_by_the_turn)
{
	mete_task tasks[3];
	mete_task heir;

	start_cpus(2);
	begin_turn();
	for (int i = 0; i < 3; i++)
		tasks[i] = spawn(wait_in_vain, NULL);
	heir = spawn(wait_for_one, NULL);
	usleep(5000);
	CHECK_EQ(given_up, 0);
	end_turn(&rule_sem);
	for (int i = 0; i < 3; i++)
		join(tasks[i]);
	CHECK_EQ(units_post(&units, &rule_sem, 1, 0), 0);
	join(heir);
	CHECK_EQ(word(), 0);
	stop();
}

static void *wait_to_be_cancelled(void *arg)
{
	units_wait(&units, &rule_sem, 1, METE_FOREVER);
	return arg;
}

/* So does one that is cancelled: that wait is not ended once more. */
TEST(the_cancelled_are_taken_out_by_the_turn)
{
	struct mete_task_attr attr = METE_TASK_ATTR_INIT;
	mete_task task;
	uint64_t before;

	start_cpus(1);
	begin_turn();
	before = word();
	attr.cancellable = true;
	CHECK_EQ(mete_task_create(&task, &attr, wait_to_be_cancelled, NULL), 0);
	until_arrived(before);
	before = word();
	CHECK_EQ(mete_task_cancel(task), 0);
	until_arrived(before);
	CHECK_EQ(mete_task_wait(task, now_ns() + 5 * MS), -ETIMEDOUT);
	end_turn(&rule_sem);
	CHECK(join(task) == METE_CANCELED);
	CHECK_EQ(word(), 0);
	stop();
}

/* And goes by itself when nobody has the turn, wherever it stands. */
TEST(the_late_go_by_themselves)
{
	mete_task tasks[3];
	mete_task heir;

	start_cpus(1);
	heir = spawn(wait_for_one, NULL);
	until_word(0);
	CHECK(word() & UNITS_ONLY);
	for (int i = 0; i < 3; i++)
		tasks[i] = spawn(wait_in_vain, NULL);
	for (int i = 0; i < 3; i++)
		join(tasks[i]);
	CHECK_EQ(word(), UNITS_WAITED | UNITS_LISTED);
	CHECK_EQ(units.listed, 1);
	CHECK_EQ(units_post(&units, &rule_sem, 1, 0), 0);
	join(heir);
	CHECK_EQ(word(), 0);
	stop();
}

/* The units that are left when somebody wants more are kept for it. */
static void *wait_for_five(void *arg)
{
	CHECK_EQ(units_wait(&units, &rule_sem, 5, soon()), 0);
	return arg;
}

TEST(units_gather_for_who_wants_many)
{
	mete_task task;

	start_cpus(1);
	CHECK_EQ(units_post(&units, &rule_sem, 3, 0), 0);
	task = spawn(wait_for_five, NULL);
	until_word(3 << 1);
	CHECK_EQ(units.left, 3);
	CHECK_EQ(units_post(&units, &rule_sem, 1, 0), 0);
	CHECK_EQ(units.left, 4);
	/* Nobody overtakes. */
	CHECK_EQ(units_wait(&units, &rule_sem, 1, 1), -ETIMEDOUT);
	CHECK_EQ(units_post(&units, &rule_sem, 3, 0), 0);
	join(task);
	CHECK_EQ(word(), 2 << 1);
	stop();
}

static void *caller(void *arg)
{
	*(uint64_t *)arg = units_caller();
	return NULL;
}

TEST(everybody_is_somebody_else)
{
	uint64_t ids[4];
	pthread_t thread;

	caller(&ids[0]);
	CHECK_EQ(pthread_create(&thread, NULL, caller, &ids[1]), 0);
	pthread_join(thread, NULL);
	start_cpus(1);
	join(spawn(caller, &ids[2]));
	join(spawn(caller, &ids[3]));
	for (int i = 0; i < 4; i++) {
		CHECK_NE(ids[i], 0);
		CHECK_EQ(ids[i] >> 63, i < 2);
	}
	CHECK_NE(ids[0], ids[2]);
	CHECK_NE(ids[2], ids[3]);
	stop();
}

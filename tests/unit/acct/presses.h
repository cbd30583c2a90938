/* SPDX-License-Identifier: Apache-2.0 */
/* Each press, made in the books and in the model, and the two compared. */
#ifndef UNIT_ACCT_PRESSES_H
#define UNIT_ACCT_PRESSES_H

#include "unit/acct/model.h"

static inline struct acct_slot *slot_of(int c, int t)
{
	return &groups[tasks[t].group]->slot[c];
}

static inline void do_resume(int c, int t)
{
	bool woken = tasks[t].books.woken;
	uint64_t ready = tasks[t].books.ready.value;

	acct_resume(&cpus[c], &tasks[t].books, slot_of(c, t));
	model_settle(c);
	model_arrive(c, t, woken, ready);
	model_check();
}

static inline uint64_t do_suspend(int c)
{
	uint64_t stolen;

	acct_suspend(&cpus[c], &tasks[model[c].task].books,
		     ACCT_LEAVE_VOLUNTARY);
	stolen = model_settle(c);
	model_leave(c, ACCT_LEAVE_VOLUNTARY);
	model[c].charge = ACCT_SCHEDULER;
	model[c].group = OUTSIDE;
	model[c].task = NOBODY;
	model_check();
	return stolen;
}

/* Another thread takes the CPU over: here the same, with other words. */
static inline void do_take_over(int c)
{
	static struct os_steal brought;
	struct os_steal kept;
	struct os_thread self;

	if (!brought.base)
		os_steal_init(&brought, &timebase);
	os_thread_self(&self);
	acct_take_over(&cpus[c], &tasks[model[c].task].books, &self, &kept,
		       &brought);
	os_steal_move(&brought, &kept);
	model_settle(c);
	model_leave(c, ACCT_LEAVE_VOLUNTARY);
	model[c].charge = ACCT_SCHEDULER;
	model[c].group = OUTSIDE;
	model[c].task = NOBODY;
	model_check();
}

static inline uint64_t do_switch(int c, int t, enum acct_leave how)
{
	bool woken = tasks[t].books.woken;
	uint64_t ready = tasks[t].books.ready.value;
	uint64_t stolen;

	acct_switch(&cpus[c], &tasks[model[c].task].books, &tasks[t].books,
		    slot_of(c, t), how);
	stolen = model_settle(c);
	model_leave(c, how);
	model_arrive(c, t, woken, ready);
	model_check();
	return stolen;
}

static inline void do_charge(int c, enum acct_charge to)
{
	if (to == ACCT_PARKED)
		acct_park(&cpus[c]);
	else
		acct_charge(&cpus[c], model[c].charge, to);
	model_settle(c);
	model[c].charge = to;
	model_check();
}

static inline void do_unpark(int c)
{
	acct_unpark(&cpus[c]);
	model_settle(c);
	model[c].charge = ACCT_POLLING;
	model_check();
}

static inline void do_move(int c, int group)
{
	struct model_task *task = &tasks[model[c].task];

	task->group = group;
	acct_move(&cpus[c], &task->books, &groups[group]->slot[c]);
	model_settle(c);
	model[c].group = group;
	model_check();
}

/* What runs must stand in the bases afterwards, not only be due. */
static inline void do_refresh(int c)
{
	struct model_task *task = &tasks[model[c].task];
	uint64_t before = model[c].last;

	acct_refresh(&cpus[c], &task->books);
	model_settle(c);
	model_check();
	CHECK_GT(model[c].last, before);
	CHECK_EQ(a64_own(&cpus[c].watch[ACCT_HELD].base),
		 model[c].watch[ACCT_HELD]);
	if (by_task()) {
		CHECK_EQ(a64_own(&task->books.exec), task->exec);
		CHECK_EQ(a64_own(&task->books.since), model[c].last);
	}
	for (int g = model[c].group; g >= 0; g = parent_of[g])
		CHECK_EQ(a64_own(&groups[g]->slot[c].start[ACCT_EXEC]),
			 model[c].last);
	CHECK_EQ(a64_own(&groups[model[c].group]->slot[c].own[ACCT_EXEC]),
		 model[c].own[model[c].group][ACCT_EXEC]);
}

#endif

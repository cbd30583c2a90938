/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the books must show, kept in the plainest way: per CPU what it charges
 * and since when, per CPU and group what was used there exclusively, per task
 * its sums.  After each press model_settle() hands the interval out, and
 * model_check() compares every word, to the tick.
 *
 * The stamps are the CPU's own (cpu->last); so are the ticks stolen, of which
 * there is one word per CPU: all others must follow from these.
 */
#ifndef UNIT_ACCT_MODEL_H
#define UNIT_ACCT_MODEL_H

#include "unit/acct/fixture.h"

#define TASKS   5
#define NOBODY  (-1)
#define OUTSIDE (-1)

struct model_task {
	struct acct_task books;
	uint64_t since;
	uint64_t exec;
	uint64_t wait;
	uint64_t blocked;
	uint64_t stolen;
	uint64_t voluntary;
	uint64_t involuntary;
	uint64_t wakeups;
	uint64_t migrations;
	int group;
	int cpu; /* where it last ran, NOBODY: nowhere yet */
	bool runs;
};

struct model_cpu {
	uint64_t last;
	uint64_t begun;
	enum acct_charge charge;
	int group; /* OUTSIDE while no task runs */
	int task;  /* NOBODY ... */
	uint64_t watch[ACCT_CHARGES];
	uint64_t count[ACCT_COUNTS];
	uint64_t own[GROUPS][ACCT_METERS];
	uint64_t own_count[GROUPS][ACCT_COUNTS];
};

static struct model_task tasks[TASKS];
static struct model_cpu model[CPUS];

static inline void model_begin(enum acct_mode mode)
{
	fixture_begin(mode);
	for (int i = 0; i < CPUS; i++) {
		model[i].last = a64_own(&cpus[i].last);
		model[i].begun = model[i].last;
		model[i].charge = ACCT_SCHEDULER;
		model[i].group = OUTSIDE;
		model[i].task = NOBODY;
	}
	for (int t = 0; t < TASKS; t++) {
		tasks[t].since = os_ticks();
		acct_task_begin(&tasks[t].books, ACCT_NOWHERE, tasks[t].since);
		tasks[t].group = t % GROUPS;
		tasks[t].cpu = NOBODY;
	}
}

static inline bool by_task(void)
{
	return cpus[0].mode == ACCT_TASK;
}

static inline void model_count(int c, int group, enum acct_count what,
			       uint64_t amount)
{
	model[c].count[what] += amount;
	model[c].own_count[group][what] += amount;
}

/* The interval up to the press just made goes to whoever was charged.  Gives
 * the ticks that were stolen of it. */
static inline uint64_t model_settle(int c)
{
	struct model_cpu *m = &model[c];
	uint64_t now = a64_own(&cpus[c].last);
	uint64_t gross = now - m->last;
	uint64_t stolen =
		a64_own(&cpus[c].count[ACCT_STOLEN]) - m->count[ACCT_STOLEN];
	uint64_t parked = a64_own(&cpus[c].watch[ACCT_PARKED].base) -
			  m->watch[ACCT_PARKED];

	CHECK_GE(now, m->last);
	m->last = now;
	if (m->charge == ACCT_HELD) {
		CHECK_LE(stolen, gross);
		m->watch[ACCT_HELD] += gross - stolen;
		m->own[m->group][ACCT_EXEC] += gross - stolen;
		model_count(c, m->group, ACCT_STOLEN, stolen);
		if (by_task()) {
			tasks[m->task].exec += gross - stolen;
			tasks[m->task].stolen += stolen;
		}
		return stolen;
	}
	CHECK_EQ(stolen, 0);
	if (m->charge == ACCT_PARKED) {
		/* What was spent on the way there and back is polling. */
		uint64_t spent = a64_own(&cpus[c].watch[ACCT_POLLING].base) -
				 m->watch[ACCT_POLLING];

		CHECK_LE(spent, gross);
		m->watch[ACCT_PARKED] += gross - spent;
		m->watch[ACCT_POLLING] += spent;
		return spent;
	}
	CHECK_LE(parked, gross);
	m->watch[m->charge] += gross - parked;
	m->watch[ACCT_PARKED] += parked;
	return parked;
}

static inline void model_leave(int c, enum acct_leave how)
{
	struct model_task *task = &tasks[model[c].task];

	if (how == ACCT_LEAVE_VOLUNTARY)
		model[c].own[model[c].group][ACCT_VOLUNTARY]++;
	else
		model_count(c, model[c].group, ACCT_INVOLUNTARY, 1);
	task->runs = false;
	if (!by_task())
		return;
	task->since = model[c].last;
	if (how == ACCT_LEAVE_VOLUNTARY)
		task->voluntary++;
	else
		task->involuntary++;
}

/* `woken` and `ready` are what the books said before the press. */
static inline void model_arrive(int c, int t, bool woken, uint64_t ready)
{
	struct model_task *task = &tasks[t];
	uint64_t now = model[c].last;
	uint64_t *own = model[c].own[task->group];

	model[c].charge = ACCT_HELD;
	model[c].task = t;
	model[c].group = task->group;
	task->runs = true;
	if (task->cpu != NOBODY && task->cpu != c) {
		task->migrations++;
		model_count(c, task->group, ACCT_MIGRATIONS, 1);
	}
	task->cpu = c;
	if (woken)
		own[ACCT_WAKEUPS]++;
	if (!by_task())
		return;
	if (woken) {
		uint64_t until = ready ? ready : now;

		task->wakeups++;
		if (until > task->since) {
			task->blocked += until - task->since;
			own[ACCT_BLOCKED] += until - task->since;
			task->since = until;
		}
	}
	if (now > task->since) {
		task->wait += now - task->since;
		own[ACCT_WAIT] += now - task->since;
	}
	task->since = now;
}

/* Whether `group` lies in the subtree of `top`. */
static inline bool below(int group, int top)
{
	while (group != top && group >= 0)
		group = parent_of[group];
	return group == top;
}

/* What a stopwatch shows at the CPU's last press. */
static inline uint64_t shown(uint64_t sum, uint64_t start, uint64_t at)
{
	return start ? sum + at - start : sum;
}

static inline void model_check_slot(int c, int g)
{
	const struct acct_cpu *cpu = &cpus[c];
	const struct acct_slot *slot = &groups[g]->slot[c];
	bool runs = model[c].group >= 0 && below(model[c].group, g);
	unsigned meters = by_task() ? ACCT_METERS : ACCT_METERS_GROUP;

	CHECK_EQ(a64_own(&slot->start[ACCT_EXEC]) != 0, runs);
	CHECK_LE(a64_own(&slot->start[ACCT_EXEC]), a64_own(&cpu->last));
	for (unsigned m = 0; m < meters; m++) {
		uint64_t at = m == ACCT_EXEC ? a64_own(&cpu->last)
					     : a64_own(&cpu->meter[m]);
		uint64_t sum = 0;

		for (int i = 0; i < GROUPS; i++)
			sum += below(i, g) ? model[c].own[i][m] : 0;
		CHECK_EQ(a64_own(&slot->base[m]) +
				 (runs ? at - a64_own(&slot->start[m]) : 0),
			 sum);
		CHECK_EQ(a64_own(&slot->own[m]) +
				 (model[c].group == g ? at - cpu->own_start[m]
						      : 0),
			 model[c].own[g][m]);
	}
	for (unsigned n = 0; n < ACCT_COUNTS; n++) {
		uint64_t sum = 0;

		for (int i = 0; i < GROUPS; i++)
			sum += below(i, g) ? model[c].own_count[i][n] : 0;
		CHECK_EQ(a64_own(&slot->count[n]), sum);
		CHECK_EQ(a64_own(&slot->own_count[n]),
			 model[c].own_count[g][n]);
	}
}

static inline void model_check_task(const struct model_task *task)
{
	const struct acct_task *books = &task->books;
	uint64_t last = task->cpu == NOBODY ? 0 : model[task->cpu].last;

	CHECK_EQ(a64_own(&books->migrations), task->migrations);
	if (!by_task())
		return;
	CHECK_EQ(shown(a64_own(&books->exec),
		       task->runs ? a64_own(&books->since) : 0, last),
		 task->exec);
	if (!task->runs)
		CHECK_EQ(a64_own(&books->since), task->since);
	CHECK_EQ(a64_own(&books->wait), task->wait);
	CHECK_EQ(a64_own(&books->blocked), task->blocked);
	CHECK_EQ(a64_own(&books->stolen), task->stolen);
	CHECK_EQ(a64_own(&books->voluntary), task->voluntary);
	CHECK_EQ(a64_own(&books->involuntary), task->involuntary);
	CHECK_EQ(a64_own(&books->wakeups), task->wakeups);
}

static inline void model_check_cpu(int c)
{
	const struct acct_cpu *cpu = &cpus[c];
	uint64_t sum = model[c].count[ACCT_STOLEN];
	struct acct_account account;

	for (unsigned i = 0; i < ACCT_CHARGES; i++) {
		uint64_t start = a64_own(&cpu->watch[i].start);

		CHECK_EQ(start != 0, i == model[c].charge);
		CHECK_LE(start, model[c].last);
		CHECK_EQ(shown(a64_own(&cpu->watch[i].base), start,
			       model[c].last),
			 model[c].watch[i]);
		sum += model[c].watch[i];
	}
	CHECK_EQ(sum, model[c].last - model[c].begun);
	for (unsigned n = 0; n < ACCT_COUNTS; n++)
		CHECK_EQ(a64_own(&cpu->count[n]), model[c].count[n]);
	CHECK_EQ(acct_audit_cpu(cpu, &account), 0);
	CHECK_EQ(account.residual, 0);
}

static inline void model_check(void)
{
	for (int c = 0; c < CPUS; c++) {
		model_check_cpu(c);
		for (int g = 0; g < GROUPS; g++)
			model_check_slot(c, g);
	}
	for (int t = 0; t < TASKS; t++)
		model_check_task(&tasks[t]);
}

#endif

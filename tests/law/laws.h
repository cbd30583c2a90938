/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The laws of the books, of a snapshot taken at rest: every task that ran since
 * the start has ended and none has been joined.
 */
#ifndef LAW_LAWS_H
#define LAW_LAWS_H

#include <errno.h>

#include <mete/mete.h>

#include "harness/test.h"

#define US UINT64_C(1000)
#define MS UINT64_C(1000000)

/* Amounts that add up over tasks, groups and subtrees. */
struct law_sum {
	uint64_t exec_ns;
	uint64_t stolen_ns;
	uint64_t wait_ns;
	uint64_t blocked_ns;
	uint64_t voluntary;
	uint64_t involuntary;
	uint64_t wakeups;
	uint64_t migrations;
	uint64_t tasks;
};

static inline void law_add(struct law_sum *sum, const struct mete_usage *usage)
{
	CHECK_EQ(usage->exec_ns + usage->stolen_ns, usage->held_ns);
	sum->exec_ns += usage->exec_ns;
	sum->stolen_ns += usage->stolen_ns;
	sum->wait_ns += usage->wait_ns == METE_UNKNOWN ? 0 : usage->wait_ns;
	sum->blocked_ns +=
		usage->blocked_ns == METE_UNKNOWN ? 0 : usage->blocked_ns;
	sum->voluntary += usage->voluntary;
	sum->involuntary += usage->involuntary;
	sum->wakeups += usage->wakeups;
	sum->migrations += usage->migrations;
	sum->tasks += usage->tasks;
}

static inline void law_equal(const struct law_sum *a, const struct law_sum *b)
{
	CHECK_EQ(a->exec_ns, b->exec_ns);
	CHECK_EQ(a->stolen_ns, b->stolen_ns);
	CHECK_EQ(a->wait_ns, b->wait_ns);
	CHECK_EQ(a->blocked_ns, b->blocked_ns);
	CHECK_EQ(a->voluntary, b->voluntary);
	CHECK_EQ(a->involuntary, b->involuntary);
	CHECK_EQ(a->wakeups, b->wakeups);
	CHECK_EQ(a->migrations, b->migrations);
	CHECK_EQ(a->tasks, b->tasks);
}

/* A carrier may be preempted in mid-press: then later. */
static inline struct mete_snapshot *law_snapshot(void)
{
	struct mete_snapshot *snapshot = NULL;
	int error;

	while ((error = mete_snapshot(&snapshot)) == -EAGAIN)
		;
	CHECK_EQ(error, 0);
	return snapshot;
}

static inline void law_cpus(const struct mete_snapshot *s)
{
	const struct mete_ledger *ledger = &s->ledger;
	struct mete_usage sum = {0};
	uint64_t wall_ns = 0;

	CHECK_EQ(s->cpu_count, ledger->cpus);
	for (size_t i = 0; i < s->cpu_count; i++) {
		const struct mete_cpu_usage *cpu = &s->cpus[i];

		CHECK_EQ(cpu->held_ns + cpu->scheduler_ns + cpu->polling_ns +
				 cpu->parked_ns,
			 cpu->wall_ns);
		CHECK_EQ(cpu->exec_ns + cpu->stolen_ns, cpu->held_ns);
		wall_ns += cpu->wall_ns;
		sum.held_ns += cpu->held_ns;
		sum.exec_ns += cpu->exec_ns;
		sum.stolen_ns += cpu->stolen_ns;
		sum.voluntary += cpu->voluntary;
		sum.involuntary += cpu->involuntary;
		sum.wakeups += cpu->wakeups;
		sum.migrations += cpu->migrations;
	}
	CHECK_EQ(wall_ns, ledger->wall_ns);
	CHECK_EQ(sum.held_ns, s->groups[0].usage.held_ns);
	CHECK_EQ(sum.exec_ns, s->groups[0].usage.exec_ns);
	CHECK_EQ(sum.stolen_ns, s->groups[0].usage.stolen_ns);
	CHECK_EQ(sum.voluntary, s->groups[0].usage.voluntary);
	CHECK_EQ(sum.involuntary, s->groups[0].usage.involuntary);
	CHECK_EQ(sum.wakeups, s->groups[0].usage.wakeups);
	CHECK_EQ(sum.migrations, s->groups[0].usage.migrations);
}

/* Each group's inclusive usage is the sum of its subtree's own. */
static inline void law_subtrees(const struct mete_snapshot *s)
{
	for (size_t i = 0; i < s->group_count; i++) {
		struct law_sum inclusive = {0};
		struct law_sum own = {0};
		size_t j = i;

		if (i) {
			CHECK_LT(s->groups[i].parent, i);
			CHECK_EQ(s->groups[s->groups[i].parent].depth + 1,
				 s->groups[i].depth);
		}
		law_add(&inclusive, &s->groups[i].usage);
		do
			law_add(&own, &s->groups[j].own);
		while (++j < s->group_count &&
		       s->groups[j].depth > s->groups[i].depth);
		law_equal(&inclusive, &own);
	}
}

/* All groups' own usage is that of all tasks. */
static inline void law_tasks(const struct mete_snapshot *s)
{
	struct law_sum tasks = {0};
	struct law_sum groups = {0};

	for (size_t i = 0; i < s->task_count; i++) {
		CHECK_EQ(s->tasks[i].state, METE_TASK_DEAD);
		CHECK_LT(s->tasks[i].group, s->group_count);
		law_add(&tasks, &s->tasks[i].usage);
	}
	for (size_t i = 0; i < s->group_count; i++)
		law_add(&groups, &s->groups[i].own);
	law_equal(&tasks, &groups);
}

static inline void law_check(const struct mete_snapshot *s,
			     enum mete_books books)
{
	const struct mete_ledger *ledger = &s->ledger;

	CHECK_EQ(ledger->residual_ticks, 0);
	CHECK_EQ(ledger->residual_ns, 0);
	CHECK_EQ(ledger->groups_residual_ticks, 0);
	CHECK_EQ(ledger->exec_ns + ledger->stolen_ns, ledger->held_ns);
	CHECK_EQ(ledger->held_ns + ledger->scheduler_ns + ledger->polling_ns +
			 ledger->parked_ns,
		 ledger->wall_ns);
	law_cpus(s);
	law_subtrees(s);
	if (books == METE_BOOKS_TASK)
		law_tasks(s);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Settled and live readings, and the audit of a CPU. */
#include "acct/read.h"

#include <errno.h>
#include <string.h>

#include "arch/arch.h"

/* Of a word that only its owner writes. */
static inline uint64_t word(const struct a64 *a)
{
	/* order: book.read pairs mark.own: see conc/mark.h */
	return a64_load_acquire(a);
}

void acct_read_task(const struct acct_task *task, struct acct_usage *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->meter[ACCT_EXEC] = word(&task->exec);
	ret->meter[ACCT_WAIT] = word(&task->wait);
	ret->meter[ACCT_BLOCKED] = word(&task->blocked);
	ret->meter[ACCT_VOLUNTARY] = word(&task->voluntary);
	ret->meter[ACCT_WAKEUPS] = word(&task->wakeups);
	ret->count[ACCT_STOLEN] = word(&task->stolen);
	ret->count[ACCT_INVOLUNTARY] = word(&task->involuntary);
	ret->count[ACCT_MIGRATIONS] = word(&task->migrations);
	ret->count[ACCT_CREATED] = 1;
}

void acct_read_group(const struct acct_tree *tree,
		     const struct acct_group *group, struct acct_usage *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->count[ACCT_CREATED] = word(&group->created);
	for (unsigned i = 0; i < tree->cpus; i++) {
		const struct acct_slot *slot = &group->slot[i];

		for (unsigned m = 0; m < ACCT_METERS; m++)
			ret->meter[m] += word(&slot->base[m]);
		for (unsigned c = 0; c < ACCT_COUNTS; c++)
			ret->count[c] += word(&slot->count[c]);
	}
}

void acct_read_own(const struct acct_tree *tree, const struct acct_group *group,
		   struct acct_usage *ret)
{
	ret->in_flight = 0;
	for (unsigned m = 0; m < ACCT_METERS; m++)
		ret->meter[m] = word(&group->inherited[m]);
	for (unsigned c = 0; c < ACCT_COUNTS; c++)
		ret->count[c] = word(&group->inherited_count[c]);
	ret->count[ACCT_CREATED] += word(&group->created_own);
	for (unsigned i = 0; i < tree->cpus; i++) {
		const struct acct_slot *slot = &group->slot[i];

		for (unsigned m = 0; m < ACCT_METERS; m++)
			ret->meter[m] += word(&slot->own[m]);
		for (unsigned c = 0; c < ACCT_COUNTS; c++)
			ret->count[c] += word(&slot->own_count[c]);
	}
}

static void cpu_words(const struct acct_cpu *cpu, struct acct_account *ret)
{
	for (unsigned i = 0; i < ACCT_CHARGES; i++)
		ret->charge[i] = word(&cpu->watch[i].base);
	for (unsigned c = 0; c < ACCT_COUNTS; c++)
		ret->count[c] = word(&cpu->count[c]);
	for (unsigned m = 0; m < ACCT_METERS; m++)
		ret->meter[m] = word(&cpu->meter[m]);
	ret->stolen = ret->count[ACCT_STOLEN];
}

void acct_read_cpu(const struct acct_cpu *cpu, struct acct_account *ret)
{
	memset(ret, 0, sizeof(*ret));
	cpu_words(cpu, ret);
	ret->wall = ret->stolen;
	for (unsigned i = 0; i < ACCT_CHARGES; i++)
		ret->wall += ret->charge[i];
}

/* The mark, and a request that the next be seen at once; see press.h. */
static uint64_t watched_mark(const struct acct_cpu *cpu)
{
	struct a32 *watched = (struct a32 *)(uintptr_t)&cpu->watched;

	/* relaxed: set again if it is not set; a press that it comes too late
	 * for is left to the lag */
	if (!a32_load_relaxed(watched))
		a32_store_relaxed(watched, 1);
	return mark_read(&cpu->mark);
}

/* What a watch that started at `start` adds by now, `lag` ago. */
static uint64_t in_flight(uint64_t now, uint64_t start, uint64_t lag)
{
	int64_t span = (int64_t)(now - start - lag);

	return start && span > 0 ? (uint64_t)span : 0;
}

int acct_live_task(const struct acct_cpu *cpu, const struct acct_task *task,
		   uint64_t lag, struct acct_usage *ret)
{
	for (int i = 0; i < ACCT_LIVE_TRIES; i++, arch_relax()) {
		uint64_t mark = watched_mark(cpu);
		struct acct_usage usage;
		uint64_t since;
		bool runs;

		if (mark & 1)
			continue;
		acct_read_task(task, &usage);
		since = word(&task->since);
		/* order: book.task pairs mark.own: see conc/mark.h */
		runs = aptr_load_acquire(&cpu->task) == task;
		if (runs)
			usage.in_flight = in_flight(os_ticks(), since, lag);
		if (!mark_valid(&cpu->mark, mark))
			continue;
		*ret = usage;
		return 0;
	}
	return -EAGAIN;
}

static int live_slot(const struct acct_cpu *cpu, const struct acct_slot *slot,
		     uint64_t lag, struct acct_usage *sum)
{
	for (int i = 0; i < ACCT_LIVE_TRIES; i++, arch_relax()) {
		uint64_t mark = watched_mark(cpu);
		struct acct_usage usage;

		if (mark & 1)
			continue;
		usage.in_flight = 0;
		for (unsigned m = 0; m < ACCT_METERS; m++)
			usage.meter[m] = word(&slot->base[m]);
		for (unsigned c = 0; c < ACCT_COUNTS; c++)
			usage.count[c] = word(&slot->count[c]);
		if (word(&slot->start[ACCT_EXEC])) {
			for (unsigned m = ACCT_EXEC + 1; m < ACCT_METERS; m++)
				usage.meter[m] += word(&cpu->meter[m]) -
						  word(&slot->start[m]);
			usage.in_flight =
				in_flight(os_ticks(),
					  word(&slot->start[ACCT_EXEC]), lag);
		}
		if (!mark_valid(&cpu->mark, mark))
			continue;
		for (unsigned m = 0; m < ACCT_METERS; m++)
			sum->meter[m] += usage.meter[m];
		for (unsigned c = 0; c < ACCT_COUNTS; c++)
			sum->count[c] += usage.count[c];
		sum->in_flight += usage.in_flight;
		return 0;
	}
	return -EAGAIN;
}

int acct_live_group(const struct acct_tree *tree,
		    const struct acct_group *group, uint64_t lag,
		    struct acct_usage *ret)
{
	struct acct_usage sum = {0};

	sum.count[ACCT_CREATED] = word(&group->created);
	for (unsigned i = 0; i < tree->cpus; i++)
		if (live_slot(tree->cpu[i], &group->slot[i], lag, &sum))
			return -EAGAIN;
	*ret = sum;
	return 0;
}

int acct_live_cpu(const struct acct_cpu *cpu, uint64_t lag,
		  struct acct_account *ret, uint64_t *ret_in_flight)
{
	for (int i = 0; i < ACCT_LIVE_TRIES; i++, arch_relax()) {
		uint64_t mark = watched_mark(cpu);
		struct acct_account account;
		uint64_t held;

		if (mark & 1)
			continue;
		acct_read_cpu(cpu, &account);
		held = in_flight(os_ticks(), word(&cpu->watch[ACCT_HELD].start),
				 lag);
		if (!mark_valid(&cpu->mark, mark))
			continue;
		*ret = account;
		*ret_in_flight = held;
		return 0;
	}
	return -EAGAIN;
}

int acct_audit_cpu(const struct acct_cpu *cpu, struct acct_account *ret)
{
	for (int i = 0; i < ACCT_LIVE_TRIES; i++, arch_relax()) {
		uint64_t mark = mark_read(&cpu->mark);
		struct acct_account account;
		uint64_t parts;

		if (mark & 1)
			continue;
		cpu_words(cpu, &account);
		account.stamp = os_ticks();
		if ((int64_t)(account.stamp - word(&cpu->last)) < 0)
			account.stamp = word(&cpu->last);
		account.wall = account.stamp - word(&cpu->begun);
		account.in_flight = 0;
		parts = account.stolen;
		for (unsigned c = 0; c < ACCT_CHARGES; c++) {
			uint64_t start = word(&cpu->watch[c].start);
			uint64_t span = in_flight(account.stamp, start, 0);

			if (start)
				account.running = c;
			if (c == ACCT_HELD)
				account.in_flight = span;
			else
				account.charge[c] += span;
			parts += account.charge[c];
		}
		parts += account.in_flight;
		account.residual = (int64_t)(account.wall - parts);
		if (!mark_valid(&cpu->mark, mark))
			continue;
		*ret = account;
		return 0;
	}
	return -EAGAIN;
}

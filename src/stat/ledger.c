/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The audit: every account is read back from where it stands and held against
 * the wall time, and the three sets of accounts against each other.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "stat/stat.h"

#define SETTLE_NS   20000000
#define PATIENCE_NS 200000000

static int64_t larger(int64_t a, int64_t b)
{
	return llabs(a) >= llabs(b) ? a : b;
}

uint64_t stat_part(struct stat_prefix *prefix, uint64_t ticks)
{
	uint64_t before = prefix->ns;

	prefix->ticks += ticks;
	prefix->ns = os_ticks_to_ns(&sched.base, prefix->ticks);
	return prefix->ns - before;
}

static uint64_t held(const struct acct_usage *usage)
{
	return usage->meter[ACCT_EXEC] + usage->count[ACCT_STOLEN];
}

/* The groups' view of the CPUs' held time: inclusive at the root, and the sum
 * of all own. */
static int64_t groups_residual(uint64_t held_ticks)
{
	struct acct_tree *tree = &sched.tree;
	struct acct_usage usage;
	uint64_t own = 0;
	int64_t inclusive;

	lock_acquire(&tree->lock, LOCK_TREE);
	acct_read_group(tree, tree->root, &usage);
	inclusive = (int64_t)(held_ticks - held(&usage));
	for (struct acct_group *g = tree->root; g; g = acct_group_next(g)) {
		acct_read_own(tree, g, &usage);
		own += held(&usage);
	}
	lock_release(&tree->lock, LOCK_TREE);
	return larger(inclusive, (int64_t)(held_ticks - own));
}

/* The wall time between the ledger's own stamps; what rounding has left of a
 * row goes to parked. */
static void round_row(const struct acct_account *account,
		      struct mete_cpu_usage *row)
{
	uint64_t wall_ns = os_ticks_to_ns(&sched.base, account->wall);
	uint64_t flight_ns = os_ticks_to_ns(&sched.base, account->in_flight);

	row->held_ns += flight_ns;
	row->wall_ns += flight_ns;
	if (!account->residual)
		row->parked_ns += wall_ns - row->wall_ns;
	row->wall_ns = wall_ns;
}

static void add_row(struct mete_ledger *sum, const struct mete_cpu_usage *row)
{
	sum->wall_ns += row->wall_ns;
	sum->held_ns += row->held_ns;
	sum->exec_ns += row->exec_ns;
	sum->stolen_ns += row->stolen_ns;
	sum->scheduler_ns += row->scheduler_ns;
	sum->polling_ns += row->polling_ns;
	sum->parked_ns += row->parked_ns;
}

/*
 * A carrier that was preempted in mid-press gets a moment; so does one that is
 * about to sleep, or was robbed on the way there, and has not yet told what of
 * its polling was its own.
 */
static int audit_cpu(const struct cpu *cpu, struct acct_account *account)
{
	uint64_t now = os_monotonic_ns();
	uint64_t settled = now + SETTLE_NS;
	uint64_t end = now + PATIENCE_NS;
	int error;

	do {
		error = acct_audit_cpu(&cpu->books, account);
		if (!error &&
		    (account->running == ACCT_HELD ||
		     account->running == ACCT_PARKED || now > settled))
			return 0;
		os_thread_yield();
		now = os_monotonic_ns();
	} while (!error || now < end);
	return -EAGAIN;
}

int stat_audit(struct mete_cpu_usage *rows, struct mete_ledger *ret_ledger)
{
	struct stat_prefix exec = {0};
	struct stat_prefix stolen = {0};
	struct mete_ledger sum = {.cpus = sched.cpus};
	uint64_t away_ns;

	for (unsigned i = 0; i < sched.cpus; i++) {
		struct cpu *cpu = sched.cpu[i];
		struct mete_cpu_usage row = {0};
		struct acct_account account;
		uint64_t kernel_ns;

		if (audit_cpu(cpu, &account))
			return -EAGAIN;
		/* relaxed: a figure beside the books */
		sum.asleep_ns +=
			os_ticks_to_ns(&sched.base,
				       a64_load_relaxed(&cpu->books.slept));
		if (!carrier_cpu_ns(cpu, &kernel_ns))
			sum.kernel_cpu_ns += kernel_ns;
		stat_cpu(cpu, &account,
			 stat_part(&exec, account.charge[ACCT_HELD]),
			 stat_part(&stolen, account.stolen), &row);
		round_row(&account, &row);
		sum.in_flight_ns +=
			os_ticks_to_ns(&sched.base, account.in_flight);
		add_row(&sum, &row);
		sum.residual_ticks =
			larger(sum.residual_ticks, account.residual);
		if (rows)
			rows[i] = row;
	}
	sum.residual_ns =
		(int64_t)os_ticks_to_ns(&sched.base,
					(uint64_t)llabs(sum.residual_ticks));
	if (sum.residual_ticks < 0)
		sum.residual_ns = -sum.residual_ns;
	sum.groups_residual_ticks = groups_residual(exec.ticks + stolen.ticks);
	sum.drift_ns =
		(int64_t)(sum.kernel_cpu_ns + sum.asleep_ns - sum.exec_ns -
			  sum.scheduler_ns - sum.polling_ns);
	sum.helper_cpu_ns = tick_cpu_ns();
	away_ns = carriers_ns() - sum.kernel_cpu_ns;
	sum.away_cpu_ns = (int64_t)away_ns > 0 ? away_ns : 0;
	sum.clock_error_ppm = os_timebase_error_ppm(&sched.base);
	sum.ticks_per_second = sched.base.ticks_per_second;
	*ret_ledger = sum;
	return 0;
}

int mete_ledger(struct mete_ledger *ret_ledger, size_t size)
{
	struct mete_ledger ledger;
	int error = stat_books(false);

	if (error)
		return error;
	if (!size)
		return -EINVAL;
	error = stat_audit(NULL, &ledger);
	if (error)
		return error;
	memcpy(ret_ledger, &ledger,
	       size < sizeof(ledger) ? size : sizeof(ledger));
	return 0;
}

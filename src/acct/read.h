/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading the books, by anyone.
 *
 * Settled readings load words that only grow, one by one: wait-free, monotone
 * each by itself and in sums, safe in signal handlers, as fresh as the last
 * press, exact at rest.
 *
 * Live readings add the time in flight, under the CPU's mark.  A stamp is not
 * ordered against the owner's stores, nor can the owner's stamp and its store
 * be one step, so all readers look ACCT_LAG_NS into the past: what was pressed
 * by then has become visible; and they ask the owner to let its next marks be
 * seen before it takes its stamp (acct_begin()).  (Measured on x86-64: without lag 1.7 % of
 * readings went back, by up to 2 us; with 5 us none in 64 million.)  A reader
 * gives up after ACCT_LIVE_TRIES with -EAGAIN: the owner may be preempted in
 * mid-press, or be what the reader has interrupted.
 */
#ifndef ACCT_READ_H
#define ACCT_READ_H

#include "acct/group.h"

#define ACCT_LAG_NS     5000
#define ACCT_LIVE_TRIES 100000

/* Amounts in ticks and counts. */
struct acct_usage {
	uint64_t meter[ACCT_METERS];
	uint64_t count[ACCT_COUNTS];
	uint64_t in_flight; /* live readings: held, but not yet pressed */
};

/* A CPU's accounts, the running one included, at `stamp`. */
struct acct_account {
	uint64_t stamp;
	uint64_t wall;
	uint64_t charge[ACCT_CHARGES]; /* [ACCT_HELD] is exec */
	enum acct_charge running;      /* what it charges now */
	uint64_t in_flight; /* held since the last press: not yet exec */
	uint64_t stolen;
	int64_t residual; /* wall less all of the above */
	uint64_t count[ACCT_COUNTS];
	uint64_t meter[ACCT_METERS];
};

void acct_read_task(const struct acct_task *task, struct acct_usage *ret);
void acct_read_group(const struct acct_tree *tree,
		     const struct acct_group *group, struct acct_usage *ret);
void acct_read_own(const struct acct_tree *tree, const struct acct_group *group,
		   struct acct_usage *ret);

/* Settled reading of a CPU: its watches as of their last stop. */
void acct_read_cpu(const struct acct_cpu *cpu, struct acct_account *ret);

/* Live ones, `lag` in ticks; 0 or -EAGAIN.  `cpu` is where the task last ran:
 * when it runs there the time since its last press is in flight. */
int acct_live_task(const struct acct_cpu *cpu, const struct acct_task *task,
		   uint64_t lag, struct acct_usage *ret);
int acct_live_group(const struct acct_tree *tree,
		    const struct acct_group *group, uint64_t lag,
		    struct acct_usage *ret);

int acct_live_cpu(const struct acct_cpu *cpu, uint64_t lag,
		  struct acct_account *ret, uint64_t *ret_in_flight);

/* The audit of one CPU: every account read back under the mark, the wall time
 * between the ledger's own two stamps.  0 or -EAGAIN. */
int acct_audit_cpu(const struct acct_cpu *cpu, struct acct_account *ret);

#endif

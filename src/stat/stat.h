/* SPDX-License-Identifier: Apache-2.0 */
/* What the readings share: from ticks to the public structures. */
#ifndef STAT_STAT_H
#define STAT_STAT_H

#include <mete/stat.h>

#include "acct/read.h"
#include "sched/sched.h"

static inline bool stat_runs(void)
{
	/* order: sched.reads pairs sched.run: a runtime that was started */
	return a32_load_acquire(&sched.running);
}

/* Whether books are kept: 0, -ENOSYS or -ENOTSUP; and by task. */
int stat_books(bool by_task);

/* Each time by itself, rounded down. */
void stat_usage(const struct acct_usage *usage, struct mete_usage *ret);
void stat_counts(const struct acct_usage *usage, struct mete_usage *ret);

/* A CPU's row; its wall is the sum of its parts, each rounded down. */
void stat_cpu(const struct cpu *cpu, const struct acct_account *account,
	      uint64_t exec_ns, uint64_t stolen_ns, struct mete_cpu_usage *ret);

enum mete_task_state stat_task_state(const struct task *task);

/* A running conversion: parts of a sum of ticks, so that the parts' ns add up
 * to the ns of the sum (each is the difference of two converted prefixes). */
struct stat_prefix {
	uint64_t ticks;
	uint64_t ns;
};
uint64_t stat_part(struct stat_prefix *prefix, uint64_t ticks);

/* Audit every CPU, into `rows` (may be NULL) and the ledger: 0 or -EAGAIN. */
int stat_audit(struct mete_cpu_usage *rows, struct mete_ledger *ret_ledger);

#endif

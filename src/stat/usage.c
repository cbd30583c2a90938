/* SPDX-License-Identifier: Apache-2.0 */
/* Usage of one task, group or CPU. */
#include <errno.h>
#include <string.h>

#include "stat/stat.h"

int stat_books(bool by_task)
{
	if (!stat_runs())
		return -ENOSYS;
	if (sched.config.mode == ACCT_OFF ||
	    (by_task && sched.config.mode != ACCT_TASK))
		return -ENOTSUP;
	return 0;
}

static uint64_t to_ns(uint64_t ticks)
{
	return os_ticks_to_ns(&sched.base, ticks);
}

void stat_counts(const struct acct_usage *usage, struct mete_usage *ret)
{
	ret->voluntary = usage->meter[ACCT_VOLUNTARY];
	ret->involuntary = usage->count[ACCT_INVOLUNTARY];
	ret->wakeups = usage->meter[ACCT_WAKEUPS];
	ret->migrations = usage->count[ACCT_MIGRATIONS];
	ret->tasks = usage->count[ACCT_CREATED];
}

void stat_usage(const struct acct_usage *usage, struct mete_usage *ret)
{
	bool waits = sched.config.mode == ACCT_TASK;

	stat_counts(usage, ret);
	ret->exec_ns = to_ns(usage->meter[ACCT_EXEC]);
	ret->stolen_ns = to_ns(usage->count[ACCT_STOLEN]);
	ret->held_ns = ret->exec_ns + ret->stolen_ns + to_ns(usage->in_flight);
	ret->wait_ns = waits ? to_ns(usage->meter[ACCT_WAIT]) : METE_UNKNOWN;
	ret->blocked_ns =
		waits ? to_ns(usage->meter[ACCT_BLOCKED]) : METE_UNKNOWN;
}

static uint64_t lag_ticks(void)
{
	return os_ns_to_ticks(&sched.base, ACCT_LAG_NS);
}

int mete_task_usage(mete_task handle, unsigned flags,
		    struct mete_usage *ret_usage, size_t size)
{
	struct acct_usage usage;
	struct mete_usage result;
	struct task *task;
	int error = stat_books(true);

	if (error)
		return error;
	if (flags & ~(unsigned)METE_LIVE || !size)
		return -EINVAL;
	task = sched_find(handle.id);
	if (!task)
		return -ESRCH;
	if (flags & METE_LIVE) {
		/* relaxed: if it runs elsewhere by now, it is read as
		 * settled */
		uint32_t index = a32_load_relaxed(&task->books.cpu);
		struct cpu *cpu = sched.cpu[index % sched.cpus];

		error = acct_live_task(&cpu->books, &task->books, lag_ticks(),
				       &usage);
		if (error)
			return error;
	} else {
		acct_read_task(&task->books, &usage);
	}
	if (sched_find(handle.id) != task)
		return -ESRCH;
	stat_usage(&usage, &result);
	memcpy(ret_usage, &result,
	       size < sizeof(result) ? size : sizeof(result));
	return 0;
}

enum mete_task_state stat_task_state(const struct task *task)
{
	/* relaxed: a state is stale as soon as it is known */
	switch (a64_load_relaxed(&task->state) & TASK_STATE_MASK) {
	case TASK_ENDED:
		return METE_TASK_DEAD;
	case TASK_BLOCKED:
		return METE_TASK_BLOCKED;
	case TASK_READY:
		return METE_TASK_READY;
	default:
		break;
	}
	for (unsigned i = 0; i < sched.cpus; i++)
		if (cpu_current(sched.cpu[i]) == task)
			return METE_TASK_RUNNING;
	return METE_TASK_READY;
}

int mete_task_state(mete_task handle, enum mete_task_state *ret_state)
{
	struct task *task = stat_runs() ? sched_find(handle.id) : NULL;
	enum mete_task_state state;

	if (!task)
		return -ESRCH;
	state = stat_task_state(task);
	if (sched_find(handle.id) != task)
		return -ESRCH;
	*ret_state = state;
	return 0;
}

int mete_group_usage(mete_group handle, unsigned flags,
		     struct mete_usage *ret_usage, size_t size)
{
	struct acct_group *group;
	struct acct_usage usage;
	struct mete_usage result;
	int error = stat_books(false);

	if (error)
		return error;
	if ((flags & ~(unsigned)(METE_LIVE | METE_OWN)) || !size ||
	    flags == (METE_LIVE | METE_OWN))
		return -EINVAL;
	group = acct_group_get(&sched.tree, handle.id);
	if (!group)
		return -ESRCH;
	if (flags & METE_LIVE)
		error = acct_live_group(&sched.tree, group, lag_ticks(),
					&usage);
	else if (flags & METE_OWN)
		acct_read_own(&sched.tree, group, &usage);
	else
		acct_read_group(&sched.tree, group, &usage);
	if (error)
		return error;
	if (acct_group_get(&sched.tree, handle.id) != group)
		return -ESRCH;
	stat_usage(&usage, &result);
	memcpy(ret_usage, &result,
	       size < sizeof(result) ? size : sizeof(result));
	return 0;
}

static void cpu_counts(const struct cpu *cpu,
		       const struct acct_account *account,
		       struct mete_cpu_usage *ret)
{
	uint64_t told;

	ret->voluntary = account->meter[ACCT_VOLUNTARY];
	ret->wakeups = account->meter[ACCT_WAKEUPS];
	ret->involuntary = account->count[ACCT_INVOLUNTARY];
	ret->migrations = account->count[ACCT_MIGRATIONS];
	/* relaxed: counts */
	ret->steals = a64_load_relaxed(&cpu->steals);
	ret->notifications = a64_load_relaxed(&cpu->notifications);
	ret->parks = a64_load_relaxed(&cpu->parks);
	ret->polls = a64_load_relaxed(&cpu->polls);
	ret->regions = a64_load_relaxed(&cpu->regions);
	ret->takeovers = a64_load_relaxed(&cpu->takeovers);
	told = a64_load_relaxed(&cpu->told);
	ret->sent = a64_load_relaxed(&cpu->sent);
	ret->handed = a64_load_relaxed(&cpu->handed);
	ret->suppressed = ret->sent > told ? ret->sent - told : 0;
}

void stat_cpu(const struct cpu *cpu, const struct acct_account *account,
	      uint64_t exec_ns, uint64_t stolen_ns, struct mete_cpu_usage *ret)
{
	cpu_counts(cpu, account, ret);
	ret->exec_ns = exec_ns;
	ret->stolen_ns = stolen_ns;
	ret->held_ns = exec_ns + stolen_ns;
	ret->scheduler_ns = to_ns(account->charge[ACCT_SCHEDULER]);
	ret->polling_ns = to_ns(account->charge[ACCT_POLLING]);
	ret->parked_ns = to_ns(account->charge[ACCT_PARKED]);
	ret->wall_ns = ret->held_ns + ret->scheduler_ns + ret->polling_ns +
		       ret->parked_ns;
}

int mete_cpu_usage(unsigned index, unsigned flags,
		   struct mete_cpu_usage *ret_usage, size_t size)
{
	struct mete_cpu_usage result = {0};
	struct acct_account account;
	uint64_t in_flight = 0;
	struct cpu *cpu;
	int error = stat_books(false);

	if (error)
		return error;
	if (flags & ~(unsigned)METE_LIVE || !size || index >= sched.cpus)
		return -EINVAL;
	cpu = sched.cpu[index];
	if (flags & METE_LIVE)
		error = acct_live_cpu(&cpu->books, lag_ticks(), &account,
				      &in_flight);
	else
		acct_read_cpu(&cpu->books, &account);
	if (error)
		return error;
	stat_cpu(cpu, &account, to_ns(account.charge[ACCT_HELD]),
		 to_ns(account.stolen), &result);
	result.held_ns += to_ns(in_flight);
	result.wall_ns += to_ns(in_flight);
	memcpy(ret_usage, &result,
	       size < sizeof(result) ? size : sizeof(result));
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Creation of tasks. */
#include <errno.h>
#include <string.h>

#include "sched/claim.h"
#include "sched/join.h"
#include "sched/pool.h"
#include "sched/sched.h"
#include "sched/special.h"

/* Come into the group: the creator's own needs no look, since the creator is
 * inside. */
static int join_group(struct cpu *cpu, uint64_t id, struct acct_group **ret)
{
	struct task *creator = cpu ? cpu_current(cpu) : NULL;
	struct acct_group *group;
	int error;

	if (likely(!id && creator)) {
		group = task_group(creator);
		acct_group_born(group, cpu->index);
		acct_created(&cpu->books, &group->slot[cpu->index]);
		*ret = group;
		return 0;
	}
	group = id ? acct_group_get(&sched.tree, id) : sched.tree.root;
	if (!group)
		return -ESRCH;
	error = acct_group_enter(group);
	if (error)
		return error;
	if (cpu)
		acct_created(&cpu->books, &group->slot[cpu->index]);
	else
		acct_group_created(group);
	*ret = group;
	return 0;
}

static void set_up(struct task *task, const struct spawn *spawn,
		   struct acct_group *group, const struct cpu *cpu)
{
	uint64_t born;

	task->fn = spawn->fn;
	task->arg = spawn->arg;
	task->flags |= spawn->flags;
	task->error_number = 0;
	task_name_set(task, spawn->name);
	born = sched.config.mode == ACCT_TASK ? os_ticks() : 0;
	a64_own_set(&task->born, born);
	acct_task_begin(&task->books, cpu ? cpu->index : ACCT_NOWHERE, born);
	/* relaxed: the queue publishes the task */
	aptr_store_relaxed(&task->group, group);
	a64_store_relaxed(&task->state,
			  claim_ticket(a64_load_relaxed(&task->state)) |
				  TASK_RUNNING);
	/* relaxed: as the group */
	a64_store_relaxed(&task->token, 0);
	a32_store_relaxed(&task->cancel, 0);
	task->cleanups = NULL;
	if (unlikely(task->flags & TASK_SPECIAL))
		special_prepare(task);
	join_word_begin(task, spawn->flags & TASK_DETACHED);
}

int sched_spawn(const struct spawn *spawn, uint64_t *ret_id)
{
	struct cpu *cpu = sched_cpu();
	struct task_mask *mask = NULL;
	struct acct_group *group;
	struct task *task;
	int error = 0;

	if (unlikely(spawn->cpu_count))
		error = task_mask_make(spawn->cpus, spawn->cpu_count, &mask);
	if (unlikely(error))
		return error;
	error = pool_take(cpu, spawn->stack_bytes, &task);
	if (unlikely(error))
		goto free_mask;
	error = join_group(cpu, spawn->group, &group);
	if (unlikely(error))
		goto give_task;
	/* relaxed: the queue publishes it */
	if (unlikely(mask)) {
		task->masks = mask;
		aptr_store_relaxed(&task->mask, mask);
	}
	set_up(task, spawn, group, cpu);
	*ret_id = task_id(task);
	if (likely(cpu != NULL)) {
		a64_own_add(&cpu->spawned, 1);
		sched_queue(cpu, task);
		tick_compete(cpu);
		sched_notify_idle();
	} else {
		/* relaxed: a count */
		a64_add_relaxed(&sched.spawned, 1);
		sched_send(task);
	}
	return 0;
give_task:
	fiber_watch_end(&task->fiber);
	pool_give(cpu, task);
free_mask:
	task_mask_free(mask);
	return error;
}

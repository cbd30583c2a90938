/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A task changes its group or its CPUs.
 *
 * The group pointer changes by exchange, so that each value is taken out by
 * exactly one, who lets the task leave that group.  The new group is entered
 * first.  Books follow at the task's next press: its CPU charges the slot it
 * has entered until then.
 */
#include <errno.h>
#include <string.h>

#include "os/mem.h"
#include "sched/sched.h"

void sched_poke(void)
{
	for (unsigned i = 0; i < sched.cpus; i++)
		/* order: due.heed pairs due.take: the changed task */
		a32_or_release(&sched.cpu[i]->due, DUE_HEED);
}

/*
 * A task was changed that may run, or be picked right now by a CPU that has not
 * said so yet: every CPU looks at its next safe point.  Whoever takes the flag
 * sees the change, and whoever picks the task afterwards too.
 */
static void poke(const struct task *task)
{
	/* relaxed: one that waits is looked at when it is woken */
	uint64_t state = a64_load_relaxed(&task->state);

	if ((state & TASK_STATE_MASK) != TASK_BLOCKED)
		sched_poke();
}

uint64_t sched_charge(uint64_t group_id)
{
	struct cpu *cpu = sched_cpu();
	struct task *task = cpu ? cpu_current(cpu) : NULL;
	struct acct_group *group;
	struct acct_group *old;

	if (!task)
		return group_id;
	group = acct_group_get(&sched.tree, group_id);
	old = task_group(task);
	if (!group || group == old)
		return group_id;
	acct_group_born(group, cpu->index);
	/* order: task.charge pairs task.group, task.undo: as task.move */
	old = aptr_exchange_acq_rel(&task->group, group);
	/* relaxed: who finds it alive though it was just destroyed is seen
	 * inside when the grace period has waited; see acct/group.h */
	if (unlikely(a32_load_relaxed(&group->life) != ACCT_LIVE)) {
		/* order: task.undo pairs task.charge, task.move: as task.move;
		 * as a swap it continues what published the old one */
		struct acct_group *now =
			aptr_exchange_acquire(&task->group, old);

		acct_group_leave(&sched.tree, now);
		return group_id;
	}
	acct_move(&cpu->books, &task->books, &group->slot[cpu->index]);
	group_id = acct_group_id(old);
	acct_group_died(&sched.tree, old, cpu->index);
	return group_id;
}

int sched_move(uint64_t id, uint64_t group_id)
{
	struct acct_group *group = acct_group_get(&sched.tree, group_id);
	struct acct_group *old;
	struct task *task;

	if (!group || acct_group_enter(group))
		return -ESRCH;
	task = sched_pin(id);
	if (!task) {
		acct_group_leave(&sched.tree, group);
		return -ESRCH;
	}
	/* order: task.move pairs task.group, task.undo: the group is complete;
	 * and so is the old one, which the task may have entered by itself */
	old = aptr_exchange_acq_rel(&task->group, group);
	if (task == sched_current()) {
		struct cpu *cpu = sched_cpu();

		acct_move(&cpu->books, &task->books, &group->slot[cpu->index]);
	} else {
		poke(task);
	}
	sched_unpin(task);
	acct_group_leave(&sched.tree, old);
	return 0;
}

/* As good as none, and none is quicker. */
static bool has_all(const struct task_mask *mask)
{
	for (unsigned i = 0; i < sched.cpus; i++)
		if (!task_mask_has(mask, i))
			return false;
	return true;
}

int task_mask_make(const unsigned *cpus, size_t count,
		   struct task_mask **ret_mask)
{
	struct task_mask *mask;
	size_t words = (sched.cpus + 63) / 64;

	for (size_t i = 0; i < count; i++)
		if (cpus[i] >= sched.cpus)
			return -EINVAL;
	if (!count) {
		*ret_mask = NULL;
		return 0;
	}
	mask = os_alloc(sizeof(*mask) + words * sizeof(mask->bits[0]));
	if (!mask)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		mask->bits[cpus[i] / 64] |= UINT64_C(1) << cpus[i] % 64;
	if (has_all(mask)) {
		os_free(mask);
		mask = NULL;
	}
	*ret_mask = mask;
	return 0;
}

void task_mask_free(struct task_mask *mask)
{
	os_free(mask);
}

/* Under the pin: the task's mask with these bits, `mask` if it has none yet. */
static struct task_mask *keep_mask(struct task *task, struct task_mask *mask)
{
	size_t bytes = (sched.cpus + 63) / 64 * sizeof(mask->bits[0]);

	for (struct task_mask *m = task->masks; m; m = m->older) {
		if (memcmp(m->bits, mask->bits, bytes) != 0)
			continue;
		task_mask_free(mask);
		return m;
	}
	mask->older = task->masks;
	task->masks = mask;
	return mask;
}

int sched_set_affinity(uint64_t id, const unsigned *cpus, size_t count)
{
	struct task_mask *mask;
	struct task *task;
	int error = task_mask_make(cpus, count, &mask);

	if (error)
		return error;
	task = sched_pin(id);
	if (!task) {
		task_mask_free(mask);
		return -ESRCH;
	}
	if (mask)
		mask = keep_mask(task, mask);
	/* order: task.bind pairs task.mask: the bits */
	aptr_store_release(&task->mask, mask);
	sched_unpin(task);
	poke(task);
	if (task == sched_current())
		sched_checkpoint_slow(sched_cpu());
	return 0;
}

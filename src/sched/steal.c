/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stealing: an idle CPU takes half of what waits on another, or, where nothing
 * is queued, what was sent there and has not been drained.
 *
 * A single task is left where it is for a moment: where tasks wake each other and
 * wait, there is one in the queue at every instant, and its own CPU runs it sooner
 * than its data would have come over.
 */
#include "sched/sched.h"

#define MOST_STOLEN 64

static uint64_t head_of(const struct cpu *victim)
{
	/* relaxed: a hint */
	return a64_load_relaxed(&victim->queue.head);
}

/* Is there more in its queue than one that has just come?  Our own do not have to
 * come over. */
static bool stands(struct cpu *cpu, const struct cpu *victim)
{
	uint64_t length = workq_length(&victim->queue);

	if (length != 1 || victim == cpu)
		return length;
	if (cpu->eyed && head_of(cpu->eyed) != cpu->eyed_head)
		cpu->eyed = NULL;
	if (!cpu->eyed) {
		cpu->eyed = victim;
		cpu->eyed_head = head_of(victim);
		cpu->eyed_since = os_ticks();
		return false;
	}
	return cpu->eyed == victim &&
	       os_ticks() - cpu->eyed_since > sched.patience_ticks;
}

bool sched_work_in_sight(struct cpu *cpu)
{
	for (unsigned i = 0; i < sched.cpus; i++) {
		const struct cpu *victim = sched.cpu[i];

		if (!wakelist_empty(&victim->wakes) || stands(cpu, victim))
			return true;
	}
	return false;
}

struct task *sched_steal(struct cpu *cpu)
{
	unsigned first = cpu_random(cpu) % sched.cpus;

	for (unsigned i = 0; i < sched.cpus; i++) {
		struct cpu *victim = sched.cpu[(first + i) % sched.cpus];
		void *tasks[MOST_STOLEN];
		size_t count = 0;

		if (victim == cpu)
			continue;
		if (stands(cpu, victim))
			count = workq_steal(&victim->queue, tasks, MOST_STOLEN);
		if (!count && sched_take_wakes(cpu, victim)) {
			a64_own_add(&cpu->steals, 1);
			return sched_pick(cpu);
		}
		if (!count)
			continue;
		a64_own_add(&cpu->steals, 1);
		/* Queued rather than run: one may have got a mask since. */
		for (size_t t = 0; t < count; t++)
			sched_queue(cpu, tasks[t]);
		if (count > 1)
			sched_notify_idle();
		return sched_pick(cpu);
	}
	return NULL;
}

void sched_pull(struct cpu *cpu)
{
	uint64_t own = workq_length(&cpu->queue);
	struct cpu *victim = NULL;
	uint64_t most = own + 1;
	void *tasks[MOST_STOLEN];
	size_t count;

	for (unsigned i = 0; i < sched.cpus; i++) {
		uint64_t length = workq_length(&sched.cpu[i]->queue);

		if (length <= most)
			continue;
		most = length;
		victim = sched.cpu[i];
	}
	if (!victim)
		return;
	count = (most - own) / 2;
	count = workq_steal(&victim->queue, tasks,
			    count < MOST_STOLEN ? count : MOST_STOLEN);
	if (!count)
		return;
	a64_own_add(&cpu->steals, 1);
	for (size_t t = 0; t < count; t++)
		sched_queue(cpu, tasks[t]);
}

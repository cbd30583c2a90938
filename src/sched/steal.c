/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stealing: an idle CPU takes half of what waits on another, or, where nothing
 * is queued, what was sent there and has not been drained.
 */
#include "sched/sched.h"

#define MOST_STOLEN 64

struct task *sched_steal(struct cpu *cpu)
{
	unsigned first = cpu_random(cpu) % sched.cpus;

	for (unsigned i = 0; i < sched.cpus; i++) {
		struct cpu *victim = sched.cpu[(first + i) % sched.cpus];
		void *tasks[MOST_STOLEN];
		size_t count;

		if (victim == cpu)
			continue;
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

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The books of the engine `threads`: the groups' own, folded upwards; while
 * threads live, with what the kernel says of them since they last booked.
 */
#include <stdlib.h>

#include "lab/engine_threads.h"

uint64_t threads_minus(uint64_t now, uint64_t before)
{
	if (now == LAB_UNKNOWN || before == LAB_UNKNOWN)
		return LAB_UNKNOWN;
	return now > before ? now - before : 0;
}

/* Children stand behind their parents: from the end. */
static void groups_fold(const struct lab_groups *groups,
			struct lab_usage *usage)
{
	for (size_t i = groups->count; i-- > 1;) {
		struct lab_usage *above = &usage[groups->rows[i].parent];
		uint64_t own_ns = above->own_exec_ns;

		lab_usage_add(above, &usage[i]);
		above->own_exec_ns = own_ns;
		above->tasks += usage[i].tasks;
	}
}

void threads_glance(struct lab_engine *base, struct lab_usage *usage)
{
	struct threads_engine *engine = (struct threads_engine *)base;

	pthread_mutex_lock(&engine->guard);
	for (size_t i = 0; i < engine->groups->count; i++)
		usage[i] = engine->own[i];
	for (const struct lab_strand *strand = engine->strands; strand;
	     strand = strand->next) {
		struct lab_usage *own = &usage[strand->group];
		struct lab_kernel_figures now;

		lab_kernel_thread(strand->tid, &now);
		own->exec_ns = lab_plus(own->exec_ns,
					threads_minus(now.cpu_ns,
						      strand->last.cpu_ns));
		own->wait_ns = lab_plus(own->wait_ns,
					threads_minus(now.delay_ns,
						      strand->last.delay_ns));
		own->switches = lab_plus(own->switches,
					 threads_minus(now.switches,
						       strand->last.switches));
	}
	pthread_mutex_unlock(&engine->guard);
	groups_fold(engine->groups, usage);
}

int threads_books(struct lab_engine *base, struct lab_books *books,
		  struct lab_strand *const *strands)
{
	struct threads_engine *engine = (struct threads_engine *)base;
	struct lab_audit *audit = &books->audit;

	groups_fold(engine->groups, engine->own);
	for (size_t i = 0; i < books->group_count; i++)
		books->groups[i].usage = engine->own[i];
	for (size_t i = 0; i < books->task_count; i++) {
		books->tasks[i].usage = strands[i]->usage;
		books->tasks[i].usage.tasks = 1;
		books->tasks[i].group = strands[i]->group;
	}
	for (size_t i = 0; i < books->cpu_count; i++)
		books->cpu[i].wall_ns = books->wall_ns;
	audit->wall_ns = books->wall_ns * books->cpu_count;
	audit->exec_ns = books->groups[0].usage.exec_ns;
	audit->kernel_cpu_ns =
		threads_minus(lab_kernel_process_ns(), engine->process_ns);
	if (audit->kernel_cpu_ns != LAB_UNKNOWN &&
	    audit->exec_ns != LAB_UNKNOWN)
		audit->drift_ns = (int64_t)(audit->kernel_cpu_ns) -
				  (int64_t)audit->exec_ns;
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The tasks of a run; see tasks.h. */
#include "lab/tasks.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "lab/exec_mem.h"
#include "lab/work.h"

/* Tasks of the first chunk. */
#define CHUNK ((size_t)1024)

static unsigned chunk_of(size_t forked, size_t *ret_offset)
{
	unsigned chunk = 63u - (unsigned)__builtin_clzll(forked / CHUNK + 1);

	*ret_offset = forked - CHUNK * (((size_t)1 << chunk) - 1);
	return chunk;
}

struct lab_task *lab_task_at(const struct lab_run *run, size_t index)
{
	size_t named = run->program->task_count;
	size_t offset;
	unsigned chunk;

	if (index < named)
		return &run->tasks[index];
	chunk = chunk_of(index - named, &offset);
	return &run->forked[chunk][offset];
}

static int task_init(struct lab_run *run, struct lab_task *task,
		     const struct lab_task_spec *spec)
{
	const struct lab_plan *plan = &run->plans[spec - run->program->specs];

	task->run = run;
	task->spec = spec;
	task->plan = plan;
	task->group = plan->group;
	task->bound = &plan->phases[0];
	task->timers = calloc(plan->timers + 1, sizeof(*task->timers));
	return task->timers ? 0 : -ENOMEM;
}

static int named_create(struct lab_run *run, struct lab_task *task,
			const struct lab_task_spec *spec, uint32_t instance)
{
	if (asprintf(&task->name, "%s-%u", spec->name, instance) < 0) {
		task->name = NULL;
		return -ENOMEM;
	}
	task->index = (uint32_t)(task - run->tasks);
	return task_init(run, task, spec);
}

int lab_tasks_create(struct lab_run *run)
{
	const struct lab_program *program = run->program;
	struct lab_task *task;
	int rc = 0;

	run->tasks =
		calloc((size_t)program->task_count + 1, sizeof(*run->tasks));
	run->fork_counts =
		calloc(program->spec_count + 1, sizeof(*run->fork_counts));
	if (!run->tasks || !run->fork_counts)
		return -ENOMEM;
	run->task_count = program->task_count;
	task = run->tasks;
	for (size_t i = 0; i < program->spec_count; i++)
		for (uint32_t k = 0; k < program->specs[i].instances && !rc;
		     k++)
			rc = named_create(run, task++, &program->specs[i], k);
	return rc;
}

void lab_tasks_free(struct lab_run *run)
{
	for (size_t i = 0; i < run->task_count; i++) {
		struct lab_task *task = lab_task_at(run, i);

		free(task->name);
		free(task->timers);
		lab_buffers_free(task);
		lab_histogram_fini(&task->wakeups);
		lab_histogram_fini(&task->slacks);
	}
	for (unsigned i = 0; i < LAB_FORK_CHUNKS; i++)
		free(run->forked[i]);
	free(run->tasks);
}

int lab_task_spawn(struct lab_task *task)
{
	struct lab_run *run = task->run;
	struct lab_strand *strand;
	struct lab_spawn spawn = {
		.name = task->name,
		.group = task->group,
		.cpus = task->bound->cpus,
		.cpu_count = task->bound->cpu_count,
		.fn = lab_task_main,
		.arg = task,
	};
	int rc;

	task->alive = true;
	run->live++;
	rc = run->ops->spawn(run->engine, &spawn, &strand);
	if (rc) {
		task->alive = false;
		run->live--;
		return rc;
	}
	task->strand = strand;
	return 0;
}

/* A slot of its own for one task more; NULL: there is no room. */
static struct lab_task *slot_take(struct lab_run *run)
{
	struct lab_task *task = NULL;
	size_t index;
	size_t offset;
	unsigned chunk;

	pthread_mutex_lock(&run->fork_guard);
	index = run->task_count;
	chunk = chunk_of(index - run->program->task_count, &offset);
	if (index < LAB_TASKS_MAX && chunk < LAB_FORK_CHUNKS) {
		if (!run->forked[chunk])
			run->forked[chunk] =
				calloc(CHUNK << chunk, sizeof(struct lab_task));
		if (run->forked[chunk]) {
			task = &run->forked[chunk][offset];
			task->index = (uint32_t)index;
			run->task_count = index + 1;
		}
	}
	pthread_mutex_unlock(&run->fork_guard);
	return task;
}

/*
 * Who forks lives, so the run does not end of itself meanwhile.  If it is ended
 * from outside, either lab_end() has seen the new strand and nudges it, or
 * `ending` is seen here; a permit too many does no harm then.
 */
void lab_op_fork(struct lab_task *task, const struct lab_op *op)
{
	struct lab_run *run = task->run;
	const struct lab_task_spec *spec = &run->program->specs[op->object];
	struct lab_task *child = slot_take(run);
	int rc = -EAGAIN;

	if (child) {
		uint32_t number = run->fork_counts[op->object]++;

		rc = -ENOMEM;
		if (asprintf(&child->name, "%s-%u-fork", spec->name, number) <
		    0)
			child->name = NULL;
		else
			rc = task_init(run, child, spec);
		child->first_ns = lab_now_ns();
	}
	if (!rc)
		rc = lab_loop_open(child);
	if (!rc)
		rc = lab_task_spawn(child);
	if (rc) {
		lab_complain(task, LAB_FORK_REFUSED, op->place, LAB_NONE, rc);
		return;
	}
	run->ops->nudge(child->strand);
	if (run->ending)
		run->ops->nudge(child->strand);
}

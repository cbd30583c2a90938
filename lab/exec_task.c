/* SPDX-License-Identifier: Apache-2.0 */
/* The life of a task: the gate, the delay, loops and phases, the end. */
#include <errno.h>

#include "lab/exec.h"

static void sched_apply(struct lab_task *task, const struct lab_sched *sched)
{
	int rc = task->run->ops->sched(task->strand, sched);
	/* A policy of the whole file has no place in the task. */
	struct lab_place place =
		sched->place.line ? sched->place : task->spec->place;

	if (rc == -ENOTSUP)
		lab_complain(task, LAB_SCHED_UNSERVED, place, LAB_NONE, 0);
	else if (rc)
		lab_complain(task, LAB_SCHED_REFUSED, place, LAB_NONE, rc);
}

static void phase_begin(struct lab_task *task, const struct lab_phase *phase,
			const struct lab_phase_plan *plan)
{
	const struct lab_engine_ops *ops = task->run->ops;
	int rc;

	if (plan->moves && plan->group != task->group &&
	    ops->move(task->strand, plan->group) == 0)
		task->group = plan->group;
	if (plan->cpus != task->bound->cpus) {
		rc = ops->bind(task->strand, plan->cpus, plan->cpu_count);
		if (rc)
			lab_complain(task, LAB_BIND_REFUSED, phase->place,
				     LAB_NONE, rc);
		task->bound = plan;
	}
	if (phase->sched.given)
		sched_apply(task, &phase->sched);
}

static void phase_do(struct lab_task *task, const struct lab_phase *phase)
{
	for (int64_t i = 0; phase->loop < 0 || i < phase->loop; i++) {
		lab_loop_begin(task);
		for (size_t k = 0; k < phase->op_count; k++) {
			if (task->run->ending)
				return;
			lab_op_do(task, &phase->ops[k]);
		}
		lab_loop_end(task);
		task->run->ops->checkpoint();
		if (task->run->ending)
			return;
	}
}

static void phases_do(struct lab_task *task)
{
	const struct lab_task_spec *spec = task->spec;

	for (int64_t i = 0; spec->loop < 0 || i < spec->loop; i++) {
		for (size_t k = 0; k < spec->phase_count; k++) {
			if (task->run->ending)
				return;
			phase_begin(task, &spec->phases[k],
				    &task->plan->phases[k]);
			phase_do(task, &spec->phases[k]);
		}
		task->run->ops->checkpoint();
		if (task->run->ending)
			return;
	}
}

void lab_task_main(struct lab_strand *strand, void *arg)
{
	struct lab_task *task = arg;
	struct lab_run *run = task->run;

	/* The gate: opened for all at once. */
	run->ops->pause(strand, METE_FOREVER);
	if (!run->ending) {
		sched_apply(task, &task->spec->sched);
		/* A forked task has its own start already. */
		if (!task->first_ns)
			task->first_ns = run->start_ns;
		task->first_ns += task->spec->delay_us * UINT64_C(1000);
		if (task->spec->delay_us)
			lab_task_sleep(task, task->first_ns);
		phases_do(task);
	}
	lab_task_let_go(task);
	task->alive = false;
	if (--run->live == 0)
		lab_tell(run);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What each op does. */
#include "lab/exec_ops.h"

#include "lab/exec.h"
#include "lab/exec_mem.h"
#include "lab/tasks.h"
#include "lab/work.h"

/* A busy loop looks at the clock this often. */
#define BUSY_SLICE_NS 1000

void lab_complain(struct lab_task *task, enum lab_complaint_kind kind,
		  struct lab_place place, uint32_t object, int error)
{
	struct lab_complaint *complaint = &task->run->complaints[kind];

	if (complaint->count++ == 0) {
		complaint->task = task;
		complaint->place = place;
		complaint->object = object;
		complaint->error = error;
	}
}

static struct lab_thing *thing(struct lab_task *task, uint32_t object)
{
	return &task->run->things[object];
}

void lab_woke(struct lab_task *task, uint64_t due_ns)
{
	uint64_t now_ns = lab_now_ns();

	if (!task->run->ending && now_ns >= due_ns)
		lab_histogram_add(&task->wakeups, (int64_t)(now_ns - due_ns));
}

void lab_task_sleep(struct lab_task *task, uint64_t until_ns)
{
	struct lab_run *run = task->run;
	uint64_t due_ns = until_ns;

	if (until_ns > run->end_ns)
		until_ns = run->end_ns;
	/* The permit comes only when the run is ending. */
	run->ops->pause(task->strand, until_ns);
	if (until_ns == run->end_ns)
		run->ending = true;
	lab_woke(task, due_ns);
}

void lab_task_work(struct lab_task *task, uint64_t loops)
{
	struct lab_run *run = task->run;

	while (loops > 0 && !run->ending) {
		uint64_t part = loops < run->loops_per_slice
					? loops
					: run->loops_per_slice;

		lab_work(part);
		run->ops->checkpoint();
		loops -= part;
	}
}

static void op_run(struct lab_task *task, const struct lab_op *op)
{
	double loops = (double)op->amount_us * 1000 / task->run->ns_per_loop;
	uint64_t start_ns = lab_now_ns();

	lab_task_work(task, op->amount_us < 0 ? UINT64_MAX : (uint64_t)loops);
	task->loop.run_ns += lab_now_ns() - start_ns;
	if (op->amount_us > 0) {
		task->loop.perf += (uint64_t)loops;
		task->loop.wanted_us += (uint64_t)op->amount_us;
	}
}

static void op_runtime(struct lab_task *task, const struct lab_op *op)
{
	struct lab_run *run = task->run;
	uint64_t start_ns = lab_now_ns();
	uint64_t until_ns = start_ns + (uint64_t)op->amount_us * 1000;
	uint64_t loops = (uint64_t)(BUSY_SLICE_NS / run->ns_per_loop) + 1;

	while (!run->ending && lab_now_ns() < until_ns) {
		lab_work(loops);
		run->ops->checkpoint();
		task->loop.perf += loops;
	}
	task->loop.run_ns += lab_now_ns() - start_ns;
}

static void op_sleep(struct lab_task *task, const struct lab_op *op)
{
	if (op->amount_us > 0)
		lab_task_sleep(task,
			       lab_now_ns() + (uint64_t)op->amount_us * 1000);
}

struct timer_kind {
	uint64_t period_ns;
	bool absolute;
};

/*
 * The next point of a timer; a late relative one restarts now.  Returns when
 * to sleep until, 0 when it is late; and how much was left, or less than
 * nothing.
 */
static uint64_t timer_step(uint64_t *next_ns, uint64_t first_ns,
			   const struct timer_kind *kind, int64_t *ret_slack_ns)
{
	uint64_t now_ns = lab_now_ns();

	if (*next_ns == 0)
		*next_ns = first_ns;
	*next_ns += kind->period_ns;
	*ret_slack_ns = (int64_t)(*next_ns - now_ns);
	if (now_ns < *next_ns)
		return *next_ns;
	if (!kind->absolute)
		*next_ns = now_ns;
	return 0;
}

static void op_timer(struct lab_task *task, const struct lab_op *op)
{
	const struct lab_object *object =
		&task->run->program->objects[op->object];
	struct lab_thing *timer = thing(task, op->object);
	struct timer_kind kind = {(uint64_t)op->amount_us * 1000,
				  object->absolute};
	int64_t slack_ns;
	uint64_t until_ns;

	if (object->unique) {
		until_ns = timer_step(&task->timers[timer->slot],
				      task->first_ns, &kind, &slack_ns);
	} else {
		pthread_mutex_lock(&timer->guard);
		until_ns = timer_step(&timer->next_ns, task->first_ns, &kind,
				      &slack_ns);
		pthread_mutex_unlock(&timer->guard);
	}
	lab_histogram_add(&task->slacks, slack_ns);
	task->loop.slack_ns = slack_ns;
	task->loop.periods_us += (uint64_t)op->amount_us;
	if (until_ns) {
		uint64_t now_ns;

		lab_task_sleep(task, until_ns);
		now_ns = lab_now_ns();
		task->loop.latency_ns +=
			now_ns > until_ns ? now_ns - until_ns : 0;
	}
}

static void op_yield(struct lab_task *task, const struct lab_op *op)
{
	(void)op;
	task->run->ops->yield();
}

void lab_op_do(struct lab_task *task, const struct lab_op *op)
{
	static void (*const does[LAB_OP_KINDS])(struct lab_task *,
						const struct lab_op *) = {
		[LAB_RUN] = op_run,
		[LAB_RUNTIME] = op_runtime,
		[LAB_SLEEP] = op_sleep,
		[LAB_TIMER] = op_timer,
		[LAB_LOCK] = lab_op_lock,
		[LAB_UNLOCK] = lab_op_unlock,
		[LAB_WAIT] = lab_op_wait,
		[LAB_SIGNAL] = lab_op_wake,
		[LAB_BROAD] = lab_op_wake,
		[LAB_SYNC] = lab_op_wait,
		[LAB_BARRIER] = lab_op_barrier,
		[LAB_SUSPEND] = lab_op_suspend,
		[LAB_RESUME] = lab_op_resume,
		[LAB_YIELD] = op_yield,
		[LAB_SEM_POST] = lab_op_sem_post,
		[LAB_SEM_WAIT] = lab_op_sem_wait,
		[LAB_MEM] = lab_op_mem,
		[LAB_MEMRUN] = lab_op_memrun,
		[LAB_IORUN] = lab_op_iorun,
		[LAB_FORK] = lab_op_fork,
	};

	does[op->kind](task, op);
}

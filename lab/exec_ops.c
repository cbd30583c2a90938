/* SPDX-License-Identifier: Apache-2.0 */
/* What each op does. */
#include <errno.h>
#include <stdlib.h>

#include "lab/exec.h"
#include "lab/work.h"

/* How long a wait for a lock may not notice that the run has ended. */
#define LOCK_SLICE_NS UINT64_C(500000000)

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

/* From here on the task waits for something that has no end of its own. */
static void waits_for(struct lab_task *task, const struct lab_op *op,
		      uint32_t object)
{
	task->waits++;
	task->doing = (task->waits << 40) | ((uint64_t)object << 8) |
		      ((uint64_t)op->kind + 1);
}

static void waits_no_more(struct lab_task *task)
{
	task->doing = task->waits << 40;
}

bool lab_task_waits(uint64_t doing, enum lab_op_kind *ret_kind,
		    uint32_t *ret_object)
{
	if ((doing & 0xff) == 0)
		return false;
	*ret_kind = (enum lab_op_kind)((doing & 0xff) - 1);
	*ret_object = (uint32_t)(doing >> 8);
	return true;
}

static struct lab_thing *thing(struct lab_task *task, uint32_t object)
{
	return &task->run->things[object];
}

void lab_task_sleep(struct lab_task *task, uint64_t until_ns)
{
	struct lab_run *run = task->run;

	if (until_ns > run->end_ns)
		until_ns = run->end_ns;
	/* The permit comes only when the run is ending. */
	run->ops->pause(task->strand, until_ns);
	if (until_ns == run->end_ns)
		run->ending = true;
}

static void work(struct lab_task *task, uint64_t loops)
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

	work(task, op->amount_us < 0 ? UINT64_MAX : (uint64_t)loops);
}

static void op_runtime(struct lab_task *task, const struct lab_op *op)
{
	struct lab_run *run = task->run;
	uint64_t until_ns = lab_now_ns() + (uint64_t)op->amount_us * 1000;
	uint64_t loops = (uint64_t)(BUSY_SLICE_NS / run->ns_per_loop) + 1;

	while (!run->ending && lab_now_ns() < until_ns) {
		lab_work(loops);
		run->ops->checkpoint();
	}
}

static void op_sleep(struct lab_task *task, const struct lab_op *op)
{
	if (op->amount_us > 0)
		lab_task_sleep(task,
			       lab_now_ns() + (uint64_t)op->amount_us * 1000);
}

/*
 * The next point of a timer; a late relative one restarts now.  Returns when
 * to sleep until, 0 when it is late.
 */
static uint64_t timer_step(uint64_t *next_ns, uint64_t first_ns,
			   uint64_t period_ns, bool absolute)
{
	uint64_t now_ns = lab_now_ns();

	if (*next_ns == 0)
		*next_ns = first_ns;
	*next_ns += period_ns;
	if (now_ns < *next_ns)
		return *next_ns;
	if (!absolute)
		*next_ns = now_ns;
	return 0;
}

static void op_timer(struct lab_task *task, const struct lab_op *op)
{
	const struct lab_object *object =
		&task->run->program->objects[op->object];
	struct lab_thing *timer = thing(task, op->object);
	uint64_t period_ns = (uint64_t)op->amount_us * 1000;
	uint64_t until_ns;

	if (object->unique) {
		until_ns =
			timer_step(&task->timers[timer->slot], task->first_ns,
				   period_ns, object->absolute);
	} else {
		pthread_mutex_lock(&timer->guard);
		until_ns = timer_step(&timer->next_ns, task->first_ns,
				      period_ns, object->absolute);
		pthread_mutex_unlock(&timer->guard);
	}
	if (until_ns)
		lab_task_sleep(task, until_ns);
}

static uint64_t slice_end(const struct lab_run *run)
{
	uint64_t ns = lab_now_ns() + LOCK_SLICE_NS;

	return ns < run->end_ns ? ns : run->end_ns;
}

static bool lock_get(struct lab_task *task, const struct lab_op *op,
		     uint32_t object)
{
	struct lab_run *run = task->run;
	struct lab_thing *mutex = thing(task, object);
	int rc = -EDEADLK;

	/* Who locks what he holds waits for himself. */
	if (mutex->owner != task)
		rc = run->ops->lock(mutex->lock, 0);
	if (rc == 0) {
		mutex->owner = task;
		return true;
	}
	waits_for(task, op, object);
	while (rc && !run->ending) {
		if (rc == -EDEADLK)
			run->ops->pause(task->strand, run->end_ns);
		else
			rc = run->ops->lock(mutex->lock, slice_end(run));
	}
	waits_no_more(task);
	if (rc)
		return false;
	mutex->owner = task;
	return true;
}

static void lock_put(struct lab_task *task, struct lab_thing *mutex)
{
	mutex->owner = NULL;
	task->run->ops->unlock(mutex->lock);
}

static void op_lock(struct lab_task *task, const struct lab_op *op)
{
	struct lab_thing **held = task->held;

	if (!lock_get(task, op, op->object))
		return;
	if (task->held_count == task->held_room) {
		size_t room = 2 * task->held_room + 4;

		held = realloc(held, room * sizeof(struct lab_thing *));
		if (!held)
			abort(); /* a handful of bytes: nothing works then */
		task->held = held;
		task->held_room = room;
	}
	held[task->held_count++] = thing(task, op->object);
}

static void op_unlock(struct lab_task *task, const struct lab_op *op)
{
	struct lab_thing *mutex = thing(task, op->object);
	size_t i = task->held_count;

	while (i > 0 && task->held[i - 1] != mutex)
		i--;
	if (i == 0) {
		lab_complain(task, LAB_UNLOCKS_UNHELD, op->place, op->object,
			     0);
		return;
	}
	for (task->held_count--; i <= task->held_count; i++)
		task->held[i - 1] = task->held[i];
	lock_put(task, mutex);
}

void lab_task_let_go(struct lab_task *task)
{
	while (task->held_count > 0)
		lock_put(task, task->held[--task->held_count]);
	free(task->held);
	task->held = NULL;
	task->held_room = 0;
}

/* With the mutex held. */
static void cond_wait(struct lab_task *task, const struct lab_op *op)
{
	struct lab_run *run = task->run;
	struct lab_thing *mutex = thing(task, op->mutex);

	if (run->ending)
		return;
	waits_for(task, op, op->object);
	mutex->owner = NULL;
	run->ops->cond_wait(thing(task, op->object)->cond, mutex->lock,
			    run->end_ns);
	mutex->owner = task;
	waits_no_more(task);
}

static void op_wait(struct lab_task *task, const struct lab_op *op)
{
	bool held = thing(task, op->mutex)->owner == task;

	/* Files lock around it; one that doesn't is taken to have meant it. */
	if (!held) {
		lab_complain(task, LAB_WAITS_UNHELD, op->place, op->mutex, 0);
		if (!lock_get(task, op, op->mutex))
			return;
	}
	if (op->kind == LAB_SYNC)
		task->run->ops->cond_wake(thing(task, op->object)->cond, false);
	cond_wait(task, op);
	if (!held)
		lock_put(task, thing(task, op->mutex));
}

static void op_wake(struct lab_task *task, const struct lab_op *op)
{
	task->run->ops->cond_wake(thing(task, op->object)->cond,
				  op->kind == LAB_BROAD);
}

static void op_suspend(struct lab_task *task, const struct lab_op *op)
{
	if (!lock_get(task, op, op->mutex))
		return;
	cond_wait(task, op);
	lock_put(task, thing(task, op->mutex));
}

/*
 * Whoever waits has taken and given the mutex, so passing through it once is
 * enough; waking behind it spares those who wake a wait for the mutex.
 */
static void op_resume(struct lab_task *task, const struct lab_op *op)
{
	if (!lock_get(task, op, op->mutex))
		return;
	lock_put(task, thing(task, op->mutex));
	task->run->ops->cond_wake(thing(task, op->object)->cond, true);
}

/* The last to come opens the barrier, in the order of arrival. */
static void barrier_open(struct lab_run *run, struct lab_task *latest)
{
	struct lab_task *first = NULL;

	while (latest) {
		struct lab_task *before = latest->next_waiter;

		latest->next_waiter = first;
		first = latest;
		latest = before;
	}
	while (first) {
		struct lab_task *waiter = first;

		first = waiter->next_waiter;
		waiter->released = true;
		run->ops->nudge(waiter->strand);
	}
}

static void op_barrier(struct lab_task *task, const struct lab_op *op)
{
	struct lab_run *run = task->run;
	struct lab_thing *barrier = thing(task, op->object);
	struct lab_task *waiters = NULL;
	bool last;

	task->released = false;
	waits_for(task, op, op->object);
	pthread_mutex_lock(&barrier->guard);
	last = ++barrier->arrived >= run->program->objects[op->object].users;
	if (last) {
		waiters = barrier->waiters;
		barrier->waiters = NULL;
		barrier->arrived = 0;
	} else {
		task->next_waiter = barrier->waiters;
		barrier->waiters = task;
	}
	pthread_mutex_unlock(&barrier->guard);
	if (last) {
		barrier_open(run, waiters);
	} else {
		/* Each release brings one permit, to be taken here. */
		do {
			run->ops->pause(task->strand, run->end_ns);
		} while (!task->released && !run->ending &&
			 lab_now_ns() < run->end_ns);
	}
	waits_no_more(task);
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
		[LAB_RUN] = op_run,         [LAB_RUNTIME] = op_runtime,
		[LAB_SLEEP] = op_sleep,     [LAB_TIMER] = op_timer,
		[LAB_LOCK] = op_lock,       [LAB_UNLOCK] = op_unlock,
		[LAB_WAIT] = op_wait,       [LAB_SIGNAL] = op_wake,
		[LAB_BROAD] = op_wake,      [LAB_SYNC] = op_wait,
		[LAB_BARRIER] = op_barrier, [LAB_SUSPEND] = op_suspend,
		[LAB_RESUME] = op_resume,   [LAB_YIELD] = op_yield,
	};

	does[op->kind](task, op);
}

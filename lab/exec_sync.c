/* SPDX-License-Identifier: Apache-2.0 */
/* What the ops do that tasks meet by: locks, conditions, barriers. */
#include <errno.h>
#include <stdlib.h>

#include "lab/exec.h"
#include "lab/exec_ops.h"
#include "lab/work.h"

/* How long a wait for a lock may not notice that the run has ended. */
#define LOCK_SLICE_NS UINT64_C(500000000)

/* From here on the task waits for something that has no end of its own. */
void lab_waits_for(struct lab_task *task, const struct lab_op *op,
		   uint32_t object)
{
	task->waits++;
	task->doing = (task->waits << 40) | ((uint64_t)object << 8) |
		      ((uint64_t)op->kind + 1);
}

void lab_waits_no_more(struct lab_task *task)
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
	lab_waits_for(task, op, object);
	while (rc && !run->ending) {
		if (rc == -EDEADLK)
			run->ops->pause(task->strand, run->end_ns);
		else
			rc = run->ops->lock(mutex->lock, slice_end(run));
	}
	lab_waits_no_more(task);
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

void lab_op_lock(struct lab_task *task, const struct lab_op *op)
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

void lab_op_unlock(struct lab_task *task, const struct lab_op *op)
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

static void cond_wake(struct lab_task *task, const struct lab_op *op, bool all)
{
	struct lab_thing *cond = thing(task, op->object);

	cond->woken_ns = lab_now_ns();
	task->run->ops->cond_wake(cond->cond, all);
}

/* With the mutex held. */
static void cond_wait(struct lab_task *task, const struct lab_op *op)
{
	struct lab_run *run = task->run;
	struct lab_thing *mutex = thing(task, op->mutex);
	struct lab_thing *cond = thing(task, op->object);
	uint64_t start_ns;

	if (run->ending)
		return;
	lab_waits_for(task, op, op->object);
	mutex->owner = NULL;
	start_ns = lab_now_ns();
	run->ops->cond_wait(cond->cond, mutex->lock, run->end_ns);
	mutex->owner = task;
	lab_waits_no_more(task);
	/* Of several wakers the latest counts: it is the one that was heard,
	 * or the one that made it certain. */
	if (cond->woken_ns >= start_ns)
		lab_woke(task, cond->woken_ns);
}

void lab_op_wait(struct lab_task *task, const struct lab_op *op)
{
	bool held = thing(task, op->mutex)->owner == task;

	/* Files lock around it; one that doesn't is taken to have meant it. */
	if (!held) {
		lab_complain(task, LAB_WAITS_UNHELD, op->place, op->mutex, 0);
		if (!lock_get(task, op, op->mutex))
			return;
	}
	if (op->kind == LAB_SYNC)
		cond_wake(task, op, false);
	cond_wait(task, op);
	if (!held)
		lock_put(task, thing(task, op->mutex));
}

void lab_op_wake(struct lab_task *task, const struct lab_op *op)
{
	cond_wake(task, op, op->kind == LAB_BROAD);
}

void lab_op_suspend(struct lab_task *task, const struct lab_op *op)
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
void lab_op_resume(struct lab_task *task, const struct lab_op *op)
{
	if (!lock_get(task, op, op->mutex))
		return;
	lock_put(task, thing(task, op->mutex));
	cond_wake(task, op, true);
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

/* Each release brings one permit, to be taken here. */
static void await_release(struct lab_task *task, struct lab_thing *thing)
{
	struct lab_run *run = task->run;

	do {
		run->ops->pause(task->strand, run->end_ns);
	} while (!task->released && !run->ending && lab_now_ns() < run->end_ns);
	if (task->released)
		lab_woke(task, thing->woken_ns);
}

void lab_op_barrier(struct lab_task *task, const struct lab_op *op)
{
	struct lab_run *run = task->run;
	struct lab_thing *barrier = thing(task, op->object);
	struct lab_task *waiters = NULL;
	bool last;

	task->released = false;
	lab_waits_for(task, op, op->object);
	pthread_mutex_lock(&barrier->guard);
	last = ++barrier->arrived >= run->program->objects[op->object].users;
	if (last) {
		waiters = barrier->waiters;
		barrier->waiters = NULL;
		barrier->woken_ns = lab_now_ns();
		barrier->arrived = 0;
	} else {
		task->next_waiter = barrier->waiters;
		barrier->waiters = task;
	}
	pthread_mutex_unlock(&barrier->guard);
	if (last) {
		barrier_open(run, waiters);
	} else {
		await_release(task, barrier);
	}
	lab_waits_no_more(task);
}

/* Permits go to those who wait in the order in which they came. */
void lab_op_sem_post(struct lab_task *task, const struct lab_op *op)
{
	struct lab_thing *sem = thing(task, op->object);
	struct lab_task *waiter;

	pthread_mutex_lock(&sem->guard);
	waiter = sem->waiters;
	if (waiter) {
		sem->waiters = waiter->next_waiter;
		sem->woken_ns = lab_now_ns();
	} else {
		sem->permits++;
	}
	pthread_mutex_unlock(&sem->guard);
	if (waiter) {
		waiter->released = true;
		task->run->ops->nudge(waiter->strand);
	}
}

void lab_op_sem_wait(struct lab_task *task, const struct lab_op *op)
{
	struct lab_thing *sem = thing(task, op->object);
	bool waits;

	task->released = false;
	lab_waits_for(task, op, op->object);
	pthread_mutex_lock(&sem->guard);
	waits = sem->permits == 0;
	if (!waits) {
		sem->permits--;
	} else {
		task->next_waiter = NULL;
		if (sem->waiters)
			sem->last->next_waiter = task;
		else
			sem->waiters = task;
		sem->last = task;
	}
	pthread_mutex_unlock(&sem->guard);
	if (waits)
		await_release(task, sem);
	lab_waits_no_more(task);
}

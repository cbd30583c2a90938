/* SPDX-License-Identifier: Apache-2.0 */
/* The public face of tasks. */
#include <errno.h>
#include <string.h>

#include <mete/task.h>

#include "os/clock.h"
#include "runtime/runtime.h"
#include "sched/wait.h"

_Static_assert(METE_NAME_MAX == TASK_NAME_MAX, "one length of names");

#define LEAST_STACK 4096
#define MOST_STACK  (UINT64_C(1) << 30)

static int spawn_of(const struct mete_task_attr *given, struct spawn *ret)
{
	struct mete_task_attr attr = METE_TASK_ATTR_INIT;

	if (!given)
		return 0;
	if (given->size < sizeof(given->size))
		return -EINVAL;
	memcpy(&attr, given,
	       given->size < sizeof(attr) ? given->size : sizeof(attr));
	if (attr.stack_bytes &&
	    (attr.stack_bytes < LEAST_STACK || attr.stack_bytes > MOST_STACK))
		return -EINVAL;
	ret->name = attr.name;
	ret->group = attr.group.id;
	ret->stack_bytes = attr.stack_bytes;
	if (attr.affinity) {
		ret->cpus = attr.affinity->cpus;
		ret->cpu_count = attr.affinity->count;
	}
	ret->flags = (attr.detached ? TASK_DETACHED : 0) |
		     (attr.fp_control ? TASK_FP : 0) |
		     (attr.cancellable ? TASK_CANCELLABLE : 0);
	return 0;
}

int mete_task_create(mete_task *ret_task, const struct mete_task_attr *attr,
		     void *(*fn)(void *), void *arg)
{
	struct spawn spawn = {.fn = fn, .arg = arg};
	uint64_t id;
	int error;

	if (unlikely(!runtime_runs()))
		return -ENOSYS;
	error = spawn_of(attr, &spawn);
	if (unlikely(error || !fn))
		return -EINVAL;
	if (unlikely(!ret_task && !(spawn.flags & TASK_DETACHED)))
		return -EINVAL;
	error = sched_spawn(&spawn, &id);
	if (likely(!error && ret_task))
		ret_task->id = id;
	return error;
}

int mete_task_join(mete_task task, uint64_t deadline_ns, void **ret_value)
{
	if (unlikely(!runtime_runs()))
		return -ENOSYS;
	return sched_join(task.id, deadline_ns, true, ret_value);
}

int mete_task_wait(mete_task task, uint64_t deadline_ns)
{
	if (unlikely(!runtime_runs()))
		return -ENOSYS;
	return sched_join(task.id, deadline_ns, false, NULL);
}

int mete_task_detach(mete_task task)
{
	return runtime_runs() ? sched_detach(task.id) : -ENOSYS;
}

mete_task mete_task_self(void)
{
	struct task *task = sched_current();

	return (mete_task){task ? task_id(task) : 0};
}

void mete_task_exit(void *value)
{
	BUG_ON(!sched_current()); /* called outside of tasks */
	sched_end(value);
}

int mete_task_yield(void)
{
	struct cpu *cpu = sched_cpu();

	if (likely(cpu != NULL))
		sched_yield_task(cpu);
	else
		os_thread_yield();
	return 0;
}

int mete_task_sleep_until(uint64_t deadline_ns)
{
	if (deadline_ns == METE_FOREVER)
		return -EINVAL;
	if (deadline_ns <= os_monotonic_ns())
		return mete_task_yield();
	wait_until(deadline_ns);
	wait_cancel_point();
	return 0;
}

int mete_task_sleep(uint64_t ns)
{
	uint64_t now = os_monotonic_ns();

	if (!ns)
		return mete_task_yield();
	/* An end beyond the clock's is as good as never. */
	return mete_task_sleep_until(
		ns < METE_FOREVER - 1 - now ? now + ns : METE_FOREVER - 1);
}

int mete_task_name(mete_task handle, char *ret_name, size_t size)
{
	struct task *task = runtime_runs() ? sched_find(handle.id) : NULL;
	char name[METE_NAME_MAX + 1];

	if (!task)
		return -ESRCH;
	task_name_get(task, name);
	if (sched_find(handle.id) != task)
		return -ESRCH;
	if (strlen(name) >= size)
		return -ERANGE;
	strcpy(ret_name, name);
	return 0;
}

int mete_task_move(mete_task task, mete_group group)
{
	return runtime_runs() ? sched_move(task.id, group.id) : -ENOSYS;
}

int mete_task_set_affinity(mete_task task, const struct mete_cpuset *set)
{
	if (!runtime_runs())
		return -ENOSYS;
	return sched_set_affinity(task.id, set ? set->cpus : NULL,
				  set ? set->count : 0);
}

void mete_checkpoint(void)
{
	struct cpu *cpu = sched_cpu();

	/* relaxed: a request that is missed is seen at the next safe point */
	if (unlikely(cpu && a32_load_relaxed(&cpu->due)))
		sched_checkpoint_slow(cpu);
}

int mete_park(uint64_t deadline_ns)
{
	return sched_park(deadline_ns);
}

int mete_unpark(mete_task task)
{
	return runtime_runs() ? sched_unpark(task.id) : -ENOSYS;
}

int mete_task_cancel(mete_task task)
{
	return runtime_runs() ? sched_cancel(task.id) : -ENOSYS;
}

void mete_cleanup_push(struct mete_cleanup *cleanup, void (*fn)(void *),
		       void *arg)
{
	struct task *task = sched_current();

	BUG_ON(!task); /* called outside of tasks */
	cleanup->fn = fn;
	cleanup->arg = arg;
	cleanup->next = task->cleanups;
	task->cleanups = cleanup;
}

void mete_cleanup_pop(struct mete_cleanup *cleanup, bool run)
{
	struct task *task = sched_current();

	BUG_ON(!task || task->cleanups != cleanup); /* not the last pushed */
	task->cleanups = cleanup->next;
	if (run)
		cleanup->fn(cleanup->arg);
}

int mete_key_create(mete_key *ret_key, void (*destructor)(void *))
{
	return local_key_create(ret_key, destructor);
}

int mete_key_delete(mete_key key)
{
	return local_key_delete(key);
}

int mete_key_set(mete_key key, const void *value)
{
	struct task *task = sched_current();

	return task ? local_set(task, key, value) : -EPERM;
}

void *mete_key_get(mete_key key)
{
	struct task *task = sched_current();

	return task ? local_get(task, key) : NULL;
}

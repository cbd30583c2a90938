/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Allocation of tasks with their stacks.
 *
 * Task structures live in a table and never move or go away while the runtime
 * stands (stale handles lead to them); each keeps its pooled stack when it is
 * free.  Every CPU has a cache of free tasks of its own; what overflows goes,
 * in batches, to a common list under the lock, and there gives the memory of
 * its stack back.  Stacks are mapped in slabs.  A task with a stack of another
 * size maps and unmaps it each time.
 *
 * Stacks are coloured: their first frames begin at one of 32 distances from the
 * top, so that many stacks do not contend for one set of the cache.
 */
#include <errno.h>

#include "os/mem.h"
#include "sched/sched.h"
#include "sched/special.h"

#define BATCH       64
#define CACHE_MOST  1024
#define COLOURS     32
#define COLOUR_STEP 64
/* Beyond this many on the common list, stacks give their memory back. */
#define WARM_MOST 4096

struct pool_slab {
	struct pool_slab *next;
	struct os_stack_slab slab;
};

static void bind_stack(struct task *task, const struct os_stack *stack)
{
	task->stack = *stack;
	task->flags = stack->guard == OS_GUARD_NONE ? TASK_CANARY : 0;
	fiber_init(&task->fiber, stack->base, stack->bytes);
}

/* Under the lock: a batch of new tasks, as far as memory and limits allow. */
static int grow(void)
{
	/* relaxed: changes under the lock */
	size_t room =
		sched.config.most_tasks - a32_load_relaxed(&sched.tasks.count);
	size_t count = room < BATCH ? room : BATCH;
	struct pool_slab *slab;
	int error;

	if (!count)
		return -EAGAIN;
	slab = os_alloc(sizeof(*slab));
	if (!slab)
		return -ENOMEM;
	error = os_stack_slab_map(sched.config.stack_bytes, count, &slab->slab);
	if (error) {
		os_free(slab);
		return error;
	}
	slab->next = sched.slabs;
	sched.slabs = slab;
	for (size_t i = 0; i < count; i++) {
		struct os_stack stack = os_stack_slab_at(&slab->slab, i);
		struct task *task;
		uint32_t number;

		error = table_add(&sched.tasks, &number);
		if (error)
			return i ? 0 : error;
		task = table_at(&sched.tasks, number);
		task->number = number;
		bind_stack(task, &stack);
		task->next_free = sched.free;
		sched.free = task;
		sched.free_count++;
	}
	return 0;
}

/* Up to `most` from the common list, which grows when it is empty. */
static int take_common(unsigned most, struct task **ret_list,
		       unsigned *ret_count)
{
	struct task *list = NULL;
	unsigned count = 0;
	int error = 0;

	lock_acquire(&sched.lock, LOCK_POOL);
	if (!sched.free)
		error = grow();
	while (count < most && sched.free) {
		struct task *task = sched.free;

		sched.free = task->next_free;
		sched.free_count--;
		task->next_free = list;
		list = task;
		count++;
	}
	lock_release(&sched.lock, LOCK_POOL);
	*ret_list = list;
	*ret_count = count;
	return list ? 0 : error;
}

static int own_stack(struct task *task, size_t bytes)
{
	struct os_stack *pooled = os_alloc(sizeof(*pooled));
	struct os_stack stack;
	int error;

	if (!pooled)
		return -ENOMEM;
	error = os_stack_map(bytes, &stack);
	if (error) {
		os_free(pooled);
		return error;
	}
	fiber_fini(&task->fiber);
	/* The pooled stack stays with the slab; it is bound again later. */
	*pooled = task->stack;
	task->pooled = pooled;
	bind_stack(task, &stack);
	task->flags |= TASK_OWN_STACK;
	return 0;
}

unsigned pool_init(void)
{
	unsigned most = sched.config.most_tasks;

	sched.cache_most =
		most / sched.cpus / 16 >= CACHE_MOST ? CACHE_MOST : 0;
	return most + sched.cpus * sched.cache_most;
}

int pool_take(struct cpu *cpu, size_t stack_bytes, struct task **ret_task)
{
	struct task *task;
	unsigned count = 1;
	int error;

	if (cpu) {
		if (unlikely(!cpu->free)) {
			error = take_common(1 + sched.cache_most / 16,
					    &cpu->free, &count);
			if (error)
				return error;
			cpu->free_count = count;
		}
		task = cpu->free;
		cpu->free = task->next_free;
		cpu->free_count--;
	} else {
		error = take_common(1, &task, &count);
		if (error)
			return error;
	}
	if (unlikely(stack_bytes && stack_bytes != sched.config.stack_bytes)) {
		error = own_stack(task, stack_bytes);
		if (error) {
			pool_give(cpu, task);
			return error;
		}
	}
	fiber_prepare(&task->fiber, sched_entry,
		      task->number % COLOURS * COLOUR_STEP);
	fiber_watch_prepare(&task->fiber);
	*ret_task = task;
	return 0;
}

static void free_masks(struct task *task)
{
	struct task_mask *mask = task->masks;

	task->masks = NULL;
	/* relaxed: nobody else can reach the task any more */
	aptr_store_relaxed(&task->mask, NULL);
	while (mask) {
		struct task_mask *older = mask->older;

		os_free(mask);
		mask = older;
	}
}

/* Under the lock. */
static void give_common(struct task *task)
{
	task->next_free = sched.free;
	sched.free = task;
	if (++sched.free_count > WARM_MOST)
		os_stack_release(&task->stack);
}

void pool_give(struct cpu *cpu, struct task *task)
{
	if (unlikely(task->masks))
		free_masks(task);
	if (unlikely(task->flags & TASK_OWN_STACK)) {
		fiber_fini(&task->fiber);
		os_stack_unmap(&task->stack);
		bind_stack(task, task->pooled);
		os_free(task->pooled);
	}
	task->flags &= TASK_CANARY;
	if (likely(cpu != NULL)) {
		task->next_free = cpu->free;
		cpu->free = task;
		if (likely(++cpu->free_count <= sched.cache_most))
			return;
	}
	lock_acquire(&sched.lock, LOCK_POOL);
	if (!cpu)
		give_common(task);
	else
		for (; cpu->free_count > sched.cache_most / 2;
		     cpu->free_count--) {
			task = cpu->free;
			cpu->free = task->next_free;
			give_common(task);
		}
	lock_release(&sched.lock, LOCK_POOL);
}

void pool_fini(void)
{
	struct task *task;

	for (uint32_t i = 0; (task = table_at(&sched.tasks, i)); i++) {
		free_masks(task);
		fiber_fini(&task->fiber);
		if (task->flags & TASK_OWN_STACK) {
			os_stack_unmap(&task->stack);
			os_free(task->pooled);
		}
		os_free(task->locals);
	}
	while (sched.slabs) {
		struct pool_slab *slab = sched.slabs;

		sched.slabs = slab->next;
		os_stack_slab_unmap(&slab->slab);
		os_free(slab);
	}
	sched.free = NULL;
	sched.free_count = 0;
}

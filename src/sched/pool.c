/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Allocation of tasks with their stacks.
 *
 * A free task is warm (its pages are there; it is in a list) or cold (it takes
 * no memory; it is a bit of its slab).  Every CPU has a cache of warm ones, and
 * claims cold ones by the slab, to give birth to them one by one; what overflows
 * goes, in batches, to a common list under the lock.  A task with a stack of
 * another size maps and unmaps it each time.
 *
 * Memory goes back with a delay, so that a load that comes and goes finds warm
 * tasks: while more than WARM_MOST are in the common list, it is looked through
 * every TRIM_NS, by CPUs that are idle, else by those that bring more; as many
 * go cold as were not needed since the look before.  When all of a slab are
 * cold, its guards and page tables go, too.
 */
#include "sched/pool.h"

#include <errno.h>

#include "os/mem.h"
#include "sched/sched.h"
#include "sched/special.h"

/* What a CPU keeps, with the slab that it may have claimed: 1,024. */
#define CACHE_MOST 960

#define SLABS_SHIFT 6

/* What the common list or slab gives: either some warm tasks or cold ones. */
struct batch {
	struct task *list;
	unsigned count;
	struct pool_slab *slab;
	uint64_t mask;
};

static void bind_stack(struct task *task, const struct os_stack *stack,
		       size_t usable_bytes)
{
	task->stack = *stack;
	task->flags = stack->guard == OS_GUARD_NONE ? TASK_CANARY : 0;
	fiber_init(&task->fiber, stack->base, usable_bytes);
}

static void bind_pooled(struct task *task, const struct pool_slab *slab)
{
	struct os_stack stack =
		os_stack_slab_at(&slab->stacks, task->number % POOL_SLAB);

	bind_stack(task, &stack, (size_t)((char *)task - (char *)stack.base));
}

static int bind_own(struct task *task, size_t bytes)
{
	struct os_stack stack;
	int error = os_stack_map(bytes, &stack);

	if (error)
		return error;
	fiber_fini(&task->fiber);
	bind_stack(task, &stack, stack.bytes - pool_colour(task->number));
	task->flags |= TASK_OWN_STACK;
	return 0;
}

static void unbind_own(struct task *task)
{
	fiber_fini(&task->fiber);
	os_stack_unmap(&task->stack);
}

/* Only the claimer's, until its bit is set. */
static struct task *birth(struct pool_slab *slab, unsigned index)
{
	struct task *task = pool_task(slab, index);
	/* relaxed: that of its own last life is known by the lock */
	uint32_t generation = a32_load_relaxed(&slab->generation) + 1;

	task->number = slab->number + index;
	a32_own_set(&task->generation, generation + !generation);
	/* What its waits do not set stays as it is here. */
	task->own = (struct mete_waiter){.task = task, .own = true};
	bind_pooled(task, slab);
	/* order: pool.birth pairs pool.look: the task is complete */
	a64_add_acq_rel(&slab->born, UINT64_C(1) << index);
	return task;
}

/* Gives birth to one of the claimed ones. */
static struct task *birth_any(struct pool_slab *slab, uint64_t *mask)
{
	unsigned index = (unsigned)__builtin_ctzll(*mask);

	*mask &= *mask - 1;
	return birth(slab, index);
}

/* Under the lock: a new slab, all cold, as far as the limit allows. */
static int grow(void)
{
	size_t room = sched.most_tasks - sched.task_count;
	size_t count = room < POOL_SLAB ? room : POOL_SLAB;
	struct os_stack_slab stacks;
	struct pool_slab *slab;
	uint32_t index;
	int error;

	if (!count)
		return -EAGAIN;
	error = os_stack_slab_map(sched.config.stack_bytes, count, &stacks);
	if (error)
		return error;
	error = table_add(&sched.slabs, &index);
	if (error) {
		os_stack_slab_unmap(&stacks);
		return error;
	}
	slab = table_at(&sched.slabs, index);
	slab->stacks = stacks;
	slab->stride = stacks.guard_bytes + stacks.stack_bytes;
	slab->first = (char *)stacks.base + slab->stride - sizeof(struct task);
	slab->number = index * POOL_SLAB;
	slab->all = UINT64_MAX >> (POOL_SLAB - count);
	slab->cold = slab->all;
	slab->next_cold = sched.cold;
	sched.cold = slab;
	sched.task_count += (unsigned)count;
	return 0;
}

/* Under the lock: up to `most` of the first slab that has cold ones. */
static void claim_cold(unsigned most, struct batch *batch)
{
	struct pool_slab *slab = sched.cold;

	/* Their guards went with their memory. */
	if (slab->cold == slab->all && !slab->stacks.guarded)
		os_stack_slab_guard(&slab->stacks);
	batch->slab = slab;
	for (; batch->count < most && slab->cold; batch->count++) {
		uint64_t bit = slab->cold & -slab->cold;

		slab->cold -= bit;
		batch->mask |= bit;
	}
	if (!slab->cold)
		sched.cold = slab->next_cold;
}

static int take_common(unsigned most, struct batch *ret)
{
	struct batch batch = {0};
	int error = 0;

	lock_acquire(&sched.lock, LOCK_POOL);
	while (batch.count < most && sched.free) {
		struct task *task = sched.free;

		sched.free = task->next_free;
		sched.free_count--;
		task->next_free = batch.list;
		batch.list = task;
		batch.count++;
	}
	if (sched.free_least > sched.free_count)
		sched.free_least = sched.free_count;
	if (!batch.list && !sched.cold)
		error = grow();
	if (!batch.list && !error)
		claim_cold(most, &batch);
	lock_release(&sched.lock, LOCK_POOL);
	if (!error)
		*ret = batch;
	return error;
}

/* At least one task into the CPU's cache. */
static int refill(struct cpu *cpu)
{
	struct batch batch = {0};
	int error;

	if (!cpu->cold_mask) {
		error = take_common(sched.cache_most ? POOL_SLAB : 1, &batch);
		if (error)
			return error;
		cpu->cold = batch.slab;
		cpu->cold_mask = batch.mask;
	}
	if (batch.list) {
		cpu->free = batch.list;
		cpu->free_count = batch.count;
	} else {
		cpu->free = birth_any(cpu->cold, &cpu->cold_mask);
		cpu->free->next_free = NULL;
		cpu->free_count = 1;
	}
	return 0;
}

static int take_foreign(struct task **ret_task)
{
	struct batch batch;
	int error = take_common(1, &batch);

	if (error)
		return error;
	*ret_task =
		batch.list ? batch.list : birth_any(batch.slab, &batch.mask);
	return 0;
}

int pool_init(void)
{
	size_t most = sched.config.most_tasks;
	unsigned kept = CACHE_MOST + POOL_SLAB;
	bool caches = most / sched.cpus / 16 >= kept;

	/* The caches come on top of the limit, for what one CPU keeps another
	 * cannot take; a small limit goes without. */
	if (caches)
		most += (size_t)sched.cpus * kept;
	sched.cache_most = caches ? CACHE_MOST : 0;
	sched.most_tasks = (unsigned)most;
	/* relaxed: nobody else runs yet */
	a64_store_relaxed(&sched.trim_ns, UINT64_MAX);
	return table_init(&sched.slabs, sizeof(struct pool_slab),
			  (most + POOL_SLAB - 1) / POOL_SLAB, SLABS_SHIFT);
}

int pool_take(struct cpu *cpu, size_t stack_bytes, struct task **ret_task)
{
	struct task *task;
	int error = 0;

	if (likely(cpu != NULL)) {
		if (unlikely(!cpu->free))
			error = refill(cpu);
		if (unlikely(error))
			return error;
		task = cpu->free;
		cpu->free = task->next_free;
		cpu->free_count--;
	} else {
		error = take_foreign(&task);
		if (error)
			return error;
	}
	if (unlikely(stack_bytes && stack_bytes != sched.config.stack_bytes)) {
		error = bind_own(task, stack_bytes);
		if (error) {
			pool_give(cpu, task);
			return error;
		}
	}
	fiber_prepare(&task->fiber, sched_entry);
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
	sched.free_count++;
}

static void overflow_cache(struct cpu *cpu)
{
	lock_acquire(&sched.lock, LOCK_POOL);
	for (; cpu->free_count > sched.cache_most / 2; cpu->free_count--) {
		struct task *task = cpu->free;

		cpu->free = task->next_free;
		give_common(task);
	}
	pool_trim_wanted();
	lock_release(&sched.lock, LOCK_POOL);
	pool_trim();
}

static void give_foreign(struct task *task)
{
	bool look;

	lock_acquire(&sched.lock, LOCK_POOL);
	give_common(task);
	look = pool_trim_wanted();
	lock_release(&sched.lock, LOCK_POOL);
	/* One that sleeps must know until when. */
	if (look)
		sched_notify_any();
}

void pool_give(struct cpu *cpu, struct task *task)
{
	if (unlikely(task->masks))
		free_masks(task);
	if (unlikely(task->flags & TASK_OWN_STACK)) {
		unbind_own(task);
		bind_pooled(task, pool_slab_of(task));
	}
	task->flags &= TASK_CANARY;
	if (unlikely(!cpu)) {
		give_foreign(task);
		return;
	}
	task->next_free = cpu->free;
	cpu->free = task;
	if (unlikely(++cpu->free_count > sched.cache_most))
		overflow_cache(cpu);
}

static void slab_fini(struct pool_slab *slab)
{
	for (unsigned i = 0; i < POOL_SLAB; i++) {
		struct task *task = task_at(slab->number + i);

		if (!task)
			continue;
		free_masks(task);
		os_free(task->locals);
		if (task->flags & TASK_OWN_STACK)
			unbind_own(task);
		else
			fiber_fini(&task->fiber);
	}
	os_stack_slab_unmap(&slab->stacks);
}

void pool_fini(void)
{
	struct pool_slab *slab;

	for (uint32_t i = 0; (slab = table_at(&sched.slabs, i)); i++)
		slab_fini(slab);
	table_fini(&sched.slabs);
	sched.free = NULL;
	sched.cold = NULL;
}

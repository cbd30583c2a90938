/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of free tasks goes back to the kernel.
 *
 * With a delay, so that a load that comes and goes finds warm tasks: while more
 * than POOL_WARM are in the common list, it is looked through every TRIM_NS, by
 * CPUs that are idle, else by those that bring more; as many go cold as were not
 * needed since the look before.  When all of a slab are cold, its guards and
 * page tables go, too.
 */
#include "sched/pool.h"
#include "sched/sched.h"

#define TRIM_NS UINT64_C(500000000)
/* Some 10 us, in which a CPU does not look for work. */
#define TRIM_BATCH 8

/* Under the lock: the list is to be looked through, from now on. */
static void trim_later(void)
{
	sched.free_least = sched.free_count;
	/* relaxed: a hint; changes under the lock */
	a64_store_relaxed(&sched.trim_ns, sched.free_count > POOL_WARM
						  ? os_monotonic_ns() + TRIM_NS
						  : UINT64_MAX);
}

bool pool_trim_wanted(void)
{
	/* relaxed: changes under the lock */
	if (sched.free_count <= POOL_WARM ||
	    a64_load_relaxed(&sched.trim_ns) != UINT64_MAX)
		return false;
	trim_later();
	return true;
}

/* A task on its way from the list to being cold. */
struct cooling {
	struct pool_slab *slab;
	unsigned index;
	uint32_t generation;
};

/* Under the lock: nobody finds it any more. */
static struct cooling cool_begin(struct task *task)
{
	struct cooling cooling = {
		.slab = pool_slab_of(task),
		.index = task->number % POOL_SLAB,
		.generation = a32_own(&task->generation),
	};

	/* relaxed: who finds it still, finds a free task or zeroes */
	a64_add_relaxed(&cooling.slab->born, -(UINT64_C(1) << cooling.index));
	fiber_fini(&task->fiber);
	return cooling;
}

/* Under the lock, when its memory is gone. */
static void cool_end(const struct cooling *cooling)
{
	struct pool_slab *slab = cooling->slab;
	/* relaxed: changes under the lock */
	uint32_t latest = a32_load_relaxed(&slab->generation);

	if ((int32_t)(cooling->generation - latest) > 0)
		/* relaxed: as above */
		a32_store_relaxed(&slab->generation, cooling->generation);
	if (!slab->cold) {
		slab->next_cold = sched.cold;
		sched.cold = slab;
	}
	slab->cold |= UINT64_C(1) << cooling->index;
	if (slab->cold == slab->all)
		os_stack_slab_release(&slab->stacks);
}

bool pool_trim_slow(void)
{
	struct cooling cooling[TRIM_BATCH];
	unsigned count = 0;

	if (os_monotonic_ns() < pool_trim_ns())
		return false;
	lock_acquire(&sched.lock, LOCK_POOL);
	while (count < TRIM_BATCH && sched.free_least > POOL_WARM) {
		struct task *task = sched.free;

		sched.free = task->next_free;
		sched.free_count--;
		sched.free_least--;
		cooling[count++] = cool_begin(task);
	}
	if (sched.free_least <= POOL_WARM)
		trim_later();
	lock_release(&sched.lock, LOCK_POOL);
	if (!count)
		return false;
	for (unsigned i = 0; i < count; i++) {
		struct os_stack stack =
			os_stack_slab_at(&cooling[i].slab->stacks,
					 cooling[i].index);

		os_stack_release(&stack);
	}
	lock_acquire(&sched.lock, LOCK_POOL);
	for (unsigned i = 0; i < count; i++)
		cool_end(&cooling[i]);
	lock_release(&sched.lock, LOCK_POOL);
	return true;
}

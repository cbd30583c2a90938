/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where tasks lie, and how one is found by its number.
 *
 * A task lies at the top of its pooled stack, so that a task that waits takes
 * one page for both, and one entry of the TLB.  Stacks come in slabs of 64 that
 * are never unmapped while the runtime stands: a stale handle leads to a task
 * of a later life, which its generation tells, or to zeroes, which no handle
 * matches (generations begin at 1, and a join word of 0 is JOIN_GONE), but
 * never to where there is nothing.
 *
 *	cold  -> claimed   its bit leaves `cold`, under the lock
 *	claimed -> born    the claimer alone makes the task and sets its bit
 *	born -> cold       a free task gives its memory back: it leaves `born`
 *	                   first and enters `cold` last
 *
 *	          task_at        birth               release
 *	born      acquire load   release or          store, under the lock
 *	cold      -              -, under the lock   -, under the lock
 *
 * Tasks and their first frames begin at one of 32 distances from the end of a
 * page, so that many do not contend for one set of the cache.
 */
#ifndef SCHED_POOL_H
#define SCHED_POOL_H

#include "sched/cpu.h"

#define POOL_SLAB     64
#define POOL_COLOURS  32
#define POOL_COLOURED 64   /* bytes from one colour to the next */
#define POOL_WARM     4096 /* free tasks whose memory is kept in any case */

struct pool_slab {
	/* anyone, atomically: those that exist */
	struct a64 born;
	/* immutable once any is born */
	char *first; /* the task of the first stack */
	size_t stride;
	/* under the lock */
	uint64_t cold; /* those to be had that take no memory */
	uint64_t all;  /* those that the limit leaves */
	struct pool_slab *next_cold;
	struct a32 generation; /* as late as any that went cold */
	uint32_t number;       /* of its first task */
	struct os_stack_slab stacks;
};

static inline size_t pool_colour(unsigned number)
{
	return number % POOL_COLOURS * POOL_COLOURED;
}

static inline struct task *pool_task(const struct pool_slab *slab,
				     unsigned index)
{
	return (struct task *)(void *)(slab->first + index * slab->stride -
				       pool_colour(index));
}

static inline struct pool_slab *pool_slab_of(const struct task *task)
{
	return table_at(&sched.slabs, task->number / POOL_SLAB);
}

/* The task of that number, counted from 0; NULL where there is none. */
static inline struct task *task_at(uint32_t number)
{
	const struct pool_slab *slab =
		table_at(&sched.slabs, number / POOL_SLAB);

	/* order: pool.look pairs pool.birth: where the slab is, and the task
	 * as it was born */
	if (!slab || !(a64_load_acquire(&slab->born) >> number % POOL_SLAB & 1))
		return NULL;
	return pool_task(slab, number % POOL_SLAB);
}

/* All numbers are below. */
static inline uint32_t task_numbers(void)
{
	/* relaxed: whoever needs the last ones holds the lock */
	return a32_load_relaxed(&sched.slabs.count) * POOL_SLAB;
}

/* Room for the tasks that the options allow; -ENOMEM. */
int pool_init(void);
/* A task, its fiber prepared, and nothing else: -EAGAIN beyond the limit,
 * -ENOMEM. */
int pool_take(struct cpu *cpu, size_t stack_bytes, struct task **ret_task);
void pool_give(struct cpu *cpu, struct task *task);
void pool_fini(void);

/* Giving memory back: trim.c. */
/* Under the lock, when tasks were given: true when they have become so many
 * that a CPU that sleeps must learn until when. */
bool pool_trim_wanted(void);
bool pool_trim_slow(void);
/* When free tasks are to be looked through again. */
static inline uint64_t pool_trim_ns(void)
{
	/* relaxed: a look that is missed is made up for by the next */
	return a64_load_relaxed(&sched.trim_ns);
}
/* An idle CPU gives memory back that was not needed for a while: true when it
 * has, and may have to once more. */
static inline bool pool_trim(void)
{
	return unlikely(pool_trim_ns() != UINT64_MAX) && pool_trim_slow();
}

#endif

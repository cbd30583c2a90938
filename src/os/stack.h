/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stacks for tasks: usable ranges with a guard below each.
 *
 * The guard is a range of OS_GUARD_LIGHT pages (page-table markers, no map of
 * their own) where the kernel has them; else OS_GUARD_PROTECT, which splits
 * the map (two maps a stack: some 24,500 stacks under the usual limit, which
 * leaves maps to others); beyond that OS_GUARD_NONE, where the caller needs a
 * canary.  The guard is eleven pages wide where addresses are plenty, so that a
 * frame of ten pages does not leap over it.
 *
 * Never huge pages: a slab whose first stack is touched would be resident.
 */
#ifndef OS_STACK_H
#define OS_STACK_H

#include <stddef.h>
#include <stdint.h>

enum os_guard {
	OS_GUARD_NONE,
	OS_GUARD_PROTECT,
	OS_GUARD_LIGHT
};

/* The guard, if any, is [base - guard_bytes, base). */
struct os_stack {
	void *base;           /* lowest usable byte */
	size_t bytes;         /* usable, a multiple of the page */
	uint32_t guard_bytes; /* below base; 0 where guard is OS_GUARD_NONE */
	enum os_guard guard;
};

/* Many stacks in one map; the first `guarded` of them have a guard. */
struct os_stack_slab {
	void *base;
	size_t bytes;
	size_t stack_bytes; /* usable bytes of each stack */
	size_t guard_bytes; /* below each stack, even where unguarded */
	size_t count;
	size_t guarded;
	enum os_guard guard; /* kind of those that have one */
};

/* What this kernel offers; found out once. */
enum os_guard os_stack_guard_kind(void);

/* One stack; bytes is rounded up to pages.  -EINVAL, -ENOMEM. */
int os_stack_map(size_t bytes, struct os_stack *ret);
void os_stack_unmap(struct os_stack *stack);

/* count stacks at once; -EINVAL, -ENOMEM. */
int os_stack_slab_map(size_t stack_bytes, size_t count,
		      struct os_stack_slab *ret);
void os_stack_slab_unmap(struct os_stack_slab *slab);

/* While no stack of the slab is in use: gives back their memory and, with their
 * guards, what the kernel needs for both.  All reads as zero. */
void os_stack_slab_release(struct os_stack_slab *slab);
/* Guards again, as far as the kernel grants them. */
void os_stack_slab_guard(struct os_stack_slab *slab);

/* The index-th stack of a slab, index < slab->count. */
struct os_stack os_stack_slab_at(const struct os_stack_slab *slab,
				 size_t index);

/* Gives the memory of an unused stack back; it reads as zero again.  The
 * guard stays. */
void os_stack_release(struct os_stack *stack);

#endif

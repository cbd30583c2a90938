/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A slab is one map: guard, stack, guard, stack, ...  The advice against huge
 * pages is given to all of it at once, before any guard, so that it never
 * splits the map; neighbouring slabs may even merge.  Guards go from the
 * bottom up, so that those that exist are the first ones when the kernel
 * refuses the rest.
 */
#include "os/stack.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "os/file.h"
#include "os/inject.h"
#include "os/mem.h"

/* Linux 6.13; younger than the C library's headers. */
#define ADVICE_GUARD_INSTALL 102
#define ADVICE_GUARD_REMOVE  103

/* A frame of ten pages does not leap over it.  Every page of the distance
 * between two stacks costs each of them 8 bytes of page table. */
#define GUARD_BYTES ((size_t)(sizeof(void *) > 4 ? 11 * 4096 : 4096))

/* Maps that a process may have, where the kernel does not tell. */
#define MAPS_MOST 65530

static pthread_once_t kind_once = PTHREAD_ONCE_INIT;
static enum os_guard kind;

/* Guards that cost maps: three in eight of the maps a process may have, two
 * maps each, which leaves a quarter to everything else. */
static pthread_mutex_t protects_lock = PTHREAD_MUTEX_INITIALIZER;
static size_t protects_left;

static size_t round_up(size_t bytes, size_t unit)
{
	return (bytes + unit - 1) / unit * unit;
}

static void probe_kind(void)
{
	size_t page = os_page_bytes();
	size_t maps = MAPS_MOST;
	char *text;
	void *probe;

	if (!os_file_read("/proc/sys/vm/max_map_count", &text)) {
		maps = strtoul(text, NULL, 10);
		os_free(text);
	}
	protects_left = maps / 8 * 3;
	kind = OS_GUARD_PROTECT;
	probe = mmap(NULL, page, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (probe == MAP_FAILED)
		return;
	if (!madvise(probe, page, ADVICE_GUARD_INSTALL))
		kind = OS_GUARD_LIGHT;
	munmap(probe, page);
}

enum os_guard os_stack_guard_kind(void)
{
	pthread_once(&kind_once, probe_kind);
	return kind;
}

/* As many of the budget as there are, at most. */
static size_t protects_take(size_t most)
{
	size_t taken;

	pthread_mutex_lock(&protects_lock);
	taken = most < protects_left ? most : protects_left;
	protects_left -= taken;
	pthread_mutex_unlock(&protects_lock);
	return taken;
}

static void protects_give(enum os_guard guard, size_t count)
{
	if (guard != OS_GUARD_PROTECT)
		return;
	pthread_mutex_lock(&protects_lock);
	protects_left += count;
	pthread_mutex_unlock(&protects_lock);
}

static bool install_guard(void *at, size_t bytes, enum os_guard wanted)
{
	if (wanted == OS_GUARD_LIGHT)
		return !os_fault(OS_CALL_GUARD) &&
		       !madvise(at, bytes, ADVICE_GUARD_INSTALL);
	return !os_fault(OS_CALL_PROTECT) && !mprotect(at, bytes, PROT_NONE);
}

/* How many guards of that kind the kernel grants, from the bottom up. */
static size_t install_guards(const struct os_stack_slab *slab,
			     enum os_guard wanted)
{
	size_t stride = slab->guard_bytes + slab->stack_bytes;
	char *at = slab->base;
	size_t most = slab->count;
	size_t done = 0;

	if (wanted == OS_GUARD_PROTECT)
		most = protects_take(most);
	for (; done < most; done++, at += stride)
		if (!install_guard(at, slab->guard_bytes, wanted))
			break;
	protects_give(wanted, most - done);
	return done;
}

void os_stack_slab_guard(struct os_stack_slab *slab)
{
	slab->guard = os_stack_guard_kind();
	slab->guarded = install_guards(slab, slab->guard);
	if (!slab->guarded && slab->guard == OS_GUARD_LIGHT) {
		/* Refused for locked memory, for one. */
		slab->guard = OS_GUARD_PROTECT;
		slab->guarded = install_guards(slab, slab->guard);
	}
	if (!slab->guarded)
		slab->guard = OS_GUARD_NONE;
}

int os_stack_slab_map(size_t stack_bytes, size_t count,
		      struct os_stack_slab *ret)
{
	size_t page = os_page_bytes();
	struct os_stack_slab slab = {0};
	size_t stride;

	if (!stack_bytes || !count || stack_bytes > SIZE_MAX / 4)
		return -EINVAL;
	slab.stack_bytes = round_up(stack_bytes, page);
	slab.guard_bytes = round_up(GUARD_BYTES, page);
	slab.count = count;
	stride = slab.guard_bytes + slab.stack_bytes;
	if (count > SIZE_MAX / 2 / stride)
		return -ENOMEM;
	slab.bytes = stride * count;
	if (os_fault(OS_CALL_MAP))
		return -ENOMEM;
	slab.base =
		mmap(NULL, slab.bytes, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK,
		     -1, 0);
	if (slab.base == MAP_FAILED)
		return -errno;
	/* Refused where the kernel has no huge pages; nothing is lost. */
	madvise(slab.base, slab.bytes, MADV_NOHUGEPAGE);
	os_stack_slab_guard(&slab);
	*ret = slab;
	return 0;
}

void os_stack_slab_unmap(struct os_stack_slab *slab)
{
	munmap(slab->base, slab->bytes);
	protects_give(slab->guard, slab->guarded);
	slab->base = NULL;
}

/* Guards are what keeps page tables (or splits maps), so they go first. */
void os_stack_slab_release(struct os_stack_slab *slab)
{
	int error = 0;

	if (slab->guard == OS_GUARD_LIGHT)
		error = madvise(slab->base, slab->bytes, ADVICE_GUARD_REMOVE);
	else if (slab->guard == OS_GUARD_PROTECT)
		error = mprotect(slab->base, slab->bytes,
				 PROT_READ | PROT_WRITE);
	if (error)
		return;
	protects_give(slab->guard, slab->guarded);
	slab->guard = OS_GUARD_NONE;
	slab->guarded = 0;
	madvise(slab->base, slab->bytes, MADV_DONTNEED);
}

struct os_stack os_stack_slab_at(const struct os_stack_slab *slab, size_t index)
{
	size_t stride = slab->guard_bytes + slab->stack_bytes;
	bool guarded = index < slab->guarded;

	return (struct os_stack){
		.base = (char *)slab->base + index * stride + slab->guard_bytes,
		.bytes = slab->stack_bytes,
		.guard_bytes = guarded ? (uint32_t)slab->guard_bytes : 0,
		.guard = guarded ? slab->guard : OS_GUARD_NONE,
	};
}

int os_stack_map(size_t bytes, struct os_stack *ret)
{
	struct os_stack_slab slab = {0};
	int err = os_stack_slab_map(bytes, 1, &slab);

	if (!err)
		*ret = os_stack_slab_at(&slab, 0);
	return err;
}

void os_stack_unmap(struct os_stack *stack)
{
	size_t guard_bytes = round_up(GUARD_BYTES, os_page_bytes());

	munmap((char *)stack->base - guard_bytes, guard_bytes + stack->bytes);
	protects_give(stack->guard, 1);
	stack->base = NULL;
}

void os_stack_release(struct os_stack *stack)
{
	madvise(stack->base, stack->bytes, MADV_DONTNEED);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small blocks are the C library's.  Large aligned ones are maps of their own:
 * calloc() may clear, and so touch, what it recycles.  os_free() has to tell
 * the two apart from the address alone; a header in front would hide blocks
 * from leak checkers and cost a page before a page-aligned block, so maps are
 * kept in a list, which is searched for page-aligned addresses only.
 */
#include "os/mem.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "os/inject.h"

#define ALIGN_MAX ((size_t)1 << 30)

struct mapping {
	struct mapping *next;
	void *base;
	size_t bytes;
};

static pthread_mutex_t mappings_lock = PTHREAD_MUTEX_INITIALIZER;
static struct mapping *mappings;

size_t os_page_bytes(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

void *os_alloc(size_t bytes)
{
	if (os_fault(OS_CALL_ALLOC))
		return NULL;
	return calloc(1, bytes ? bytes : 1);
}

int os_map(size_t bytes, void **ret)
{
	void *base;

	if (os_fault(OS_CALL_MAP))
		return -ENOMEM;
	base = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (base == MAP_FAILED)
		return -errno;
	*ret = base;
	return 0;
}

void os_unmap(void *base, size_t bytes)
{
	munmap(base, bytes);
}

/* Maps more than wanted and cuts off what is beside the aligned part. */
static void *map_aligned(size_t align, size_t bytes)
{
	size_t slack = align - os_page_bytes();
	uintptr_t first;
	uintptr_t start;
	void *base = NULL;

	if (bytes + slack < bytes || os_map(bytes + slack, &base))
		return NULL;
	first = (uintptr_t)base;
	start = (first + align - 1) & ~(uintptr_t)(align - 1);
	if (start > first)
		os_unmap(base, start - first);
	if (first + slack > start)
		os_unmap((char *)base + (start - first) + bytes,
			 first + slack - start);
	return (char *)base + (start - first);
}

static void *alloc_mapped(size_t align, size_t bytes)
{
	size_t page = os_page_bytes();
	struct mapping *mapping;

	if (bytes > SIZE_MAX - page)
		return NULL;
	bytes = (bytes + page - 1) & ~(page - 1);
	mapping = os_alloc(sizeof(*mapping));
	if (!mapping)
		return NULL;
	mapping->bytes = bytes;
	mapping->base = map_aligned(align > page ? align : page, bytes);
	if (!mapping->base) {
		free(mapping);
		return NULL;
	}
	pthread_mutex_lock(&mappings_lock);
	mapping->next = mappings;
	mappings = mapping;
	pthread_mutex_unlock(&mappings_lock);
	return mapping->base;
}

void *os_alloc_aligned(size_t align, size_t bytes)
{
	void *block;

	if (!align || (align & (align - 1)) || align > ALIGN_MAX)
		return NULL;
	if (bytes >= OS_MAPPED_BYTES)
		return alloc_mapped(align, bytes);
	if (os_fault(OS_CALL_ALLOC))
		return NULL;
	if (align < sizeof(void *))
		align = sizeof(void *);
	if (posix_memalign(&block, align, bytes ? bytes : 1))
		return NULL;
	memset(block, 0, bytes);
	return block;
}

static struct mapping *take_mapping(void *base)
{
	struct mapping **link;
	struct mapping *found;

	pthread_mutex_lock(&mappings_lock);
	for (link = &mappings; *link && (*link)->base != base;)
		link = &(*link)->next;
	found = *link;
	if (found)
		*link = found->next;
	pthread_mutex_unlock(&mappings_lock);
	return found;
}

void os_free(void *block)
{
	struct mapping *mapping = NULL;

	if (!((uintptr_t)block & (os_page_bytes() - 1)) && block)
		mapping = take_mapping(block);
	if (!mapping) {
		free(block);
		return;
	}
	os_unmap(mapping->base, mapping->bytes);
	free(mapping);
}

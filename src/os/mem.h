/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory: all that the library allocates or maps passes through here, so that
 * the fault injector can count and refuse it.
 */
#ifndef OS_MEM_H
#define OS_MEM_H

#include <stddef.h>

/* From this size on os_alloc_aligned() hands out untouched mapped pages. */
#define OS_MAPPED_BYTES ((size_t)128 * 1024)

/* Zeroed memory of at least one byte; NULL when refused. */
void *os_alloc(size_t bytes);

/*
 * Zeroed memory at a multiple of align (a power of two, at most 2^30); NULL
 * when refused or align is none.  Large blocks take memory when touched only.
 */
void *os_alloc_aligned(size_t align, size_t bytes);

/* Gives back what either call above returned; NULL is nothing. */
void os_free(void *block);

/* Maps zero pages, private, without reserving memory for them. */
int os_map(size_t bytes, void **ret);
void os_unmap(void *base, size_t bytes);

size_t os_page_bytes(void);

#endif

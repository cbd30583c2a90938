/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the kernel has written, for the memory sanitizer: it knows the C
 * library's functions, not what goes through syscall().
 */
#ifndef OS_WRITTEN_H
#define OS_WRITTEN_H

#include <stddef.h>

#if defined(__has_feature)
# if __has_feature(memory_sanitizer)
#  include <sanitizer/msan_interface.h>
#  define OS_WRITTEN_TOLD 1
# endif
#endif

static inline void os_written(const void *memory, size_t bytes)
{
#ifdef OS_WRITTEN_TOLD
	__msan_unpoison(memory, bytes);
#else
	(void)memory;
	(void)bytes;
#endif
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vocabulary of every room: hints, containment, assertions.
 *
 * Two kinds of assertion: BUG_ON for our own laws (a fault in Mete: reports
 * and aborts, in every build, so it stands only where it costs next to
 * nothing) and DEBUG_CHECK for walks and slow conditions (debug builds only).
 */
#ifndef BASE_BASE_H
#define BASE_BASE_H

#include <stddef.h>
#include <stdint.h>

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

#define CACHE_LINE    64
#define cache_aligned __attribute__((aligned(CACHE_LINE)))
/* Where coverage is counted, each function has one body: a branch is taken or it
 * is not, and not in some of its copies. */
#ifdef METE_COVERAGE
# define always_inline inline
#else
# define always_inline inline __attribute__((always_inline))
#endif

#define container_of(ptr, type, member) \
 ((type *)(void *)((char *)(ptr)-offsetof(type, member)))

/* Report a broken law of our own and abort. */
void base_panic(const char *file, int line, const char *what)
	__attribute__((noreturn, cold));

#define BUG_ON(condition)                      \
 do {                                          \
  if (unlikely(condition))                     \
   base_panic(__FILE__, __LINE__, #condition); \
 } while (0)

#ifdef METE_CHECKS
# define DEBUG_CHECK(condition) BUG_ON(!(condition))
#else
# define DEBUG_CHECK(condition) ((void)0)
#endif

#endif

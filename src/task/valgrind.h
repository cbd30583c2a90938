/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Valgrind's client requests for stacks, where its header was there to build
 * with; they cost nothing worth naming outside of valgrind.
 */
#ifndef TASK_VALGRIND_H
#define TASK_VALGRIND_H

#if defined(__has_include)
# if __has_include(<valgrind/valgrind.h>)
#  include <valgrind/valgrind.h>
#  define TASK_VALGRIND 1
# endif
#endif

static inline unsigned valgrind_stack_register(void *base, void *end)
{
#ifdef TASK_VALGRIND
	return (unsigned)VALGRIND_STACK_REGISTER(base, end);
#else
	(void)base;
	(void)end;
	return 0;
#endif
}

static inline void valgrind_stack_deregister(unsigned id)
{
#ifdef TASK_VALGRIND
	VALGRIND_STACK_DEREGISTER(id);
#else
	(void)id;
#endif
}

#endif

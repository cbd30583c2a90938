/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fiber: a stack and where execution on it left off.
 *
 * fiber_switch() leaves one fiber for another and returns when somebody
 * switches back.  The sanitizers and valgrind are told of every stack and every
 * switch; under them the switch is a function of its own, which thread
 * sanitizer must not instrument.
 */
#ifndef TASK_FIBER_H
#define TASK_FIBER_H

#include "arch/arch.h"

#if defined(__SANITIZE_ADDRESS__)
# define FIBER_ASAN 1
#endif
#if defined(__SANITIZE_THREAD__)
# define FIBER_TSAN 1
#endif
#if defined(__has_feature)
# if __has_feature(address_sanitizer)
#  define FIBER_ASAN 1
# endif
# if __has_feature(thread_sanitizer)
#  define FIBER_TSAN 1
# endif
#endif
#if defined(FIBER_ASAN) || defined(FIBER_TSAN)
# define FIBER_WATCHED 1
#endif

struct fiber {
	struct arch_context context;
	/* immutable between init and fini */
	void *stack_base;
	size_t stack_bytes;
#ifdef FIBER_ASAN
	void *fake_stack;
#endif
#ifdef FIBER_TSAN
	void *tsan;
#endif
	unsigned valgrind_id;
};

/* The calling thread's own stack as a fiber that one can switch back to. */
void fiber_adopt(struct fiber *fiber);

/* Once for each stack that fibers will use: its lowest byte and its size. */
void fiber_init(struct fiber *fiber, void *stack_base, size_t stack_bytes);
void fiber_fini(struct fiber *fiber);

/* Let the fiber enter `entry` when it is next switched to. */
static inline void fiber_prepare(struct fiber *fiber, void (*entry)(void))
{
	arch_context_init(&fiber->context,
			  (char *)fiber->stack_base + fiber->stack_bytes,
			  entry);
}

#ifdef FIBER_WATCHED
void fiber_watch_prepare(struct fiber *fiber);
void fiber_watch_end(struct fiber *fiber);
void fiber_switch(struct fiber *from, struct fiber *to);
void fiber_switch_last(struct fiber *from, struct fiber *to);
/* First thing in `entry`. */
void fiber_entered(void);
#else
static inline void fiber_watch_prepare(struct fiber *fiber)
{
	(void)fiber;
}

static inline void fiber_watch_end(struct fiber *fiber)
{
	(void)fiber;
}

static inline void fiber_entered(void)
{
}

static always_inline void fiber_switch(struct fiber *from, struct fiber *to)
{
	arch_switch(&from->context, &to->context);
}

/* As fiber_switch(); `from` will not be switched to before it is prepared. */
static always_inline void fiber_switch_last(struct fiber *from,
					    struct fiber *to)
{
	arch_switch(&from->context, &to->context);
}
#endif

#endif

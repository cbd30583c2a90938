/* SPDX-License-Identifier: Apache-2.0 */
/* Fibers: stacks made known to the tools that watch them. */
#include "task/fiber.h"

#include <string.h>

#include "task/valgrind.h"

#ifdef FIBER_ASAN
# include <sanitizer/asan_interface.h>
# include <sanitizer/common_interface_defs.h>
#endif
#ifdef FIBER_TSAN
# include <sanitizer/tsan_interface.h>
#endif

void fiber_adopt(struct fiber *fiber)
{
	memset(fiber, 0, sizeof(*fiber));
#ifdef FIBER_TSAN
	fiber->tsan = __tsan_get_current_fiber();
#endif
}

void fiber_init(struct fiber *fiber, void *stack_base, size_t stack_bytes)
{
	memset(fiber, 0, sizeof(*fiber));
	fiber->stack_base = stack_base;
	fiber->stack_bytes = stack_bytes;
	fiber->valgrind_id =
		valgrind_stack_register(stack_base,
					(char *)stack_base + stack_bytes);
}

void fiber_fini(struct fiber *fiber)
{
	valgrind_stack_deregister(fiber->valgrind_id);
}

#ifdef FIBER_WATCHED

void fiber_watch_prepare(struct fiber *fiber)
{
# ifdef FIBER_ASAN
	fiber->fake_stack = NULL;
	__asan_unpoison_memory_region(fiber->stack_base, fiber->stack_bytes);
# endif
# ifdef FIBER_TSAN
	fiber->tsan = __tsan_create_fiber(0);
# endif
	(void)fiber;
}

void fiber_watch_end(struct fiber *fiber)
{
# ifdef FIBER_TSAN
	__tsan_destroy_fiber(fiber->tsan);
# endif
	(void)fiber;
}

# ifdef FIBER_ASAN
/* The address sanitizer learns the bounds of a thread's own stack from the
 * first switch away from it. */
static __thread void *own_base;
static __thread size_t own_bytes;
# endif

void fiber_entered(void)
{
# ifdef FIBER_ASAN
	const void *base;
	size_t bytes;

	__sanitizer_finish_switch_fiber(NULL, &base, &bytes);
	if (!own_base) {
		own_base = (void *)(uintptr_t)base;
		own_bytes = bytes;
	}
# endif
}

__attribute__((noinline, no_sanitize("thread"),
	       no_sanitize("address"))) static void
watched_switch(struct fiber *from, struct fiber *to, bool last)
{
# ifdef FIBER_ASAN
	__sanitizer_start_switch_fiber(
		last ? NULL : &from->fake_stack,
		to->stack_base ? to->stack_base : own_base,
		to->stack_base ? to->stack_bytes : own_bytes);
# endif
# ifdef FIBER_TSAN
	__tsan_switch_to_fiber(to->tsan, 0);
# endif
	(void)last;
	arch_switch(&from->context, &to->context);
# ifdef FIBER_ASAN
	__sanitizer_finish_switch_fiber(from->fake_stack, NULL, NULL);
# endif
}

__attribute__((noinline, no_sanitize("thread"))) void fiber_switch(
	struct fiber *from, struct fiber *to)
{
	watched_switch(from, to, false);
}

__attribute__((noinline, no_sanitize("thread"))) void fiber_switch_last(
	struct fiber *from, struct fiber *to)
{
	watched_switch(from, to, true);
}

#endif

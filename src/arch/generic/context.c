/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts by the C library's ucontext. */
#include "arch/arch.h"

#if defined(ARCH_GENERIC_ARCH_H)

/* makecontext() wants a base and a size: this much lies below the top. */
# define STACK_WINDOW 2048

void arch_context_init(struct arch_context *context, void *stack_top,
		       void (*entry)(void))
{
	BUG_ON(getcontext(&context->context) != 0);
	context->context.uc_stack.ss_sp = (char *)stack_top - STACK_WINDOW;
	context->context.uc_stack.ss_size = STACK_WINDOW;
	context->context.uc_link = NULL;
	makecontext(&context->context, entry, 0);
}

void arch_switch(struct arch_context *from, struct arch_context *to)
{
	/* Tasks have no signal mask of their own: the thread's stays. */
	BUG_ON(getcontext(&from->context) != 0);
	to->context.uc_sigmask = from->context.uc_sigmask;
	BUG_ON(swapcontext(&from->context, &to->context) != 0);
}

#else

/* ISO C forbids an empty translation unit. */
extern int arch_context_unused;

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any architecture with <ucontext.h>: slower (the switch saves the signal
 * mask by a system call), but right.  The time source is the system's clock.
 */
#ifndef ARCH_GENERIC_ARCH_H
#define ARCH_GENERIC_ARCH_H

#include <fenv.h>
#include <string.h>
#include <ucontext.h>

#include "base/base.h"

#define ARCH_NAME "generic"
/* No ARCH_HAS_TICKS: os_ticks() reads the clock. */

struct arch_context {
	ucontext_t context;
};

void arch_context_init(struct arch_context *context, void *stack_top,
		       void (*entry)(void));
void arch_switch(struct arch_context *from, struct arch_context *to);

#define ARCH_TLS_MODEL __attribute__((tls_model("initial-exec")))

/* An opaque pointer to the variable's address defeats every cached copy. */
#define ARCH_TLS_POINTER(variable) \
 ((__typeof__(variable))arch_tls_read_##variable())
#define ARCH_TLS_READER(variable)                               \
 __attribute__((noinline)) void *arch_tls_read_##variable(void) \
 {                                                              \
  __asm__ volatile("");                                         \
  return variable;                                              \
 }

static inline void arch_prefetch_write(const void *address)
{
	__builtin_prefetch(address, 1);
}

static inline void arch_relax(void)
{
	__asm__ volatile("" ::: "memory");
}

/* Reading the clock is a call. */
static inline void arch_ticks_barrier(void)
{
	__asm__ volatile("" ::: "memory");
}

static inline bool arch_ticks_invariant(void)
{
	return false;
}

/* The switch saves them itself, for every task. */
#define ARCH_SWITCH_SAVES_FP 1

struct arch_fp {
	fenv_t environment;
};

static inline void arch_fp_save(struct arch_fp *fp)
{
	fegetenv(&fp->environment);
}

static inline void arch_fp_load(const struct arch_fp *fp)
{
	fesetenv(&fp->environment);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Coverage counts are written by exit() alone.  Here is how those leave them
 * behind that end otherwise: children that say _exit(), panics, and the handler
 * of an overflow, which puts the previous disposition back and then returns to
 * fault again.  The linker leads these calls here (--wrap).
 *
 * Written and begun anew: a process may live on after each.
 */
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

void __gcov_dump(void);
void __gcov_reset(void);

void __real__exit(int status) __attribute__((noreturn));
void __real_abort(void) __attribute__((noreturn));
int __real_sigaction(int signal, const struct sigaction *action,
		     struct sigaction *before);

void __wrap__exit(int status) __attribute__((noreturn));
void __wrap_abort(void) __attribute__((noreturn));
int __wrap_sigaction(int signal, const struct sigaction *action,
		     struct sigaction *before);

static void keep_counts(void)
{
	__gcov_dump();
	__gcov_reset();
}

void __wrap__exit(int status)
{
	keep_counts();
	__real__exit(status);
}

void __wrap_abort(void)
{
	keep_counts();
	__real_abort();
}

static bool on_alternate_stack(void)
{
	stack_t stack;

	return !sigaltstack(NULL, &stack) && stack.ss_flags & SS_ONSTACK;
}

int __wrap_sigaction(int signal, const struct sigaction *action,
		     struct sigaction *before)
{
	if (on_alternate_stack())
		keep_counts();
	return __real_sigaction(signal, action, before);
}

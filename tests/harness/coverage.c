/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Coverage counts are written by exit() alone.  Here is how those leave them
 * behind that end otherwise: children that say _exit(), panics, and the handler of
 * faults, which puts the previous disposition back and then faults again or
 * raises the signal.  The linker leads these calls here (--wrap).
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
int __real_raise(int signal);
int __real_sigaction(int signal, const struct sigaction *action,
		     struct sigaction *before);

void __wrap__exit(int status) __attribute__((noreturn));
void __wrap_abort(void) __attribute__((noreturn));
int __wrap_raise(int signal);
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

static bool is_fault(int signal)
{
	return signal == SIGSEGV || signal == SIGBUS;
}

int __wrap_raise(int signal)
{
	if (is_fault(signal))
		keep_counts();
	return __real_raise(signal);
}

int __wrap_sigaction(int signal, const struct sigaction *action,
		     struct sigaction *before)
{
	if (is_fault(signal) && action && !(action->sa_flags & SA_SIGINFO) &&
	    action->sa_handler == SIG_DFL)
		keep_counts();
	return __real_sigaction(signal, action, before);
}

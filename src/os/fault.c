/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One handler for both signals.  It puts the previous disposition back before
 * it returns, so that the instruction that faults again finds what it would
 * have found without us.
 */
#include "os/fault.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "os/file.h"
#include "os/inject.h"
#include "os/mem.h"

/* The handler's frame with the widest vector state, the report, a chain. */
#define ALTSTACK_BYTES ((size_t)64 * 1024)

static const int signals[] = {SIGSEGV, SIGBUS};
#define SIGNALS (sizeof(signals) / sizeof(signals[0]))

static bool (*volatile reporter)(void *addr, int signal);
static struct sigaction previous[SIGNALS];

static void handle(int signal, siginfo_t *info, void *context)
{
	const struct sigaction *before = &previous[signal == signals[1]];
	bool (*report)(void *, int) = reporter;
	int saved_errno = errno;

	/* Sent by kill(): no address, nobody's overflow. */
	bool raised = info->si_code > 0;
	bool ours = raised && report && report(info->si_addr, signal);

	if (!ours && before->sa_flags & SA_SIGINFO) {
		before->sa_sigaction(signal, info, context);
	} else if (!ours && before->sa_handler != SIG_DFL &&
		   before->sa_handler != SIG_IGN) {
		before->sa_handler(signal);
	} else {
		sigaction(signal, before, NULL);
		/* Nothing faults again on return where none did before. */
		if (!raised)
			raise(signal);
	}
	errno = saved_errno;
}

static int set_action(int signal, const struct sigaction *action,
		      struct sigaction *before)
{
	if (os_fault(OS_CALL_SIGNAL))
		return -ENOMEM;
	return sigaction(signal, action, before) ? -errno : 0;
}

int os_fault_install(bool (*report)(void *addr, int signal))
{
	struct sigaction action;
	int err;

	if (reporter)
		return -EALREADY;
	memset(&action, 0, sizeof(action));
	action.sa_sigaction = handle;
	action.sa_flags = SA_SIGINFO | SA_ONSTACK;
	sigemptyset(&action.sa_mask);
	reporter = report;
	for (size_t i = 0; i < SIGNALS; i++) {
		err = set_action(signals[i], &action, &previous[i]);
		if (!err)
			continue;
		while (i-- > 0)
			sigaction(signals[i], &previous[i], NULL);
		reporter = NULL;
		return err;
	}
	return 0;
}

void os_fault_remove(void)
{
	struct sigaction now;

	if (!reporter)
		return;
	for (size_t i = 0; i < SIGNALS; i++)
		if (!sigaction(signals[i], NULL, &now) &&
		    now.sa_flags & SA_SIGINFO && now.sa_sigaction == handle)
			sigaction(signals[i], &previous[i], NULL);
	reporter = NULL;
}

int os_altstack_install(struct os_altstack *ret)
{
	struct os_altstack alt = {.bytes = ALTSTACK_BYTES, .owned = true};
	stack_t stack;
	int err;

	if (os_fault(OS_CALL_SIGNAL))
		return -ENOMEM;
	if (sigaltstack(NULL, &stack))
		return -errno;
	if (!(stack.ss_flags & SS_DISABLE)) {
		*ret = (struct os_altstack){stack.ss_sp, stack.ss_size, false};
		return 0;
	}
	err = os_map(alt.bytes, &alt.base);
	if (err)
		return err;
	stack = (stack_t){.ss_sp = alt.base, .ss_size = alt.bytes};
	if (sigaltstack(&stack, NULL)) {
		err = -errno;
		os_unmap(alt.base, alt.bytes);
		return err;
	}
	*ret = alt;
	return 0;
}

void os_altstack_remove(struct os_altstack *alt)
{
	stack_t off = {.ss_flags = SS_DISABLE};
	stack_t now;

	if (!alt->owned)
		return;
	if (!sigaltstack(NULL, &now) && now.ss_sp == alt->base)
		sigaltstack(&off, NULL);
	os_unmap(alt->base, alt->bytes);
	alt->owned = false;
}

void os_write_err(const char *text, size_t bytes)
{
	os_file_write(STDERR_FILENO, text, bytes);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Overflow reports: told with the address, on the alternate stack, and the
 * process dies of the signal as it would have; strange addresses go on to
 * whoever was there before.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "harness/refuse.h"
#include "harness/test.h"
#include "os/fault.h"
#include "os/mem.h"
#include "os/stack.h"
#include "os/thread.h"

static struct os_stack stack;
static struct os_altstack altstack;

static bool report(void *addr, int number)
{
	char *at = addr;
	char *base = stack.base;
	static const char known[] = "overflow in the guard\n";
	static const char unknown[] = "asked\n";

	(void)number;
	if (base && at >= base - stack.guard_bytes && at < base) {
		os_write_err(known, sizeof(known) - 1);
		return true;
	}
	os_write_err(unknown, sizeof(unknown) - 1);
	return false;
}

static void no_core(void)
{
	struct rlimit none = {0, 0};

	setrlimit(RLIMIT_CORE, &none);
}

static void plain_handlers(void)
{
	signal(SIGSEGV, SIG_DFL);
	signal(SIGBUS, SIG_DFL);
	no_core();
}

static int recurse(int depth)
{
	volatile char frame[512];

	frame[0] = (char)depth;
	if (depth < 0)
		return 0;
	return recurse(depth + 1) + frame[0];
}

static ucontext_t outer;
static ucontext_t inner;

static void overflow_here(void)
{
	recurse(0);
}

/* Far below the stack's end at once, as a large array does. */
static void leap_here(void)
{
	((volatile char *)stack.base)[-10 * (long)os_page_bytes() + 1] = 1;
}

static void run_on_stack(void (*run)(void))
{
	getcontext(&inner);
	inner.uc_stack.ss_sp = stack.base;
	inner.uc_stack.ss_size = stack.bytes;
	inner.uc_link = &outer;
	makecontext(&inner, run, 0);
	swapcontext(&outer, &inner);
}

static void overflow(void *leap)
{
	plain_handlers();
	CHECK_EQ(os_stack_map(16384, &stack), 0);
	CHECK_EQ(os_altstack_install(&altstack), 0);
	CHECK_EQ(os_fault_install(report), 0);
	run_on_stack(leap ? leap_here : overflow_here);
}

TEST(an_overflow_is_reported_and_kills)
{
	struct test_outcome outcome;

	test_in_child(overflow, NULL, &outcome);
	CHECK(WIFSIGNALED(outcome.status));
	CHECK_EQ(WTERMSIG(outcome.status), SIGSEGV);
	CHECK_HAS(outcome.output, "overflow in the guard");
}

TEST(an_overflow_by_ten_pages_is_reported)
{
	struct test_outcome outcome;

	if (sizeof(void *) < 8)
		SKIP("guards are one page where addresses are few");
	test_in_child(overflow, "leap", &outcome);
	CHECK(WIFSIGNALED(outcome.status));
	CHECK_HAS(outcome.output, "overflow in the guard");
}

static void other_thread(void *arg)
{
	struct os_altstack alt;

	(void)arg;
	CHECK_EQ(os_altstack_install(&alt), 0);
	run_on_stack(overflow_here);
}

static void overflow_in_thread(void *arg)
{
	struct os_thread thread;

	(void)arg;
	plain_handlers();
	CHECK_EQ(os_stack_map(16384, &stack), 0);
	CHECK_EQ(os_fault_install(report), 0);
	CHECK_EQ(os_thread_create(&thread, NULL, other_thread, NULL), 0);
	os_thread_join(&thread);
}

TEST(an_overflow_on_another_thread)
{
	struct test_outcome outcome;

	test_in_child(overflow_in_thread, NULL, &outcome);
	CHECK(WIFSIGNALED(outcome.status));
	CHECK_HAS(outcome.output, "overflow in the guard");
}

/* Not NULL for the compiler's sake. */
static volatile char *volatile nowhere = (volatile char *)16;

static void stray(void *arg)
{
	(void)arg;
	plain_handlers();
	CHECK_EQ(os_fault_install(report), 0);
	*nowhere = 1;
}

TEST(a_stray_access_dies_as_before)
{
	struct test_outcome outcome;

	test_in_child(stray, NULL, &outcome);
	CHECK(WIFSIGNALED(outcome.status));
	CHECK_EQ(WTERMSIG(outcome.status), SIGSEGV);
	CHECK_STR(outcome.output, "asked\n");
}

static void earlier(int number, siginfo_t *info, void *context)
{
	(void)context;
	_exit(number == SIGSEGV && info->si_addr == (void *)nowhere ? 33 : 1);
}

static void earlier_simple(int number)
{
	_exit(number == SIGSEGV ? 34 : 1);
}

static void chain(void *simple)
{
	struct sigaction action = {.sa_flags = SA_SIGINFO};

	plain_handlers();
	if (simple)
		signal(SIGSEGV, earlier_simple);
	action.sa_sigaction = earlier;
	if (!simple)
		sigaction(SIGSEGV, &action, NULL);
	CHECK_EQ(os_fault_install(report), 0);
	*nowhere = 1;
}

TEST(a_stray_access_reaches_the_earlier_handler)
{
	struct test_outcome outcome;

	test_in_child(chain, NULL, &outcome);
	CHECK(WIFEXITED(outcome.status));
	CHECK_EQ(WEXITSTATUS(outcome.status), 33);
	test_in_child(chain, "simple", &outcome);
	CHECK_EQ(WEXITSTATUS(outcome.status), 34);
}

static void sent(void *arg)
{
	(void)arg;
	plain_handlers();
	CHECK_EQ(os_fault_install(report), 0);
	kill(getpid(), SIGSEGV);
	for (;;)
		pause();
}

TEST(a_sent_signal_is_not_an_overflow)
{
	struct test_outcome outcome;

	test_in_child(sent, NULL, &outcome);
	CHECK(WIFSIGNALED(outcome.status));
	CHECK_EQ(WTERMSIG(outcome.status), SIGSEGV);
	CHECK_STR(outcome.output, "");
}

static void sent_where_ignored(void *arg)
{
	(void)arg;
	plain_handlers();
	signal(SIGSEGV, SIG_IGN);
	CHECK_EQ(os_fault_install(report), 0);
	kill(getpid(), SIGSEGV);
	_exit(35);
}

TEST(a_sent_signal_is_ignored_as_before)
{
	struct test_outcome outcome;

	test_in_child(sent_where_ignored, NULL, &outcome);
	CHECK(WIFEXITED(outcome.status));
	CHECK_EQ(WEXITSTATUS(outcome.status), 35);
	CHECK_STR(outcome.output, "");
}

static struct sigaction ours;

static void later(int number, siginfo_t *info, void *context)
{
	ours.sa_sigaction(number, info, context);
}

/* Ours has gone, but is called still by one who came after it. */
static void stray_after_removal(void *arg)
{
	struct sigaction action = {.sa_flags = SA_SIGINFO};

	(void)arg;
	plain_handlers();
	CHECK_EQ(os_fault_install(report), 0);
	action.sa_sigaction = later;
	CHECK_EQ(sigaction(SIGSEGV, &action, &ours), 0);
	os_fault_remove();
	*nowhere = 1;
}

TEST(nothing_is_asked_after_removal)
{
	struct test_outcome outcome;

	test_in_child(stray_after_removal, NULL, &outcome);
	CHECK(WIFSIGNALED(outcome.status));
	CHECK_EQ(WTERMSIG(outcome.status), SIGSEGV);
	CHECK_STR(outcome.output, "");
}

TEST(a_refused_handler_leaves_none)
{
	struct sigaction action;

	plain_handlers();
	test_refuse_where(SYS_rt_sigaction, 0, SIGBUS, EPERM);
	CHECK_EQ(os_fault_install(report), -EPERM);
	CHECK_EQ(sigaction(SIGSEGV, NULL, &action), 0);
	CHECK(action.sa_handler == SIG_DFL);
	/* It may be tried again. */
	CHECK_EQ(os_fault_install(report), -EPERM);
}

TEST(what_cannot_be_looked_at_is_left_alone)
{
	struct os_altstack alt = {0};
	struct os_altstack moved = {0};
	struct sigaction action;
	stack_t other = {.ss_sp = NULL};
	stack_t off = {.ss_flags = SS_DISABLE};

	plain_handlers();
	CHECK_EQ(sigaltstack(&off, &other), 0);
	CHECK_EQ(os_altstack_install(&alt), 0);
	CHECK_EQ(sigaltstack(&off, NULL), 0);
	CHECK_EQ(os_altstack_install(&moved), 0);
	/* Not the one in force any more. */
	os_altstack_remove(&alt);
	CHECK_EQ(sigaltstack(NULL, &other), 0);
	CHECK(other.ss_sp == moved.base);
	CHECK_EQ(os_fault_install(report), 0);
	test_refuse_where(SYS_rt_sigaction, 0, SIGBUS, EPERM);
	os_fault_remove();
	CHECK_EQ(sigaction(SIGSEGV, NULL, &action), 0);
	CHECK(action.sa_handler == SIG_DFL);
	if (!TEST_ASAN) { /* which asks, too */
		test_refuse_where(SYS_sigaltstack, 0, 0, EPERM);
		CHECK_EQ(os_altstack_install(&alt), -EPERM);
		CHECK(!alt.owned);
	}
	os_altstack_remove(&moved);
	CHECK(!moved.owned);
}

TEST(a_refused_alternate_stack_leaks_nothing)
{
	struct os_altstack alt = {.base = &stack};
	stack_t off = {.ss_flags = SS_DISABLE};

	CHECK_EQ(sigaltstack(&off, NULL), 0);
	/* Asking is allowed, setting is not. */
	test_refuse_where(SYS_sigaltstack, 1, 0, EPERM);
	CHECK_EQ(os_altstack_install(&alt), -EPERM);
	CHECK(alt.base == &stack);
	test_refuse_where(SYS_mmap, 1, 64 * 1024, ENOMEM);
	CHECK_EQ(os_altstack_install(&alt), -ENOMEM);
}

TEST(remove_restores)
{
	struct sigaction action;
	struct sigaction strange = {.sa_handler = earlier_simple};

	plain_handlers();
	CHECK_EQ(os_fault_install(report), 0);
	CHECK_EQ(os_fault_install(report), -EALREADY);
	/* Whoever came after us stays. */
	sigaction(SIGBUS, &strange, NULL);
	os_fault_remove();
	sigaction(SIGSEGV, NULL, &action);
	CHECK(action.sa_handler == SIG_DFL);
	sigaction(SIGBUS, NULL, &action);
	CHECK(action.sa_handler == earlier_simple);
	os_fault_remove();
	CHECK_EQ(os_fault_install(report), 0);
	strange = (struct sigaction){.sa_flags = SA_SIGINFO};
	strange.sa_sigaction = earlier;
	sigaction(SIGBUS, &strange, NULL);
	os_fault_remove();
	sigaction(SIGBUS, NULL, &action);
	CHECK(action.sa_sigaction == earlier);
}

TEST(an_alternate_stack_that_was_there_stays)
{
	struct os_altstack first = {0};
	struct os_altstack second = {0};
	stack_t off = {.ss_flags = SS_DISABLE};
	stack_t now;

	sigaltstack(&off, NULL);
	CHECK_EQ(os_altstack_install(&first), 0);
	CHECK(first.owned);
	CHECK_EQ(os_altstack_install(&second), 0);
	CHECK(!second.owned);
	CHECK(second.base == first.base);
	os_altstack_remove(&second);
	sigaltstack(NULL, &now);
	CHECK(now.ss_sp == first.base);
	os_altstack_remove(&first);
	sigaltstack(NULL, &now);
	CHECK(now.ss_flags & SS_DISABLE);
	os_altstack_remove(&first);
}

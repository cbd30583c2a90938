/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The area is the C library's, the descriptor one that the kernel takes: it
 * clears the pointer, and kills nobody.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#if __has_include(<sys/rseq.h>)
# include <sys/rseq.h>
#endif
#include <unistd.h>

#include "harness/test.h"
#include "os/inject.h"
#include "os/steal_area.h"
#include "os/thread.h"

static void nothing(int number)
{
	(void)number;
}

/* A signal handler's frame makes every kernel look at the pointer. */
static bool cleared_by_signal(volatile uintptr_t *slot)
{
	struct sigaction action = {.sa_handler = nothing};

	sigaction(SIGUSR1, &action, NULL);
	*slot = os_steal_area_descriptor();
	raise(SIGUSR1);
	return !*slot;
}

static void on_thread(void *ret)
{
	volatile uintptr_t *slot = os_steal_area_slot();

	CHECK(slot);
	CHECK(cleared_by_signal(slot));
	*(volatile uintptr_t **)ret = slot;
}

TEST(the_kernel_clears_the_descriptor)
{
	volatile uintptr_t *slot = os_steal_area_slot();
	volatile uintptr_t *other = NULL;
	struct os_thread thread;

	if (!slot)
		SKIP("no restartable sequences here");
	CHECK(cleared_by_signal(slot));
	CHECK_EQ(os_steal_area_descriptor() % 32, 0);
	/* Each thread has its own. */
	CHECK_EQ(os_thread_create(&thread, NULL, on_thread, (void *)&other), 0);
	os_thread_join(&thread);
	CHECK(other != slot);
}

/* In the program started anew without the area, before the harness. */
__attribute__((constructor)) static void answer(void)
{
	if (getenv("OS_STEAL_AREA_ANSWER"))
		_exit(os_steal_area_slot() ? 10 : 11);
}

static void start_anew(void *arg)
{
	(void)arg;
	setenv("OS_STEAL_AREA_ANSWER", "1", 1);
	setenv("GLIBC_TUNABLES", "glibc.pthread.rseq=0", 1);
	execl("/proc/self/exe", "anew", (char *)NULL);
	_exit(2);
}

TEST(no_area_without_registration)
{
	struct test_outcome outcome;

	test_in_child(start_anew, NULL, &outcome);
	CHECK_EQ(outcome.status, 11 << 8);
}

#ifdef RSEQ_SIG
/* As where the kernel has refused the registration. */
TEST(a_thread_that_is_not_registered)
{
	if (!os_steal_area_slot())
		SKIP("no restartable sequences here");
	if (syscall(SYS_rseq,
		    (char *)__builtin_thread_pointer() + __rseq_offset,
		    sizeof(struct rseq), RSEQ_FLAG_UNREGISTER, RSEQ_SIG))
		SKIP("registered with another size");
	CHECK(!os_steal_area_slot());
}
#endif

#ifdef METE_FAULTS
TEST(a_refusal_is_no_area)
{
	os_fault_arm(OS_CALL_RSEQ, 1, false);
	CHECK(!os_steal_area_slot());
}
#endif

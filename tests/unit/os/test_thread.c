/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads: names, signals, binding, their CPU clocks, the value at their end.
 */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "harness/test.h"
#include "os/clock.h"
#include "os/futex.h"
#include "os/inject.h"
#include "os/thread.h"

#if !TEST_SANITIZED

/*
 * What the C library could refuse, but never does where one can wait for it:
 * its functions, as the library calls them, refuse what is asked for here.
 */
static enum {
	GRANT,
	REFUSE_ATTRIBUTES,
	REFUSE_STACK,
	REFUSE_CLOCK,
} refused;

int pthread_attr_init(pthread_attr_t *attributes)
{
	int (*real)(pthread_attr_t *);

	*(void **)&real = dlsym(RTLD_NEXT, "pthread_attr_init");
	return refused == REFUSE_ATTRIBUTES ? ENOMEM : real(attributes);
}

int pthread_attr_setstacksize(pthread_attr_t *attributes, size_t bytes)
{
	int (*real)(pthread_attr_t *, size_t);

	*(void **)&real = dlsym(RTLD_NEXT, "pthread_attr_setstacksize");
	return refused == REFUSE_STACK ? EINVAL : real(attributes, bytes);
}

int pthread_getcpuclockid(pthread_t thread, clockid_t *ret)
{
	int (*real)(pthread_t, clockid_t *);

	*(void **)&real = dlsym(RTLD_NEXT, "pthread_getcpuclockid");
	return refused == REFUSE_CLOCK ? ESRCH : real(thread, ret);
}

#endif

struct seen {
	char name[16];
	sigset_t blocked;
	pid_t tid;
	uintptr_t mark;
	size_t stack_bytes;
};

static void look(void *arg)
{
	struct seen *seen = arg;
	pthread_attr_t attributes;

	pthread_getname_np(pthread_self(), seen->name, sizeof(seen->name));
	pthread_sigmask(SIG_SETMASK, NULL, &seen->blocked);
	pthread_getattr_np(pthread_self(), &attributes);
	pthread_attr_getstacksize(&attributes, &seen->stack_bytes);
	pthread_attr_destroy(&attributes);
	seen->tid = os_thread_self_tid();
	seen->mark = os_thread_mark();
}

static void run(const struct os_thread_attr *attr, struct seen *ret)
{
	struct os_thread thread;

	CHECK_EQ(os_thread_create(&thread, attr, look, ret), 0);
	CHECK_EQ(os_thread_join(&thread), 0);
}

TEST(attributes_take_effect)
{
	struct os_thread_attr attr = {
		.name = "a-name-longer-than-the-kernel's",
		.block_signals = true,
		.stack_bytes = 256 * 1024,
	};
	struct seen seen;
	sigset_t mine;

	run(&attr, &seen);
	CHECK_STR(seen.name, "a-name-longer-t");
	CHECK(seen.tid != getpid() && seen.tid > 0);
	CHECK_EQ(os_thread_self_tid(), getpid());
	CHECK_NE(seen.mark, os_thread_mark());
	CHECK_EQ(os_thread_mark(), os_thread_mark());
	CHECK(sigismember(&seen.blocked, SIGINT));
	CHECK(sigismember(&seen.blocked, SIGALRM));
	CHECK(!sigismember(&seen.blocked, SIGSEGV));
	/* Sanitizers add to it. */
	CHECK_GE(seen.stack_bytes, 256 * 1024);
	CHECK_LT(seen.stack_bytes, 2 * 1024 * 1024);
	/* The creator's own mask is what it was. */
	pthread_sigmask(SIG_SETMASK, NULL, &mine);
	CHECK(!sigismember(&mine, SIGINT));
	attr.stack_bytes = 1;
	run(&attr, &seen);
	CHECK_GE(seen.stack_bytes, PTHREAD_STACK_MIN);
}

TEST(a_mask_is_given)
{
	struct os_signals signals;
	struct os_thread_attr attr = {.signals = &signals,
				      .block_signals = true};
	struct seen seen;
	sigset_t mine;

	sigemptyset(&mine);
	sigaddset(&mine, SIGUSR2);
	pthread_sigmask(SIG_SETMASK, &mine, NULL);
	os_signals_get(&signals);
	sigaddset(&mine, SIGUSR1);
	pthread_sigmask(SIG_SETMASK, &mine, NULL);
	run(&attr, &seen);
	CHECK(sigismember(&seen.blocked, SIGUSR2));
	CHECK(!sigismember(&seen.blocked, SIGUSR1));
	pthread_sigmask(SIG_SETMASK, NULL, &mine);
	CHECK(sigismember(&mine, SIGUSR1));
}

TEST(defaults_inherit)
{
	struct seen seen;
	sigset_t mine;

	sigemptyset(&mine);
	sigaddset(&mine, SIGUSR2);
	pthread_sigmask(SIG_SETMASK, &mine, NULL);
	pthread_setname_np(pthread_self(), "parent");
	run(NULL, &seen);
	CHECK_STR(seen.name, "parent");
	CHECK(sigismember(&seen.blocked, SIGUSR2));
	CHECK(!sigismember(&seen.blocked, SIGUSR1));
}

static uint32_t hold;

static void burn(void *arg)
{
	uint64_t ns = *(uint64_t *)arg;

	while (os_thread_cpu_ns() < ns)
		arch_relax();
	__sync_fetch_and_add(&hold, 1);
	os_futex_wake(&hold, 1);
	while (__sync_fetch_and_add(&hold, 0) != 2)
		os_futex_wait(&hold, 1, OS_FUTEX_FOREVER);
}

TEST(the_cpu_clock_of_another)
{
	struct os_thread thread;
	struct os_thread self;
	uint64_t burnt = 30000000;
	uint64_t ns = 0;
	uint64_t again = 0;

	CHECK_EQ(os_thread_create(&thread, NULL, burn, &burnt), 0);
	while (!__sync_fetch_and_add(&hold, 0))
		os_futex_wait(&hold, 0, OS_FUTEX_FOREVER);
	CHECK_EQ(os_thread_clock_ns(&thread, &ns), 0);
	CHECK_GE(ns, burnt);
	/* Asleep, it hardly goes on. */
	usleep(30000);
	CHECK_EQ(os_thread_clock_ns(&thread, &again), 0);
	CHECK_GE(again, ns);
	CHECK_LT(again, ns + 10000000);
	__sync_fetch_and_add(&hold, 1);
	os_futex_wake(&hold, 1);
	CHECK_EQ(os_thread_join(&thread), 0);
	/* The kernel may take a moment to forget it. */
	for (int i = 0; i < 1000 && !os_thread_clock_ns(&thread, &again); i++)
		usleep(1000);
	CHECK_EQ(os_thread_clock_ns(&thread, &again), -ESRCH);
	os_thread_self(&self);
	CHECK_EQ(os_thread_clock_ns(&self, &again), 0);
	CHECK_LE(again, os_thread_cpu_ns());
	CHECK_GT(again, 0);
}

TEST(bind_and_unbind)
{
	cpu_set_t before;
	cpu_set_t after;

	sched_getaffinity(0, sizeof(before), &before);
	CHECK_EQ(os_thread_unbind(), 0);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &before))
			continue;
		CHECK_EQ(os_thread_bind(cpu), 0);
		CHECK_EQ(sched_getcpu(), cpu);
		sched_getaffinity(0, sizeof(after), &after);
		CHECK_EQ(CPU_COUNT(&after), 1);
	}
	CHECK_EQ(os_thread_bind(900000), -EINVAL);
	CHECK_EQ(os_thread_bind(-1), -EINVAL);
	CHECK_EQ(os_thread_unbind(), 0);
	sched_getaffinity(0, sizeof(after), &after);
	CHECK(CPU_EQUAL(&before, &after));
	/* A refused bind leaves no memory of one. */
	CHECK_EQ(os_thread_bind(900000), -EINVAL);
	CHECK_EQ(os_thread_unbind(), 0);
	os_thread_yield();
}

static struct os_exit_key key;
static uint32_t ended;

static void at_end(void *value)
{
	__sync_fetch_and_add(&ended, *(uint32_t *)value);
}

static void *foreign(void *value)
{
	CHECK(!os_exit_key_get(&key));
	CHECK_EQ(os_exit_key_set(&key, value), 0);
	CHECK(os_exit_key_get(&key) == value);
	return NULL;
}

TEST(the_value_at_a_foreign_threads_end)
{
	uint32_t five = 5;
	pthread_t thread;

	CHECK_EQ(os_exit_key_init(&key, at_end), 0);
	for (int i = 0; i < 3; i++) {
		CHECK_EQ(pthread_create(&thread, NULL, foreign, &five), 0);
		pthread_join(thread, NULL);
	}
	CHECK_EQ(__sync_fetch_and_add(&ended, 0), 15);
	os_exit_key_fini(&key);
}

#if !TEST_SANITIZED
TEST(what_the_c_library_refuses_is_told)
{
	struct os_thread_attr attr = {.stack_bytes = 256 * 1024};
	struct os_thread thread = {.clock = 12345};
	struct seen seen;
	uint64_t ns = 77;

	refused = REFUSE_ATTRIBUTES;
	CHECK_EQ(os_thread_create(&thread, &attr, look, &seen), -ENOMEM);
	refused = REFUSE_STACK;
	CHECK_EQ(os_thread_create(&thread, &attr, look, &seen), -EINVAL);
	CHECK_EQ(thread.clock, 12345);
	/* It may have ended before it was asked for. */
	refused = REFUSE_CLOCK;
	CHECK_EQ(os_thread_create(&thread, &attr, look, &seen), 0);
	CHECK_EQ(os_thread_clock_ns(&thread, &ns), -ESRCH);
	CHECK_EQ(os_thread_join(&thread), 0);
	os_thread_self(&thread);
	CHECK_EQ(os_thread_clock_ns(&thread, &ns), -ESRCH);
	CHECK_EQ(ns, 77);
}
#endif

#ifdef METE_FAULTS
TEST(refusals_leak_nothing)
{
	static const struct os_thread_attr quiet = {.name = "quiet",
						    .block_signals = true};
	struct os_thread thread;
	struct seen seen;
	sigset_t mine;
	int cpu = sched_getcpu();

	for (uint64_t k = 1;; k++) {
		int err;

		os_fault_arm(OS_CALL_ANY, k, false);
		err = os_thread_create(&thread, &quiet, look, &seen);
		if (!err) {
			CHECK_EQ(k, 3);
			os_thread_join(&thread);
			break;
		}
		CHECK_EQ(err, k == 1 ? -ENOMEM : -EAGAIN);
		pthread_sigmask(SIG_SETMASK, NULL, &mine);
		CHECK(!sigismember(&mine, SIGINT));
	}
	for (uint64_t k = 1;; k++) {
		os_fault_arm(OS_CALL_ANY, k, false);
		if (!os_thread_bind(cpu))
			break;
		CHECK_EQ(os_thread_unbind(), 0);
	}
	os_fault_arm(OS_CALL_THREAD, 1, true);
	CHECK_EQ(os_exit_key_init(&key, at_end), -EAGAIN);
	os_fault_arm(OS_CALL_THREAD, 2, true);
	CHECK_EQ(os_exit_key_init(&key, at_end), 0);
	CHECK_EQ(os_exit_key_set(&key, &cpu), -ENOMEM);
	CHECK(!os_exit_key_get(&key));
	os_exit_key_fini(&key);
	os_fault_arm(OS_CALL_AFFINITY, 1, false);
	CHECK_EQ(os_thread_unbind(), -EPERM);
	CHECK_EQ(os_thread_unbind(), 0);
}
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads carry their name and a saved affinity; both are set up by the thread
 * itself.  The start's parameters travel in a block that the new thread frees.
 */
#include "os/thread.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/affinity.h"
#include "os/inject.h"
#include "os/mem.h"

#define NAME_BYTES 16

struct start {
	void (*run)(void *arg);
	void *arg;
	char name[NAME_BYTES];
};

/* What the thread may run on besides the CPU that it is bound to. */
static _Thread_local struct os_affinity before_bind;

static void *enter(void *block)
{
	struct start start = *(struct start *)block;

	os_free(block);
	if (start.name[0])
		pthread_setname_np(pthread_self(), start.name);
	start.run(start.arg);
	os_affinity_fini(&before_bind);
	return NULL;
}

/* All but those that a fault of the thread's own raises: blocked, they would
 * kill without a word. */
static void mask_most(sigset_t *ret)
{
	sigfillset(ret);
	sigdelset(ret, SIGSEGV);
	sigdelset(ret, SIGBUS);
	sigdelset(ret, SIGFPE);
	sigdelset(ret, SIGILL);
	sigdelset(ret, SIGTRAP);
	sigdelset(ret, SIGABRT);
}

/* The stack's size as the system wants it at least. */
static int set_stack(pthread_attr_t *attributes, size_t bytes)
{
	size_t least = (size_t)sysconf(_SC_THREAD_STACK_MIN);

	if (!bytes)
		return 0;
	return pthread_attr_setstacksize(attributes,
					 bytes > least ? bytes : least);
}

static int spawn(struct os_thread *ret, const struct os_thread_attr *attr,
		 struct start *start)
{
	pthread_attr_t attributes;
	bool changes = attr->signals || attr->block_signals;
	sigset_t wanted;
	sigset_t before;
	int err;

	err = pthread_attr_init(&attributes);
	if (err)
		return -err;
	err = set_stack(&attributes, attr->stack_bytes);
	if (err)
		goto out;
	if (attr->signals)
		wanted = attr->signals->blocked;
	else
		mask_most(&wanted);
	if (changes)
		pthread_sigmask(SIG_SETMASK, &wanted, &before);
	err = os_fault(OS_CALL_THREAD)
		      ? EAGAIN
		      : pthread_create(&ret->handle, &attributes, enter, start);
	if (changes)
		pthread_sigmask(SIG_SETMASK, &before, NULL);
out:
	pthread_attr_destroy(&attributes);
	return -err;
}

int os_thread_create(struct os_thread *ret, const struct os_thread_attr *attr,
		     void (*run)(void *arg), void *arg)
{
	static const struct os_thread_attr defaults;
	struct os_thread thread = {0};
	struct start *start;
	int err;

	if (!attr)
		attr = &defaults;
	start = os_alloc(sizeof(*start));
	if (!start)
		return -ENOMEM;
	start->run = run;
	start->arg = arg;
	if (attr->name)
		strncpy(start->name, attr->name, NAME_BYTES - 1);
	err = spawn(&thread, attr, start);
	if (err) {
		os_free(start);
		return err;
	}
	/* Fails where it has ended already: then its clock reads -ESRCH. */
	if (pthread_getcpuclockid(thread.handle, &thread.clock))
		thread.clock = -1;
	*ret = thread;
	return 0;
}

void os_signals_get(struct os_signals *ret)
{
	pthread_sigmask(SIG_SETMASK, NULL, &ret->blocked);
}

int os_thread_join(struct os_thread *thread)
{
	return -pthread_join(thread->handle, NULL);
}

void os_thread_self(struct os_thread *ret)
{
	ret->handle = pthread_self();
	if (pthread_getcpuclockid(ret->handle, &ret->clock))
		ret->clock = -1;
}

pid_t os_thread_self_tid(void)
{
	return (pid_t)syscall(SYS_gettid);
}

uintptr_t os_thread_mark(void)
{
	static __thread char mark;

	return (uintptr_t)&mark;
}

static uint64_t to_ns(const struct timespec *time)
{
	return (uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_nsec;
}

int os_thread_clock_ns(const struct os_thread *thread, uint64_t *ret_ns)
{
	struct timespec now;

	if (thread->clock == -1 || clock_gettime(thread->clock, &now))
		return -ESRCH;
	*ret_ns = to_ns(&now);
	return 0;
}

uint64_t os_thread_cpu_ns(void)
{
	struct timespec now = {0};

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return to_ns(&now);
}

int os_thread_bind(int os_cpu)
{
	struct os_affinity before = before_bind;
	struct os_affinity one;
	int err;

	err = os_affinity_one(os_cpu, &one);
	if (err)
		return err;
	if (!before.mask)
		err = os_affinity_get(&before);
	if (!err)
		err = os_affinity_set(&one);
	os_affinity_fini(&one);
	if (err && !before_bind.mask)
		os_affinity_fini(&before);
	before_bind = before;
	return err;
}

int os_thread_unbind(void)
{
	int err;

	if (!before_bind.mask)
		return 0;
	err = os_affinity_set(&before_bind);
	if (!err)
		os_affinity_fini(&before_bind);
	return err;
}

void os_thread_yield(void)
{
	sched_yield();
}

int os_exit_key_init(struct os_exit_key *ret, void (*destroy)(void *value))
{
	if (os_fault(OS_CALL_THREAD))
		return -EAGAIN;
	return -pthread_key_create(&ret->key, destroy);
}

void os_exit_key_fini(struct os_exit_key *key)
{
	pthread_key_delete(key->key);
}

int os_exit_key_set(struct os_exit_key *key, void *value)
{
	if (os_fault(OS_CALL_THREAD))
		return -ENOMEM;
	return -pthread_setspecific(key->key, value);
}

void *os_exit_key_get(const struct os_exit_key *key)
{
	return pthread_getspecific(key->key);
}

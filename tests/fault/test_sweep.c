/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every allocation and system call of the library may fail.
 *
 * The calls of a core program are counted in a clean run; then the k-th fails,
 * once or from there on, for every k.  Whatever fails must be told by an error
 * (or made do without), nothing may crash, hang or leak (the address sanitizer's
 * build looks), and a runtime that has started must stop with its ledger closed.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <mete/mete.h>

#include "harness/test.h"
#include "os/inject.h"

#ifndef METE_FAULTS

TEST(faults_are_not_built_in)
{
	SKIP("built without the fault injector (-Dchecks=true)");
}

#else

# define CPUS 2

/* Whether an error is one that may be told when memory, threads or limits are
 * refused. */
static void check_told(int error)
{
	if (error != -ENOMEM && error != -EAGAIN && error != -EPERM)
		CHECK_EQ(error, 0);
}

static struct mete_sem sem;
static struct mete_mutex mutex;
static struct mete_barrier barrier;
static mete_key key;
static int to_void;

static void *worker(void *arg)
{
	mete_key_set(key, arg);
	mete_mutex_lock(&mutex, METE_FOREVER);
	mete_task_yield();
	mete_mutex_unlock(&mutex);
	mete_sem_wait(&sem, 1);
	mete_task_sleep(100000);
	return arg;
}

static void *pair(void *arg)
{
	mete_barrier_wait(&barrier, METE_FOREVER);
	return arg;
}

static void spawn_and_join(mete_group group)
{
	static const unsigned first[] = {0};
	const struct mete_cpuset bound = {first, 1};
	struct mete_task_attr attr = METE_TASK_ATTR_INIT;
	mete_task tasks[6];
	unsigned made = 0;

	attr.name = "worker";
	attr.group = group;
	for (unsigned i = 0; i < 6; i++) {
		int error;

		attr.stack_bytes = i == 1 ? 256 * 1024 : 0;
		attr.affinity = i == 2 ? &bound : NULL;
		error = mete_task_create(&tasks[made], &attr, worker, &sem);
		check_told(error);
		made += !error;
	}
	for (unsigned i = 0; i < made; i++) {
		check_told(mete_task_set_affinity(tasks[i], i ? NULL : &bound));
		CHECK_EQ(mete_task_move(tasks[i], METE_ROOT), 0);
	}
	for (unsigned i = 0; i < made; i++)
		CHECK_EQ(mete_task_join(tasks[i], METE_FOREVER, NULL), 0);
}

/* Two that need each other: only if both could be made. */
static void meet(void)
{
	mete_task one;
	mete_task other;
	int error = mete_task_create(&one, NULL, pair, NULL);

	check_told(error);
	if (error)
		return;
	error = mete_task_create(&other, NULL, pair, NULL);
	check_told(error);
	if (error)
		mete_barrier_wait(&barrier, METE_FOREVER);
	else
		CHECK_EQ(mete_task_join(other, METE_FOREVER, NULL), 0);
	CHECK_EQ(mete_task_join(one, METE_FOREVER, NULL), 0);
}

static void *receive_all(void *arg)
{
	uint64_t sum = 0;
	uint64_t item;

	while (!mete_chan_recv(arg, &item, METE_FOREVER))
		sum += item;
	return (void *)(uintptr_t)sum;
}

/* Items through a channel that grows, or is refused to: what was sent arrives. */
static void stream(void)
{
	struct mete_chan chan;
	void *received;
	uint64_t sum = 0;
	mete_task task;
	int error = mete_chan_init(&chan, sizeof(uint64_t), 5);

	check_told(error);
	if (!error)
		CHECK_EQ(mete_chan_fini(&chan), 0);
	CHECK_EQ(mete_chan_init(&chan, sizeof(uint64_t), METE_CHAN_UNBOUNDED),
		 0);
	for (uint64_t i = 1; i < 1200; i++) {
		error = mete_chan_send(&chan, &i, METE_FOREVER);
		check_told(error);
		sum += error ? 0 : i;
	}
	CHECK_EQ(mete_chan_close(&chan), 0);
	error = mete_task_create(&task, NULL, receive_all, &chan);
	check_told(error);
	if (!error) {
		CHECK_EQ(mete_task_join(task, METE_FOREVER, &received), 0);
		CHECK_EQ((uintptr_t)received, sum);
	}
	CHECK_EQ(mete_chan_fini(&chan), 0);
}

/* A byte through a pipe: the set of descriptors is made, or is refused.  Where
 * every look fails from some time on, only the deadline ends the wait. */
static void *wait_for_byte(void *arg)
{
	struct timespec now;
	uint64_t deadline;
	int error;

	clock_gettime(CLOCK_MONOTONIC, &now);
	deadline = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec +
		   20000000;
	error = mete_fd_wait(*(int *)arg, METE_READ, deadline);
	if (error != -EMFILE && error != -ENFILE && error != -ETIMEDOUT)
		check_told(error);
	return NULL;
}

static void wait_for_world(void)
{
	mete_task task;
	int error;
	int fds[2];

	CHECK_EQ(pipe(fds), 0);
	error = mete_task_create(&task, NULL, wait_for_byte, &fds[0]);
	check_told(error);
	mete_task_yield();
	CHECK_EQ(write(fds[1], "x", 1), 1);
	if (!error)
		CHECK_EQ(mete_task_join(task, METE_FOREVER, NULL), 0);
	close(fds[0]);
	close(fds[1]);
}

static void read_books(void)
{
	struct mete_snapshot *snapshot;
	struct mete_ledger ledger;
	int error = mete_snapshot(&snapshot);

	check_told(error);
	if (!error)
		mete_snapshot_free(snapshot);
	check_told(mete_ledger(&ledger, sizeof(ledger)));
	error = mete_dump(to_void);
	if (error != -EIO)
		CHECK_EQ(error, 0);
}

static void core_program(void)
{
	struct mete_options options = METE_OPTIONS_INIT;
	mete_group group = METE_ROOT;
	mete_group leaf;
	int error;

	options.cpus = CPUS;
	options.flags = METE_REPORT_OVERFLOW;
	error = mete_start(&options);
	check_told(error);
	if (error)
		return;
	mete_sem_init(&sem, 2);
	mete_mutex_init(&mutex);
	mete_barrier_init(&barrier, 2);
	CHECK_EQ(mete_key_create(&key, NULL), 0);
	check_told(mete_group_create(&group, METE_ROOT, "tenant", NULL));
	error = mete_group_create(&leaf, group, "leaf", NULL);
	check_told(error);
	spawn_and_join(error ? group : leaf);
	meet();
	stream();
	wait_for_world();
	if (!error)
		CHECK_EQ(mete_group_destroy(leaf), 0);
	read_books();
	CHECK_EQ(mete_key_delete(key), 0);
	CHECK_EQ(mete_stop(), 0);
}

/* Gives how many calls a run without faults makes. */
static uint64_t sweep(bool for_ever)
{
	uint64_t calls = UINT64_MAX;

	to_void = open("/dev/null", O_WRONLY | O_CLOEXEC);
	CHECK_GE(to_void, 0);
	/* What is found out once a process, and then the run to repeat; idle
	 * CPUs look for descriptors more or less often. */
	core_program();
	for (int i = 0; i < 10; i++) {
		os_fault_arm(OS_CALL_ANY, 0, false);
		core_program();
		if (calls > os_fault_count(OS_CALL_ANY))
			calls = os_fault_count(OS_CALL_ANY);
	}
	for (uint64_t k = 1; k <= calls; k++) {
		os_fault_arm(OS_CALL_ANY, k, for_ever);
		core_program();
		/* A run may make a call or two less than the one counted. */
		CHECK(os_fault_count(OS_CALL_ANY) >= k || k > calls - 8);
	}
	os_fault_arm(OS_CALL_ANY, 0, false);
	CHECK_GT(calls, 20);
	printf("# %llu calls, each refused %s\n", (unsigned long long)calls,
	       for_ever ? "from there on" : "once");
	fflush(stdout);
	return calls;
}

TEST_WITHIN(each_call_fails_once, 60)
{
	sweep(false);
}

TEST_WITHIN(each_call_fails_and_all_after_it, 60)
{
	sweep(true);
}

TEST(a_clean_run_follows_a_broken_one)
{
	to_void = open("/dev/null", O_WRONLY | O_CLOEXEC);
	os_fault_arm(OS_CALL_ALLOC, 3, true);
	core_program();
	os_fault_arm(OS_CALL_ANY, 0, false);
	core_program();
	CHECK(os_fault_count(OS_CALL_ANY) > 0);
}

#endif

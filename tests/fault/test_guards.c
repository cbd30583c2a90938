/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the kernel does not grant light guards, tasks have guards that cost
 * maps; beyond their number a canary.  Never neither, and the program goes on.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "os/inject.h"
#include "sched/sched.h"
#include "unit/sched/running.h"

#ifndef METE_FAULTS

TEST(faults_are_not_built_in)
{
	SKIP("built without the fault injector (-Dchecks=true)");
}

#else

/* More than there are guards under the usual limit of 65,530 maps. */
# define MANY 27000

static struct mete_sem gate;
static atomic_int kinds[OS_GUARD_LIGHT + 1];
static atomic_int uncovered;

static void *block_once(void *arg)
{
	const struct task *task = sched_current();
	bool canary = task->flags & TASK_CANARY;

	kinds[task->stack.guard]++;
	uncovered += canary != (task->stack.guard == OS_GUARD_NONE);
	CHECK_EQ(mete_sem_wait(&gate, METE_FOREVER), 0);
	return arg;
}

static int all(void)
{
	return kinds[OS_GUARD_NONE] + kinds[OS_GUARD_PROTECT] +
	       kinds[OS_GUARD_LIGHT];
}

TEST_WITHIN(beyond_the_maps_a_canary, 60)
{
	mete_task *tasks = calloc(MANY, sizeof(*tasks));

	CHECK(tasks);
	if (TEST_TSAN)
		SKIP("thread sanitizer knows some 8,000 stacks");
	os_fault_arm(OS_CALL_GUARD, 1, true);
	start_cpus(2);
	mete_sem_init(&gate, 0);
	for (int i = 0; i < MANY; i++)
		tasks[i] = spawn(block_once, &tasks[i]);
	for (uint64_t end = soon() + 20000 * MS; all() < MANY; usleep(1000))
		CHECK_LT(now_ns(), end);
	NOTE("%d with a guard, %d with a canary", kinds[OS_GUARD_PROTECT],
	     kinds[OS_GUARD_NONE]);
	CHECK_EQ(uncovered, 0);
	CHECK_EQ(kinds[OS_GUARD_LIGHT], 0);
	CHECK_GE(kinds[OS_GUARD_PROTECT], 20000);
	/* The rest of the process can still map. */
	for (int i = 0; i < 5000; i++)
		CHECK(mmap(NULL, 4096, i % 2 ? PROT_READ : PROT_NONE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
	CHECK_EQ(mete_sem_post(&gate, MANY), 0);
	for (int i = 0; i < MANY; i++)
		CHECK(join(tasks[i]) == &tasks[i]);
	stop();
	free(tasks);
}

/* Over its end by a little, as frames would. */
static void *overflow(void *arg)
{
	volatile char *base = sched_current()->stack.base;

	CHECK_EQ(sched_current()->stack.guard, OS_GUARD_NONE);
	for (int i = 64; i > -64; i--)
		base[i] = 1;
	mete_task_yield();
	mete_task_sleep(MS);
	return arg;
}

static void run(void *arg)
{
	struct mete_task_attr attr = METE_TASK_ATTR_INIT;
	struct rlimit no_core = {0, 0};
	bool light = os_stack_guard_kind() == OS_GUARD_LIGHT;
	mete_task task;

	setrlimit(RLIMIT_CORE, &no_core);
	/* The first stack of the slab is granted one. */
	os_fault_arm(light ? OS_CALL_GUARD : OS_CALL_PROTECT, 2, true);
	start_cpus(1);
	mete_sem_init(&gate, 0);
	spawn(block_once, arg);
	attr.name = "glutton";
	CHECK_EQ(mete_task_create(&task, &attr, overflow, NULL), 0);
	join(task);
	_exit(3);
}

TEST(an_overflow_without_a_guard_is_told)
{
	struct test_outcome outcome;

	test_in_child(run, NULL, &outcome);
	CHECK_HAS(outcome.output, "mete: stack overflow in task ");
	CHECK_HAS(outcome.output, "\"glutton\"");
	CHECK_HAS(outcome.output, "65536 bytes");
	CHECK(WIFSIGNALED(outcome.status));
	CHECK_EQ(WTERMSIG(outcome.status), SIGABRT);
}

#endif

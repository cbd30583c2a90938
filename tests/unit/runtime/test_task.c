/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The public face of tasks: arguments, times, calls from where they don't
 * belong.  (What they do is tested in sched/.)
 */
#include <pthread.h>

#include "os/inject.h"
#include "unit/sched/running.h"

static atomic_int ran;

static void *nothing(void *arg)
{
	ran++;
	return arg;
}

TEST(calls_without_a_runtime)
{
	mete_task task = {5};
	char name[8] = "as is";
	uint64_t begin;

	for (int i = 0; i < 2; i++) {
		CHECK_EQ(mete_task_create(&task, NULL, nothing, NULL), -ENOSYS);
		CHECK_EQ(mete_task_join(task, METE_FOREVER, NULL), -ENOSYS);
		CHECK_EQ(mete_task_wait(task, METE_FOREVER), -ENOSYS);
		CHECK_EQ(mete_task_detach(task), -ENOSYS);
		CHECK_EQ(mete_task_move(task, METE_ROOT), -ENOSYS);
		CHECK_EQ(mete_task_set_affinity(task, NULL), -ENOSYS);
		CHECK_EQ(mete_task_name(task, name, sizeof(name)), -ESRCH);
		CHECK_EQ(mete_task_self().id, 0);
		CHECK_EQ(mete_task_yield(), 0);
		mete_checkpoint();
		begin = now_ns();
		CHECK_EQ(mete_task_sleep(2 * MS), 0);
		CHECK_GE(now_ns() - begin, 2 * MS);
		CHECK_EQ(task.id, 5);
		CHECK_STR(name, "as is");
		if (!i) {
			start_cpus(1);
			stop();
		}
	}
}

TEST(attributes)
{
	static const size_t wrong[] = {1, 4095, (1u << 30) + 1, SIZE_MAX};
	struct mete_task_attr attr = METE_TASK_ATTR_INIT;
	mete_task task = {5};

	start_cpus(1);
	CHECK_EQ(mete_task_create(&task, NULL, NULL, NULL), -EINVAL);
	CHECK_EQ(mete_task_create(NULL, NULL, nothing, NULL), -EINVAL);
	CHECK_EQ(mete_task_create(NULL, &attr, nothing, NULL), -EINVAL);
	for (int i = 0; i < 4; i++) {
		attr.stack_bytes = wrong[i];
		CHECK_EQ(mete_task_create(&task, &attr, nothing, NULL),
			 -EINVAL);
	}
	attr.stack_bytes = 0;
	attr.size = 0;
	CHECK_EQ(mete_task_create(&task, &attr, nothing, NULL), -EINVAL);
	attr.size = sizeof(attr.size) - 1;
	CHECK_EQ(mete_task_create(&task, &attr, nothing, NULL), -EINVAL);
	CHECK_EQ(task.id, 5);
	CHECK_EQ(ran, 0);
	/* An older caller's attributes end before the wrong ones. */
	attr.size = offsetof(struct mete_task_attr, stack_bytes);
	attr.stack_bytes = 1;
	CHECK_EQ(mete_task_create(&task, &attr, nothing, NULL), 0);
	join(task);
	attr.size = sizeof(attr);
	/* Address sanitizer's frames do not fit into the smallest. */
	attr.stack_bytes = TEST_ASAN ? 16384 : 4096;
	CHECK_EQ(mete_task_create(&task, &attr, nothing, NULL), 0);
	join(task);
	attr.stack_bytes = 1u << 30;
	CHECK_EQ(mete_task_create(&task, &attr, nothing, NULL), 0);
	join(task);
	attr.stack_bytes = 0;
	attr.detached = true;
	CHECK_EQ(mete_task_create(NULL, &attr, nothing, NULL), 0);
	stop();
	CHECK_EQ(ran, 4);
}

static void *sleeping(void *arg)
{
	uint64_t begin = now_ns();

	CHECK_EQ(mete_task_sleep(0), 0);
	CHECK_EQ(mete_task_sleep(1), 0);
	CHECK_EQ(mete_task_sleep_until(0), 0);
	CHECK_EQ(mete_task_sleep_until(begin), 0);
	CHECK_EQ(mete_task_sleep_until(METE_FOREVER), -EINVAL);
	CHECK_LT(now_ns() - begin, 5000 * MS * test_slow());
	for (uint64_t ns = 100; ns <= 10 * MS; ns *= 10) {
		begin = now_ns();
		CHECK_EQ(mete_task_sleep(ns), 0);
		CHECK_GE(now_ns() - begin, ns);
		begin = now_ns();
		CHECK_EQ(mete_task_sleep_until(begin + ns), 0);
		CHECK_GE(now_ns(), begin + ns);
	}
	return arg;
}

TEST(sleeps_last_at_least_as_long)
{
	start_cpus(1);
	sleeping(NULL);
	join(spawn(sleeping, NULL));
	stop();
}

static atomic_int asleep;

static void *sleep_for_ever(void *arg)
{
	asleep++;
	mete_task_sleep(arg ? METE_FOREVER : METE_FOREVER - 5);
	FAIL("it woke");
}

/* No overflow: ages from now is not yesterday. */
static void sleep_and_leave(void *arg)
{
	start_cpus(1);
	spawn(sleep_for_ever, NULL);
	spawn(sleep_for_ever, arg);
	for (uint64_t end = soon(); asleep < 2;)
		CHECK_LT(now_ns(), end);
	usleep(20000);
}

TEST(sleeping_for_ages)
{
	struct test_outcome outcome;

	test_in_child(sleep_and_leave, &outcome, &outcome);
	CHECK_EQ(outcome.status, 0);
}

static void *self_of(void *arg)
{
	*(mete_task *)arg = mete_task_self();
	mete_checkpoint();
	return NULL;
}

TEST(self)
{
	mete_task self = {0};
	mete_task task;

	start_cpus(1);
	CHECK_EQ(mete_task_self().id, 0);
	task = spawn(self_of, &self);
	join(task);
	CHECK_EQ(self.id, task.id);
	CHECK_EQ(mete_task_yield(), 0);
	mete_checkpoint();
	stop();
}

static void exit_outside(void *arg)
{
	(void)arg;
	mete_task_exit(NULL);
}

TEST(exit_outside_of_tasks_aborts)
{
	struct test_outcome outcome;

	test_in_child(exit_outside, NULL, &outcome);
	CHECK(WIFSIGNALED(outcome.status));
	CHECK_EQ(WTERMSIG(outcome.status), SIGABRT);
	CHECK_HAS(outcome.output, "sched_current()");
}

static void count_cleanup(void *count)
{
	++*(int *)count;
}

static void *push_and_pop(void *arg)
{
	struct mete_cleanup outer;
	struct mete_cleanup inner;

	mete_cleanup_push(&outer, count_cleanup, arg);
	mete_cleanup_push(&inner, count_cleanup, arg);
	mete_cleanup_pop(&inner, false);
	CHECK_EQ(*(int *)arg, 0);
	mete_cleanup_pop(&outer, true);
	CHECK_EQ(*(int *)arg, 1);
	return NULL;
}

/* Taken back, a handler runs if one wants it to, and not at the end. */
TEST(handlers_are_taken_back)
{
	int count = 0;

	start_cpus(1);
	join(spawn(push_and_pop, &count));
	CHECK_EQ(count, 1);
	stop();
}

#ifdef METE_FAULTS
static void *set_a_value(void *arg)
{
	mete_key key;
	int error;

	CHECK_EQ(mete_key_create(&key, NULL), 0);
	os_fault_arm(OS_CALL_ALLOC, 1, false);
	error = mete_key_set(key, arg);
	os_fault_arm(OS_CALL_ALLOC, 0, false);
	CHECK_EQ(error, -ENOMEM);
	CHECK(mete_key_get(key) == NULL);
	CHECK_EQ(mete_key_set(key, arg), 0);
	CHECK_EQ(mete_key_delete(key), 0);
	return NULL;
}

/* Whatever a creation needs is refused in turn: -ENOMEM, and nothing is
 * left of it. */
TEST(memory_refused)
{
	static const enum os_call kinds[] = {OS_CALL_ALLOC, OS_CALL_MAP};
	struct mete_task_attr attr = METE_TASK_ATTR_INIT;
	unsigned cpu = 0;
	struct mete_cpuset set = {&cpu, 1};
	mete_group untouched = {5};
	int refused = 0;

	for (int kind = 0; kind < 2; kind++) {
		for (uint64_t k = 1;; k++) {
			mete_task task = {5};
			int error;

			start_cpus(1);
			attr.affinity = &set;
			attr.stack_bytes = 200000;
			os_fault_arm(kinds[kind], k, false);
			error = mete_task_create(&task, &attr, nothing, NULL);
			os_fault_arm(kinds[kind], 0, false);
			CHECK(!error || error == -ENOMEM);
			if (error)
				CHECK_EQ(task.id, 5);
			else
				join(task);
			/* The next finds all in order. */
			CHECK_EQ(mete_task_create(&task, &attr, nothing, NULL),
				 0);
			join(task);
			CHECK_EQ(group_usage(METE_ROOT, 0).tasks, 2 - !!error);
			stop();
			refused += !!error;
			if (!error)
				break;
		}
	}
	CHECK_GE(refused, 3);
	start_cpus(1);
	os_fault_arm(OS_CALL_ALLOC, 1, false);
	CHECK_EQ(mete_group_create(&untouched, METE_ROOT, "g", NULL), -ENOMEM);
	os_fault_arm(OS_CALL_ALLOC, 0, false);
	CHECK_EQ(untouched.id, 5);
	CHECK_EQ(mete_group_create(&untouched, METE_ROOT, "g", NULL), 0);
	join(spawn(set_a_value, &cpu));
	stop();
}
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Floating-point control words of a task's own, and canaries.
 */
#include <stdio.h>
#include <stdlib.h>

#include "sched/special.h"
#include "unit/sched/rounding.h"
#include "unit/sched/running.h"

static const int modes[] = {ROUND_UP, ROUND_DOWN, ROUND_TO_ZERO, ROUND_NEAREST};

static void check_mode(int mode)
{
	CHECK_EQ(rounding_get(), mode);
}

static void *keeps_its_mode(void *arg)
{
	int mode = *(const int *)arg;

	check_mode(ROUND_NEAREST);
	rounding_set(mode);
	for (int i = 0; i < 200; i++) {
		mete_task_yield();
		check_mode(mode);
		if (i % 20 == 0)
			mete_task_sleep(MS / 20);
		check_mode(mode);
	}
	return NULL;
}

static void *has_the_common_mode(void *arg)
{
	for (int i = 0; i < 400; i++) {
		check_mode(ROUND_NEAREST);
		mete_task_yield();
		if (i % 20 == 0)
			mete_task_sleep(MS / 20);
	}
	return arg;
}

TEST(each_keeps_its_own_words)
{
	struct mete_task_attr attr = METE_TASK_ATTR_INIT;
	mete_task own[8];
	mete_task common[4];

	start_cpus(2);
	attr.fp_control = true;
	for (int i = 0; i < 8; i++) {
		CHECK_EQ(mete_task_create(&own[i], &attr, keeps_its_mode,
					  (void *)(uintptr_t)&modes[i % 4]),
			 0);
		if (i % 2)
			common[i / 2] = spawn(has_the_common_mode, NULL);
	}
	for (int i = 0; i < 8; i++)
		join(own[i]);
	for (int i = 0; i < 4; i++)
		join(common[i]);
	/* Those who came after its end are not in its mode. */
	join(spawn(has_the_common_mode, NULL));
	stop();
}

static void *inherits(void *arg)
{
	check_mode(ROUND_UP);
	return arg;
}

TEST(the_words_are_the_creators_at_first)
{
	struct mete_task_attr attr = METE_TASK_ATTR_INIT;
	mete_task task;

	start_cpus(1);
	attr.fp_control = true;
	rounding_set(ROUND_UP);
	CHECK_EQ(mete_task_create(&task, &attr, inherits, NULL), 0);
	rounding_set(ROUND_NEAREST);
	join(task);
	stop();
}

static void overflow_a_canary(void *arg)
{
	static uint64_t stack[512];
	struct task task = {.flags = TASK_CANARY};

	task.stack.base = stack;
	task.stack.bytes = sizeof(stack);
	task_name_set(&task, "greedy");
	special_prepare(&task);
	special_enter(&task);
	stack[1] = 7;
	stack[511] = 7;
	special_leave(&task);
	printf("in bounds\n");
	fflush(stdout);
	stack[0] = 7;
	special_leave(&task);
	printf("not noticed%s\n", (const char *)arg);
}

TEST(an_overflowed_canary_stops_the_process)
{
	struct test_outcome outcome;

	test_in_child(overflow_a_canary, "", &outcome);
	CHECK_HAS(outcome.output, "in bounds\n");
	CHECK_HAS(outcome.output, "stack overflow in task 1 \"greedy\": its "
				  "stack has 4096 bytes");
	CHECK_HAS(outcome.output, "broken law");
	CHECK(WIFSIGNALED(outcome.status));
	CHECK_EQ(WTERMSIG(outcome.status), SIGABRT);
}

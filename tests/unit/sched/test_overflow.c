/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who has overflowed his stack: told for addresses just below it, for nothing
 * else, with name and size.  (tests/stress runs real overflows.)
 */
#include <stdio.h>
#include <stdlib.h>

#include "sched/sched.h"
#include "unit/sched/running.h"

static void *ask(void *arg)
{
	struct task *task = sched_current();
	char *base = task->stack.base;
	bool known = overflow_report(base + *(long *)arg, SIGSEGV);

	printf("%s\n", known ? "known" : "unknown");
	fflush(stdout);
	return NULL;
}

static void ask_at(void *arg)
{
	struct mete_task_attr attr = METE_TASK_ATTR_INIT;
	mete_task task;

	start_cpus(1);
	attr.name = "the culprit";
	attr.stack_bytes = 128 * 1024;
	CHECK_EQ(mete_task_create(&task, &attr, ask, arg), 0);
	join(task);
}

static const char *said_at(long offset)
{
	static struct test_outcome outcome;

	test_in_child(ask_at, &offset, &outcome);
	CHECK_EQ(outcome.status, 0);
	return outcome.output;
}

TEST(just_below_the_stack)
{
	static const long offsets[] = {-1, -8, -4096, -40960, -65536};

	for (int i = 0; i < 5; i++) {
		const char *said = said_at(offsets[i]);

		CHECK_HAS(said, "stack overflow in task ");
		CHECK_HAS(said, "\"the culprit\"");
		CHECK_HAS(said, "131072 bytes");
		CHECK_HAS(said, "known");
	}
}

TEST(elsewhere)
{
	static const long offsets[] = {0,      100,    131071,
				       131072, -65537, -1000000};

	for (int i = 0; i < 6; i++)
		CHECK_STR(said_at(offsets[i]), "unknown\n");
}

TEST(outside_of_tasks)
{
	int here;

	CHECK(!overflow_report(&here, SIGSEGV));
	CHECK(!overflow_report(NULL, SIGBUS));
	start_cpus(1);
	CHECK(!overflow_report(&here, SIGSEGV));
	stop();
}

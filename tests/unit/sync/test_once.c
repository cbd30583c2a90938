/* SPDX-License-Identifier: Apache-2.0 */
/* Once: one call, and nobody goes on before it has returned. */
#include "unit/sched/running.h"

static struct mete_once once;
static atomic_int calls, done, callers;

static void call(void *arg)
{
	CHECK(arg == &once);
	calls++;
	for (int i = 0; i < 20; i++)
		mete_task_yield();
	done = 1;
}

static void *try_it(void *arg)
{
	callers += mete_once_call(&once, call, &once);
	CHECK_EQ(done, 1);
	CHECK_EQ(mete_once_call(&once, call, NULL), 0);
	return arg;
}

TEST(one_call)
{
	for (uint64_t round = 0; round < test_rounds(50); round++) {
		mete_once_init(&once);
		calls = done = callers = 0;
		start_cpus(2);
		run_beside(6, try_it);
		CHECK_EQ(calls, 1);
		CHECK_EQ(callers, 1);
		stop();
	}
}

static void plain(void *arg)
{
	++*(int *)arg;
}

TEST(without_a_runtime)
{
	struct mete_once own = METE_ONCE_INIT;
	int count = 0;

	CHECK_EQ(mete_once_call(&own, plain, &count), 1);
	CHECK_EQ(mete_once_call(&own, plain, &count), 0);
	CHECK_EQ(count, 1);
}

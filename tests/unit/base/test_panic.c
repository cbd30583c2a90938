/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A broken law ends the process by abort, says which law and where, and only
 * where it is broken; slow checks are made in builds with checks alone.
 */
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/base.h"
#include "harness/test.h"

static int evaluated;

static int count_and_give(int value)
{
	evaluated++;
	return value;
}

static void break_law(void *unused)
{
	struct rlimit none = {0, 0};

	(void)unused;
	setrlimit(RLIMIT_CORE, &none);
	BUG_ON(count_and_give(7) == 7);
}

TEST(a_broken_law_aborts_and_says_which)
{
	struct test_outcome outcome;

	test_in_child(break_law, NULL, &outcome);
	CHECK(WIFSIGNALED(outcome.status));
	CHECK_EQ(WTERMSIG(outcome.status), SIGABRT);
	CHECK_HAS(outcome.output, "mete: ");
	CHECK_HAS(outcome.output, "test_panic.c:");
	CHECK_HAS(outcome.output, "broken law: count_and_give(7) == 7\n");
}

TEST(a_law_that_holds_costs_one_look)
{
	evaluated = 0;
	BUG_ON(count_and_give(0));
	CHECK_EQ(evaluated, 1);
}

static void fail_debug(void *unused)
{
	struct rlimit none = {0, 0};

	(void)unused;
	setrlimit(RLIMIT_CORE, &none);
	DEBUG_CHECK(count_and_give(1) == 2);
}

TEST(slow_checks_are_for_builds_with_checks)
{
	struct test_outcome outcome;

	test_in_child(fail_debug, NULL, &outcome);
#ifdef METE_CHECKS
	CHECK(WIFSIGNALED(outcome.status));
	CHECK_HAS(outcome.output, "broken law: !(count_and_give(1) == 2)");
#else
	CHECK_EQ(outcome.status, 0);
	CHECK_STR(outcome.output, "");
#endif
}

struct outer {
	int before;
	short inner;
};

TEST(containers_are_found)
{
	struct outer outer = {1, 2};
	short *inner = &outer.inner;

	CHECK(container_of(inner, struct outer, inner) == &outer);
}

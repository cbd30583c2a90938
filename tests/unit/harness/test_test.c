/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The harness on itself: what must fail does, in each of the ways there are.
 * The planted cases are registered only where this program runs itself.
 */
#include "harness/test.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PLANT_VARIABLE "METE_TEST_PLANTED"

static void fails_eq(void)
{
	CHECK_EQ(2 + 2, 5);
}

static void fails_str(void)
{
	CHECK_STR("a", "b");
}

static void fails_has(void)
{
	CHECK_HAS("some text", "other");
}

static void fails_condition(void)
{
	CHECK(1 > 2);
}

static void is_killed(void)
{
	kill(getpid(), SIGTERM);
}

static void hangs(void)
{
	kill(getpid(), SIGSTOP);
}

static void exits(void)
{
	_exit(9);
}

static void checks_nothing(void)
{
}

static void skips(void)
{
	SKIP("for %d reason", 1);
}

static struct test_case planted[] = {
	{"fails_eq", fails_eq, 5, NULL},
	{"fails_str", fails_str, 5, NULL},
	{"fails_has", fails_has, 5, NULL},
	{"fails_condition", fails_condition, 5, NULL},
	{"is_killed", is_killed, 5, NULL},
	{"hangs", hangs, 1, NULL},
	{"exits", exits, 5, NULL},
	{"checks_nothing", checks_nothing, 5, NULL},
	{"skips", skips, 5, NULL},
};

__attribute__((constructor)) static void plant(void)
{
	if (!getenv(PLANT_VARIABLE))
		return;
	for (size_t i = 0; i < sizeof(planted) / sizeof(*planted); i++)
		test_register(&planted[i]);
}

static void exec_self(void *name)
{
	setenv(PLANT_VARIABLE, "1", 1);
	execl("/proc/self/exe", "self", (char *)name, (char *)NULL);
	_exit(126);
}

static void run_planted(const char *name, struct test_outcome *ret_outcome)
{
	char copy[64];

	snprintf(copy, sizeof(copy), "%s", name);
	test_in_child(exec_self, copy, ret_outcome);
}

static void check_planted(const char *name, int status, const char *says)
{
	struct test_outcome outcome;

	run_planted(name, &outcome);
	CHECK_HAS(outcome.output, says);
	CHECK(WIFEXITED(outcome.status));
	CHECK_EQ(WEXITSTATUS(outcome.status), status);
}

TEST(failed_checks_are_told_with_place_and_values)
{
	check_planted("fails_eq", 1, "not ok 1 - fails_eq");
	check_planted("fails_eq", 1, "test_test.c:");
	check_planted("fails_eq", 1, "2 + 2 == 5: 4 (0x4) and 5 (0x5)");
	check_planted("fails_str", 1, "is \"a\", expected \"b\"");
	check_planted("fails_has", 1, "without \"other\"");
	check_planted("fails_condition", 1, "1 > 2");
}

TEST(signals_limits_and_statuses_fail)
{
	check_planted("is_killed", 1, "killed by signal 15");
	check_planted("hangs", 1, "not done after");
	check_planted("exits", 1, "exit status 9");
	check_planted("checks_nothing", 1, "made no check");
}

TEST(skips_are_told)
{
	check_planted("skips", 0, "ok 1 - skips # SKIP for 1 reason");
}

TEST(unknown_cases_are_refused)
{
	check_planted("no_such_case", 2, "no such case");
}

static void talk(void *arg)
{
	(void)arg;
	for (int i = 0; i < 1000; i++)
		puts("much is said here");
}

TEST(output_of_a_child_is_cut)
{
	struct test_outcome outcome;

	test_in_child(talk, NULL, &outcome);
	CHECK_EQ(strlen(outcome.output), sizeof(outcome.output) - 1);
	CHECK_EQ(outcome.status, 0);
}

TEST(random_numbers_repeat)
{
	uint64_t a = test_seed();
	uint64_t b = test_seed();

	CHECK_EQ(test_random(&a), test_random(&b));
	CHECK_EQ(a, b);
	CHECK_NE(test_random(&a), test_random(&a));
}

TEST(rounds_never_vanish)
{
	CHECK_EQ(test_rounds(1), 1);
	CHECK_EQ(test_rounds(1000), 1000 / test_slow());
}

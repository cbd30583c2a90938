/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stack that overflows, by one page and by ten: the process dies of the
 * signal, after the task's name was told where that was asked for.
 */
#include <stdlib.h>
#include <sys/resource.h>

#include "unit/sched/running.h"

struct overflow {
	size_t stack_bytes;
	size_t beyond;
	unsigned flags;
	bool pooled; /* the runtime's default size */
};

/* Touch the byte so far below the end of the stack. */
static void *reach_down(void *arg)
{
	const struct overflow *overflow = arg;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t bytes = overflow->stack_bytes + overflow->beyond;
	volatile char *frame = __builtin_alloca(bytes);

	/* From the top, as nested frames would, but for the leap over what
	 * lies between. */
	for (size_t i = 1; i <= overflow->stack_bytes / page / 2; i++)
		frame[bytes - i * page] = 1;
	frame[0] = 1;
	return NULL;
}

static void run(void *arg)
{
	const struct overflow *overflow = arg;
	struct mete_options options = METE_OPTIONS_INIT;
	struct mete_task_attr attr = METE_TASK_ATTR_INIT;
	struct rlimit no_core = {0, 0};
	mete_task task;

	setrlimit(RLIMIT_CORE, &no_core);
	options.cpus = 1;
	options.flags = METE_IGNORE_ENV | overflow->flags;
	if (overflow->pooled)
		options.stack_bytes = overflow->stack_bytes;
	CHECK_EQ(mete_start(&options), 0);
	attr.name = "glutton";
	if (!overflow->pooled)
		attr.stack_bytes = overflow->stack_bytes;
	CHECK_EQ(mete_task_create(&task, &attr, reach_down, arg), 0);
	join(task);
	_exit(3);
}

static const char *die_of(struct overflow *overflow)
{
	static struct test_outcome outcome;

	test_in_child(run, overflow, &outcome);
	CHECK(WIFSIGNALED(outcome.status));
	CHECK(WTERMSIG(outcome.status) == SIGSEGV ||
	      WTERMSIG(outcome.status) == SIGBUS);
	return outcome.output;
}

static void skip_where_others_report(void)
{
	const char *build = getenv("METE_TEST_BUILD");

	if (TEST_ASAN || TEST_TSAN || TEST_MSAN ||
	    (build && !strcmp(build, "valgrind")))
		SKIP("the sanitizers have handlers of their own");
}

TEST(by_one_page_and_by_ten)
{
	static const size_t beyond[] = {4096, 10 * 4096};

	skip_where_others_report();
	for (int pooled = 0; pooled < 2; pooled++) {
		for (int i = 0; i < 2; i++) {
			struct overflow overflow = {
				.stack_bytes = 128 * 1024,
				.beyond = beyond[i],
				.flags = METE_REPORT_OVERFLOW,
				.pooled = pooled,
			};
			const char *said = die_of(&overflow);

			CHECK_HAS(said, "stack overflow in task ");
			CHECK_HAS(said, "\"glutton\"");
			CHECK_HAS(said, "131072 bytes");
		}
	}
}

TEST(silent_where_it_was_not_asked_for)
{
	struct overflow overflow = {
		.stack_bytes = 128 * 1024,
		.beyond = 4096,
	};

	skip_where_others_report();
	CHECK_STR(die_of(&overflow), "");
}

static void *use_a_null_pointer(void *arg)
{
	volatile int *_Atomic nowhere = NULL;

	*nowhere = 1;
	return arg;
}

static void run_null(void *arg)
{
	struct mete_options options = METE_OPTIONS_INIT;
	struct rlimit no_core = {0, 0};

	(void)arg;
	setrlimit(RLIMIT_CORE, &no_core);
	options.cpus = 1;
	options.flags = METE_IGNORE_ENV | METE_REPORT_OVERFLOW;
	CHECK_EQ(mete_start(&options), 0);
	join(spawn(use_a_null_pointer, NULL));
	_exit(3);
}

TEST(another_fault_is_not_called_an_overflow)
{
	struct test_outcome outcome;

	skip_where_others_report();
	test_in_child(run_null, NULL, &outcome);
	CHECK(WIFSIGNALED(outcome.status));
	CHECK_EQ(WTERMSIG(outcome.status), SIGSEGV);
	CHECK_STR(outcome.output, "");
}

static volatile int recursion = 1;

static int recurse(int depth)
{
	volatile char frame[1000];

	frame[0] = (char)depth;
	if (!recursion)
		return depth;
	return recurse(depth + 1) + frame[0];
}

static void *recurse_for_ever(void *arg)
{
	recurse(0);
	return arg;
}

static void run_recursion(void *arg)
{
	struct mete_options options = METE_OPTIONS_INIT;
	struct mete_task_attr attr = METE_TASK_ATTR_INIT;
	struct rlimit no_core = {0, 0};
	mete_task task;

	(void)arg;
	setrlimit(RLIMIT_CORE, &no_core);
	options.cpus = 2;
	options.flags = METE_IGNORE_ENV | METE_REPORT_OVERFLOW;
	CHECK_EQ(mete_start(&options), 0);
	attr.name = "endless";
	CHECK_EQ(mete_task_create(&task, &attr, recurse_for_ever, NULL), 0);
	join(task);
	_exit(3);
}

TEST(endless_recursion)
{
	struct test_outcome outcome;

	skip_where_others_report();
	test_in_child(run_recursion, NULL, &outcome);
	CHECK(WIFSIGNALED(outcome.status));
	CHECK_EQ(WTERMSIG(outcome.status), SIGSEGV);
	CHECK_HAS(outcome.output, "\"endless\"");
}

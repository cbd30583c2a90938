/* SPDX-License-Identifier: Apache-2.0 */
/* lab/engine_threads_books.c: groups folded, at rest and on the way. */
#include "lab/engine_threads.h"
#include "unit/lab/run.h"

TEST(a_difference_of_what_is_unknown_is_unknown)
{
	CHECK_EQ(threads_minus(7, 3), 4);
	CHECK_EQ(threads_minus(3, 7), 0);
	CHECK(threads_minus(LAB_UNKNOWN, 3) == LAB_UNKNOWN);
	CHECK(threads_minus(3, LAB_UNKNOWN) == LAB_UNKNOWN);
}

TEST(subgroups_are_in_their_parents)
{
	const struct lab_usage *above, *below, *root;
	struct lab_result result;

	run_text("{\"tasks\": {"
		 "\"a\": {\"loop\": 1, \"taskgroup\": \"/a\", \"run\": 3000},"
		 "\"b\": {\"loop\": 1, \"taskgroup\": \"/a/b\","
		 " \"run\": 6000}}}",
		 &lab_engine_threads, &result);
	root = group_usage(&result, "/");
	above = group_usage(&result, "/a");
	below = group_usage(&result, "/a/b");
	CHECK_EQ(above->exec_ns, above->own_exec_ns + below->exec_ns);
	CHECK_EQ(root->exec_ns, above->exec_ns);
	CHECK_EQ(above->tasks, 2);
	CHECK_EQ(below->tasks, 1);
	CHECK_EQ(root->tasks, 2);
	lab_result_free(&result);
}

static uint64_t running_ns;
static unsigned looks;

static void look(const struct lab_interval *interval, void *arg)
{
	(void)arg;
	if (!interval->last) {
		running_ns += interval->used[1].exec_ns;
		looks++;
	}
}

/* A thread that has not booked since its start is seen all the same. */
TEST(a_thread_is_seen_while_it_runs)
{
	struct lab_program *program =
		program_of("{\"tasks\": {\"a\": {\"taskgroup\": \"/g\","
			   " \"run\": -1}}}");
	struct lab_run_options options = {
		.engine = &lab_engine_threads,
		.duration_us = 250000,
		.interval_ns = 100000000,
		.interval = look,
	};
	struct lab_result result;
	struct lab_error error;

	CHECK_EQ(lab_run(program, &options, &result, &error), 0);
	CHECK_GE(looks, 1);
	CHECK_GT(running_ns, 1000000);
	CHECK_LE(running_ns, group_usage(&result, "/g")->exec_ns);
	lab_result_free(&result);
	lab_program_free(program);
}

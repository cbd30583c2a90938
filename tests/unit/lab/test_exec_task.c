/* SPDX-License-Identifier: Apache-2.0 */
/* lab/exec_task.c: loops within loops, delays, phases. */
#include "unit/lab/run.h"

TEST(loops_multiply)
{
	struct lab_result result;
	double ratio;

	/* 4 x 2 x 3 x 1 ms beside 24 ms at once, in CPU time. */
	run_text("{\"tasks\": {\"a\": {\"loop\": 4, \"phases\": {"
		 "\"p\": {\"loop\": 3, \"run\": 1000},"
		 "\"q\": {\"loop\": 3, \"run\": 1000}}},"
		 "\"b\": {\"loop\": 1, \"run\": 24000}}}",
		 &lab_engine_threads, &result);
	ratio = (double)task_usage(&result, "a-0")->exec_ns /
		(double)task_usage(&result, "b-0")->exec_ns;
	CHECK(ratio > 0.75);
	CHECK(ratio < 1.33);
	lab_result_free(&result);
}

TEST(a_delay_comes_once)
{
	struct lab_result result;

	run_text("{\"tasks\": {\"a\": {\"loop\": 10, \"delay\": 50000,"
		 " \"run\": 10}}}",
		 &lab_engine_threads, &result);
	CHECK_GE(result.books->wall_ns, 50000000);
	CHECK_LT(result.books->wall_ns, 400000000);
	lab_result_free(&result);
}

TEST(a_group_is_kept_until_it_is_changed)
{
	struct lab_result result;

	run_text("{\"tasks\": {\"a\": {\"loop\": 1, \"phases\": {"
		 "\"p\": {\"taskgroup\": \"/p\", \"run\": 1000},"
		 "\"q\": {\"run\": 3000}}}}}",
		 &lab_engine_mete, &result);
	CHECK_GT(group_usage(&result, "/p")->exec_ns,
		 task_usage(&result, "a-0")->exec_ns / 2);
	lab_result_free(&result);
}

TEST(a_policy_that_is_not_served_is_told_once)
{
	struct lab_result result;

	run_text("{\"tasks\": {\"a\": {\"instance\": 3, \"loop\": 1,"
		 " \"policy\": \"SCHED_BATCH\", \"run\": 1},"
		 "\"b\": {\"loop\": 1, \"priority\": 5, \"run\": 1},"
		 "\"c\": {\"loop\": 1, \"policy\": \"SCHED_OTHER\","
		 " \"priority\": 0, \"run\": 1}}}",
		 &lab_engine_mete, &result);
	CHECK_HAS(result.warnings, "policy and priority do nothing on this "
				   "engine (4 times in all)\n");
	lab_result_free(&result);
	run_text("{\"tasks\": {\"a\": {\"loop\": 1,"
		 " \"policy\": \"SCHED_BATCH\", \"run\": 1}}}",
		 &lab_engine_threads, &result);
	CHECK(result.warnings == NULL);
	lab_result_free(&result);
}

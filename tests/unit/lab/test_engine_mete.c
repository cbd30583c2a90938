/* SPDX-License-Identifier: Apache-2.0 */
/* lab/engine_mete.c: tasks, groups and locks are Mete's. */
#include "lab/engine.h"
#include "unit/lab/run.h"

TEST(tasks_are_charged_to_their_group)
{
	struct lab_result result;

	run_text("{\"tasks\": {\"a\": {\"loop\": 1, \"run\": 2000,"
		 " \"taskgroup\": \"/x/y\"},"
		 "\"b\": {\"loop\": 1, \"run\": 100}}}",
		 &lab_engine_mete, &result);
	CHECK_GT(group_usage(&result, "/x/y")->own_exec_ns, 500000);
	CHECK_EQ(group_usage(&result, "/x/y")->tasks, 1);
	CHECK_EQ(group_usage(&result, "/x")->own_exec_ns, 0);
	CHECK_EQ(group_usage(&result, "/")->tasks, 2);
	CHECK(result.audit_closes);
	lab_result_free(&result);
}

TEST(a_task_moves_between_groups)
{
	struct lab_result result;

	run_text("{\"tasks\": {\"a\": {\"loop\": 2, \"phases\": {"
		 "\"p\": {\"taskgroup\": \"/p\", \"run\": 1000},"
		 "\"q\": {\"taskgroup\": \"/q\", \"run\": 1000}}}}}",
		 &lab_engine_mete, &result);
	CHECK_GT(group_usage(&result, "/p")->exec_ns, 500000);
	CHECK_GT(group_usage(&result, "/q")->exec_ns, 500000);
	CHECK_EQ(group_usage(&result, "/p")->own_exec_ns +
			 group_usage(&result, "/q")->own_exec_ns +
			 group_usage(&result, "/")->own_exec_ns,
		 task_usage(&result, "a-0")->exec_ns);
	lab_result_free(&result);
}

TEST(a_lock_is_held_by_one)
{
	struct lab_result result;
	uint64_t least_ns;

	/* Three times 20 ms asleep under one lock: 60 ms at least. */
	run_text("{\"tasks\": {\"a\": {\"instance\": 3, \"loop\": 1,"
		 " \"lock\": \"m\", \"sleep\": 20000, \"unlock\": \"m\"}}}",
		 &lab_engine_mete, &result);
	least_ns = result.books->wall_ns;
	CHECK_GE(least_ns, 60000000);
	lab_result_free(&result);
}

TEST(cpus_are_kept)
{
	struct lab_result result;

	run_text("{\"tasks\": {\"a\": {\"loop\": 20, \"cpus\": [0],"
		 " \"run\": 100, \"yield\": \"\", \"sleep\": 100}}}",
		 &lab_engine_mete, &result);
	CHECK_EQ(task_usage(&result, "a-0")->migrations, 0);
	lab_result_free(&result);
}

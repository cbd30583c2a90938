/* SPDX-License-Identifier: Apache-2.0 */
/* lab/engine_threads.c: the kernel's figures, unknown where it has none. */
#include "unit/lab/run.h"

TEST(life_is_exec_wait_and_blocked)
{
	const struct lab_usage *usage;
	struct lab_result result;
	uint64_t life_ns;

	run_text("{\"tasks\": {\"a\": {\"loop\": 4, \"run\": 5000,"
		 " \"sleep\": 10000}}}",
		 &lab_engine_threads, &result);
	usage = task_usage(&result, "a-0");
	CHECK_GE(usage->blocked_ns, 38000000);
	CHECK_GT(usage->exec_ns, 5000000);
	CHECK_GE(usage->switches, 4);
	CHECK(usage->held_ns == LAB_UNKNOWN);
	CHECK(usage->stolen_ns == LAB_UNKNOWN);
	life_ns = usage->exec_ns + usage->wait_ns + usage->blocked_ns;
	CHECK_LT(life_ns, result.books->wall_ns + 20000000);
	CHECK_GT(life_ns + 20000000, result.books->wall_ns);
	lab_result_free(&result);
}

TEST(groups_add_up_to_their_tasks)
{
	struct lab_result result;
	uint64_t tasks_ns, own_ns;

	run_text("{\"tasks\": {\"a\": {\"loop\": 3, \"phases\": {"
		 "\"p\": {\"taskgroup\": \"/g/p\", \"run\": 1000},"
		 "\"q\": {\"taskgroup\": \"/g\", \"run\": 1000}}},"
		 "\"b\": {\"loop\": 1, \"run\": 1000,"
		 " \"taskgroup\": \"/g/p\"}}}",
		 &lab_engine_threads, &result);
	tasks_ns = task_usage(&result, "a-0")->exec_ns +
		   task_usage(&result, "b-0")->exec_ns;
	own_ns = group_usage(&result, "/")->own_exec_ns +
		 group_usage(&result, "/g")->own_exec_ns +
		 group_usage(&result, "/g/p")->own_exec_ns;
	CHECK_EQ(own_ns, tasks_ns);
	CHECK_EQ(group_usage(&result, "/")->exec_ns, tasks_ns);
	CHECK_GT(group_usage(&result, "/g")->own_exec_ns, 0);
	CHECK_EQ(group_usage(&result, "/")->tasks, 2);
	CHECK_EQ(group_usage(&result, "/g/p")->tasks, 1);
	lab_result_free(&result);
}

TEST(more_cpus_than_there_are_are_refused)
{
	struct lab_error error;

	run_refused("{\"tasks\": {\"a\": {\"loop\": 1, \"run\": 1}}}", 1024,
		    &lab_engine_threads, &error);
	CHECK_HAS(error.text, "1024 CPUs wanted");
}

TEST(a_thread_keeps_to_its_cpus)
{
	struct lab_result result;

	run_text("{\"tasks\": {\"a\": {\"loop\": 10, \"cpus\": [0],"
		 " \"run\": 100, \"sleep\": 100}}}",
		 &lab_engine_threads, &result);
	CHECK(result.warnings == NULL);
	lab_result_free(&result);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* lab/tasks.c: tasks that are forked. */
#include "unit/lab/run.h"

#define MS UINT64_C(1000000)

TEST(forked_tasks_are_numbered_and_in_the_books)
{
	for (size_t i = 0; lab_engines[i]; i++) {
		struct lab_result result;

		run_text("{\"tasks\": {"
			 "\"child\": {\"instance\": 0, \"loop\": 1,"
			 " \"taskgroup\": \"/kids\", \"run\": 1000},"
			 "\"parent\": {\"loop\": 3, \"fork\": \"child\","
			 " \"sleep\": 1000}}}",
			 lab_engines[i], &result);
		CHECK_EQ(result.outcome, LAB_ENDED);
		CHECK_EQ(result.books->task_count, 4);
		CHECK_STR(result.books->tasks[0].name, "parent-0");
		CHECK_STR(result.books->tasks[1].name, "child-0-fork");
		CHECK_STR(result.books->tasks[3].name, "child-2-fork");
		CHECK_EQ(group_usage(&result, "/kids")->tasks, 3);
		CHECK_EQ(group_usage(&result, "/kids")->own_exec_ns,
			 task_usage(&result, "child-0-fork")->exec_ns +
				 task_usage(&result, "child-1-fork")->exec_ns +
				 task_usage(&result, "child-2-fork")->exec_ns);
		lab_result_free(&result);
	}
}

/* The parent ends at once: the run lasts as long as its last descendant. */
TEST(a_run_lasts_until_the_forked_have_ended)
{
	for (size_t i = 0; lab_engines[i]; i++) {
		struct lab_result result;

		run_text("{\"tasks\": {"
			 "\"c\": {\"instance\": 0, \"loop\": 1,"
			 " \"delay\": 10000, \"timer\": {\"ref\": \"unique\","
			 " \"period\": 20000}},"
			 "\"b\": {\"instance\": 0, \"loop\": 1,"
			 " \"sleep\": 20000, \"fork\": \"c\"},"
			 "\"a\": {\"loop\": 1, \"fork\": \"b\"}}}",
			 lab_engines[i], &result);
		CHECK_EQ(result.outcome, LAB_ENDED);
		/* Its timer counts from its own start, behind its delay. */
		CHECK_GE(result.books->wall_ns, 50 * MS);
		CHECK_GE(task_usage(&result, "c-0-fork")->blocked_ns, 25 * MS);
		lab_result_free(&result);
	}
}

/* More than the first chunk of them, some still asleep when the run ends. */
TEST(the_end_reaches_all_that_were_forked)
{
	static const struct lab_engine_ops *const engines[] = {&lab_engine_mete,
							       &lab_engine_sim};

	for (size_t i = 0; i < 2; i++) {
		struct lab_program *program =
			program_of("{\"tasks\": {"
				   "\"child\": {\"instance\": 0, \"loop\": -1,"
				   " \"sleep\": 100000000},"
				   "\"parent\": {\"loop\": -1,"
				   " \"fork\": \"child\", \"fork\": \"child\","
				   " \"fork\": \"child\", \"fork\": \"child\","
				   " \"fork\": \"child\", \"fork\": \"child\","
				   " \"fork\": \"child\", \"fork\": \"child\","
				   " \"sleep\": 1000}}}");
		struct lab_run_options options = {
			.engine = engines[i],
			.duration_us = test_slow() > 4 ? 150000 : 700000,
		};
		struct lab_result result;
		struct lab_error error;

		CHECK_EQ(lab_run(program, &options, &result, &error), 0);
		CHECK_EQ(result.outcome, LAB_ENDED);
		/* More than the table held at first, in a plain build. */
		CHECK_GT(result.books->task_count, test_rounds(1100));
		CHECK_LT(result.books->wall_ns, 5000 * MS);
		lab_result_free(&result);
		lab_program_free(program);
	}
}

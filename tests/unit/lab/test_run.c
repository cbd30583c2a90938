/* SPDX-License-Identifier: Apache-2.0 */
/* lab/run.c: a run has a start, an end and books. */
#include "unit/lab/run.h"

TEST(a_run_ends_at_its_duration)
{
	for (size_t i = 0; lab_engines[i]; i++) {
		struct lab_program *program =
			program_of("{\"tasks\": {\"a\": {\"run\": -1}}}");
		struct lab_run_options options = {
			.engine = lab_engines[i],
			.duration_us = 200000,
		};
		struct lab_result result;
		struct lab_error error;

		CHECK_EQ(lab_run(program, &options, &result, &error), 0);
		CHECK_EQ(result.outcome, LAB_ENDED);
		CHECK_GE(result.books->wall_ns, 200000000);
		CHECK_LT(result.books->wall_ns, 1500000000);
		CHECK(result.audit_closes);
		lab_result_free(&result);
		lab_program_free(program);
	}
}

TEST(every_instance_is_in_the_books)
{
	struct lab_result result;

	run_text("{\"tasks\": {\"a\": {\"instance\": 3, \"loop\": 1,"
		 " \"run\": 1}, \"b\": {\"loop\": 1, \"run\": 1}}}",
		 &lab_engine_mete, &result);
	CHECK_EQ(result.books->task_count, 4);
	CHECK_STR(result.books->tasks[2].name, "a-2");
	CHECK_STR(result.books->tasks[3].name, "b-0");
	CHECK_STR(result.books->engine, "mete");
	lab_result_free(&result);
}

TEST(cpus_are_as_many_as_asked)
{
	for (size_t i = 0; lab_engines[i]; i++) {
		struct lab_program *program = program_of(
			"{\"tasks\": {\"a\": {\"loop\": 1, \"run\": 1}}}");
		struct lab_run_options options = {
			.engine = lab_engines[i],
			.cpus = 1,
			.duration_us = LAB_FOREVER,
		};
		struct lab_result result;
		struct lab_error error;

		CHECK_EQ(lab_run(program, &options, &result, &error), 0);
		CHECK_EQ(result.books->cpus, 1);
		CHECK_EQ(result.books->cpu_count, 1);
		lab_result_free(&result);
		lab_program_free(program);
	}
}

TEST(a_calibration_that_is_given_is_taken)
{
	struct lab_result result;
	uint64_t slow_ns, fast_ns;

	/* The same run at 100 times as many ns a loop is a 100th of it. */
	run_text("{\"tasks\": {\"a\": {\"loop\": 1, \"run\": 100000}},"
		 " \"global\": {\"calibration\": 1000}}",
		 &lab_engine_threads, &result);
	slow_ns = task_usage(&result, "a-0")->exec_ns;
	lab_result_free(&result);
	run_text("{\"tasks\": {\"a\": {\"loop\": 1, \"run\": 100000}},"
		 " \"global\": {\"calibration\": 100000}}",
		 &lab_engine_threads, &result);
	fast_ns = task_usage(&result, "a-0")->exec_ns;
	lab_result_free(&result);
	CHECK_GT(slow_ns, 5 * fast_ns);
}

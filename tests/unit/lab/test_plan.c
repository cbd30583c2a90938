/* SPDX-License-Identifier: Apache-2.0 */
/* lab/plan.c: a program's CPUs are there, or it is refused. */
#include "unit/lab/run.h"

TEST(a_cpu_that_is_not_there_is_named)
{
	for (size_t i = 0; lab_engines[i]; i++) {
		struct lab_error error;

		run_refused("{\"tasks\": {\"a\": {\"loop\": 1, \"run\": 1,\n"
			    " \"cpus\": [9999]}}}",
			    0, lab_engines[i], &error);
		CHECK_HAS(error.text, "test.json:2:");
		CHECK_HAS(error.text, "CPU 9999 is not allowed, expected 0");
		CHECK_EQ(error.place.line, 2);
	}
}

TEST(a_phase_takes_its_own_cpus_or_its_tasks)
{
	for (size_t i = 0; lab_engines[i]; i++) {
		struct lab_result result;
		struct lab_error error;

		run_text("{\"tasks\": {\"a\": {\"loop\": 2, \"cpus\": [0],"
			 " \"phases\": {\"p\": {\"run\": 10},"
			 " \"q\": {\"run\": 10, \"cpus\": [0]}}}}}",
			 lab_engines[i], &result);
		CHECK(result.warnings == NULL);
		lab_result_free(&result);
		run_refused("{\"tasks\": {\"a\": {\"loop\": 1, \"phases\": {"
			    " \"q\": {\"run\": 10, \"cpus\": [8888]}}}}}",
			    0, lab_engines[i], &error);
		CHECK_HAS(error.text, "CPU 8888");
	}
}

TEST(unique_timers_have_places_of_their_own)
{
	struct lab_result result;

	/* Two timers in one task, each from the start: 0.7 s, not 1. */
	run_text("{\"tasks\": {\"a\": {\"loop\": 1,"
		 " \"timer1\": {\"ref\": \"unique1\", \"period\": 300000},"
		 " \"timer2\": {\"ref\": \"unique2\", \"period\": 700000}}}}",
		 &lab_engine_threads, &result);
	CHECK_GE(result.books->wall_ns, 700000000);
	CHECK_LT(result.books->wall_ns, 950000000);
	lab_result_free(&result);
}

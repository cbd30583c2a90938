/* SPDX-License-Identifier: Apache-2.0 */
/* lab/watch.c: what ends a run from outside. */
#include <pthread.h>
#include <unistd.h>

#include "unit/lab/run.h"

static unsigned calls;

static void progress(uint64_t elapsed_ns, int64_t duration_us)
{
	CHECK_GT(elapsed_ns, 0);
	CHECK_EQ(duration_us, 350000);
	calls++;
}

TEST(progress_is_told_now_and_then)
{
	struct lab_program *program =
		program_of("{\"tasks\": {\"a\": {\"sleep\": 1000}}}");
	struct lab_run_options options = {
		.engine = &lab_engine_threads,
		.duration_us = 350000,
		.progress = progress,
	};
	struct lab_result result;
	struct lab_error error;

	CHECK_EQ(lab_run(program, &options, &result, &error), 0);
	CHECK_GE(calls, 1);
	CHECK_LE(calls, 3);
	lab_result_free(&result);
	lab_program_free(program);
}

TEST(who_sleeps_for_a_time_is_no_deadlock)
{
	for (size_t i = 0; lab_engines[i]; i++) {
		struct lab_result result;

		run_text("{\"tasks\": {"
			 "\"a\": {\"loop\": 1, \"suspend\": \"a\"},"
			 "\"b\": {\"loop\": 1, \"sleep\": 1000000,"
			 " \"resume\": \"a\"}}}",
			 lab_engines[i], &result);
		CHECK_EQ(result.outcome, LAB_ENDED);
		CHECK(result.deadlock == NULL);
		lab_result_free(&result);
	}
}

TEST(a_deadlock_ends_the_run_and_all_waits)
{
	for (size_t i = 0; lab_engines[i]; i++) {
		struct lab_result result;

		run_text("{\"tasks\": {"
			 "\"a\": {\"loop\": 1, \"suspend\": \"a\"},"
			 "\"b\": {\"loop\": 1, \"lock\": \"m\","
			 " \"wait\": {\"ref\": \"q\", \"mutex\": \"m\"}}}}",
			 lab_engines[i], &result);
		CHECK_EQ(result.outcome, LAB_DEADLOCKED);
		CHECK_GE(task_usage(&result, "a-0")->blocked_ns, 300000000);
		CHECK_LT(result.books->wall_ns, UINT64_C(5000000000));
		lab_result_free(&result);
	}
}

static void *interrupter(void *arg)
{
	usleep(100000);
	lab_interrupt();
	return arg;
}

TEST(an_interrupt_reaches_sleepers_and_workers)
{
	struct lab_result result;
	pthread_t thread;

	CHECK_EQ(pthread_create(&thread, NULL, interrupter, NULL), 0);
	run_text("{\"tasks\": {\"a\": {\"sleep\": 100000000},"
		 "\"b\": {\"run\": -1}, \"c\": {\"suspend\": \"c\"}}}",
		 &lab_engine_mete, &result);
	pthread_join(thread, NULL);
	CHECK_EQ(result.outcome, LAB_INTERRUPTED);
	CHECK_LT(result.books->wall_ns, UINT64_C(3000000000));
	lab_result_free(&result);
}

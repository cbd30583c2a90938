/* SPDX-License-Identifier: Apache-2.0 */
/* lab/report.c: what is told beside the books. */
#include "unit/lab/run.h"

TEST(a_deadlock_is_told_task_by_task)
{
	struct lab_result result;

	run_text("{\"tasks\": {"
		 "\"a\": {\"loop\": 1, \"lock\": \"m\", \"lock\": \"m\"},\n"
		 "\"b\": {\"loop\": 1, \"sleep\": 1000, \"lock\": \"m\"},\n"
		 "\"c\": {\"loop\": 1, \"suspend\": \"dawn\"},\n"
		 "\"d\": {\"loop\": 2, \"barrier\": \"gate\"},\n"
		 "\"e\": {\"loop\": 1, \"barrier\": \"gate\"}}}",
		 &lab_engine_threads, &result);
	CHECK_EQ(result.outcome, LAB_DEADLOCKED);
	CHECK_STR(result.deadlock,
		  "  a-0 waits for mutex \"m\", held by itself"
		  " (test.json:1:37)\n"
		  "  b-0 waits for mutex \"m\", held by a-0"
		  " (test.json:1:37)\n"
		  "  c-0 is suspended on \"dawn\", and nobody resumes it"
		  " (test.json:3:29)\n"
		  "  d-0 waits at barrier \"gate\", where 1 of 2 have come"
		  " (test.json:4:29)\n");
	lab_result_free(&result);
}

TEST(a_crowd_is_counted)
{
	struct lab_result result;

	run_text("{\"tasks\": {\"a\": {\"instance\": 50, \"loop\": 1,"
		 " \"suspend\": \"never\"}}}",
		 &lab_engine_mete, &result);
	CHECK_EQ(result.outcome, LAB_DEADLOCKED);
	CHECK_HAS(result.deadlock, "a-19 is suspended");
	CHECK(strstr(result.deadlock, "a-20") == NULL);
	CHECK_HAS(result.deadlock, "and 30 more");
	lab_result_free(&result);
}

TEST(a_warning_counts_its_cases)
{
	struct lab_result result;

	run_text("{\"tasks\": {\"a\": {\"loop\": 3, \"lock\": \"m\","
		 " \"unlock\": \"m\", \"unlock\": \"m\"}}}",
		 &lab_engine_threads, &result);
	CHECK_HAS(result.warnings, "test.json:1:");
	CHECK_HAS(result.warnings, "(3 times in all)");
	lab_result_free(&result);
}

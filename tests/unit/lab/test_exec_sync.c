/* SPDX-License-Identifier: Apache-2.0 */
/* lab/exec_sync.c: what tasks meet by, on every engine. */
#include "unit/lab/run.h"

#define MS INT64_C(1000000)

static const struct lab_task_row *row_of(const struct lab_result *result,
					 const char *name)
{
	for (size_t i = 0; i < result->books->task_count; i++)
		if (strcmp(result->books->tasks[i].name, name) == 0)
			return &result->books->tasks[i];
	FAIL("no task %s", name);
}

TEST(a_barrier_holds_each_time)
{
	for (size_t i = 0; lab_engines[i]; i++) {
		struct lab_result result;

		run_text("{\"tasks\": {"
			 "\"quick\": {\"loop\": 4, \"barrier\": \"b\"},"
			 "\"slow\": {\"loop\": 4, \"sleep\": 10000,"
			 " \"barrier\": \"b\"}}}",
			 lab_engines[i], &result);
		CHECK_EQ(result.outcome, LAB_ENDED);
		CHECK_GE(task_usage(&result, "quick-0")->blocked_ns, 35 * MS);
		CHECK_EQ(row_of(&result, "quick-0")->wakeup.count, 4);
		CHECK_EQ(row_of(&result, "slow-0")->wakeup.count, 4);
		lab_result_free(&result);
	}
}

TEST(a_wake_up_is_measured_from_its_waker)
{
	for (size_t i = 0; lab_engines[i]; i++) {
		const struct lab_task_row *row;
		struct lab_result result;

		run_text("{\"tasks\": {"
			 "\"a\": {\"loop\": 1, \"suspend\": \"a\"},"
			 "\"b\": {\"loop\": 1, \"lock\": \"m\","
			 " \"wait\": {\"ref\": \"q\", \"mutex\": \"m\"},"
			 " \"unlock\": \"m\"},"
			 "\"c\": {\"loop\": 1, \"sleep\": 300000,"
			 " \"resume\": \"a\", \"broad\": \"q\"}}}",
			 lab_engines[i], &result);
		CHECK_EQ(result.outcome, LAB_ENDED);
		row = row_of(&result, "a-0");
		CHECK_EQ(row->wakeup.count, 1);
		/* Not from when it began to wait. */
		CHECK_LT(row->wakeup.most_ns, 290 * MS);
		CHECK_EQ(row_of(&result, "b-0")->wakeup.count, 1);
		CHECK_EQ(row_of(&result, "c-0")->wakeup.count, 1);
		CHECK_EQ(row_of(&result, "c-0")->slack.count, 0);
		lab_result_free(&result);
	}
}

TEST(who_ends_lets_go_of_its_locks)
{
	for (size_t i = 0; lab_engines[i]; i++) {
		struct lab_result result;

		run_text("{\"tasks\": {"
			 "\"a\": {\"loop\": 1, \"lock\": \"m\"},"
			 "\"b\": {\"loop\": 1, \"sleep\": 20000,"
			 " \"lock\": \"m\", \"unlock\": \"m\"}}}",
			 lab_engines[i], &result);
		CHECK_EQ(result.outcome, LAB_ENDED);
		lab_result_free(&result);
	}
}

TEST(posts_are_remembered_and_waits_take_one_each)
{
	for (size_t i = 0; lab_engines[i]; i++) {
		struct lab_result result;

		/* Two posts, two waits; then one that must come later. */
		run_text("{\"tasks\": {"
			 "\"a\": {\"loop\": 1, \"sem_post\": \"s\","
			 " \"sem_post\": \"s\", \"sem_wait\": \"s\","
			 " \"sem_wait\": \"s\", \"sem_wait\": \"s\"},"
			 "\"b\": {\"loop\": 1, \"sleep\": 20000,"
			 " \"sem_post\": \"s\"}}}",
			 lab_engines[i], &result);
		CHECK_EQ(result.outcome, LAB_ENDED);
		CHECK_GE(task_usage(&result, "a-0")->blocked_ns, 15 * MS);
		CHECK_EQ(row_of(&result, "a-0")->wakeup.count, 1);
		lab_result_free(&result);
	}
}

TEST(a_crowd_at_a_semaphore_is_served)
{
	for (size_t i = 0; lab_engines[i]; i++) {
		struct lab_result result;

		run_text("{\"tasks\": {"
			 "\"taker\": {\"instance\": 20, \"loop\": 50,"
			 " \"sem_wait\": \"s\"},"
			 "\"giver\": {\"instance\": 2, \"loop\": 500,"
			 " \"sem_post\": \"s\"}}}",
			 lab_engines[i], &result);
		CHECK_EQ(result.outcome, LAB_ENDED);
		lab_result_free(&result);
	}
}

TEST(a_semaphore_that_nobody_posts_is_told)
{
	struct lab_result result;

	run_text("{\"tasks\": {\"a\": {\"loop\": 1, \"sem_wait\": \"s\"}}}",
		 &lab_engine_mete, &result);
	CHECK_EQ(result.outcome, LAB_DEADLOCKED);
	CHECK_HAS(result.deadlock,
		  "a-0 waits for semaphore \"s\", and nobody posts it");
	lab_result_free(&result);
}

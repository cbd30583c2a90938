/* SPDX-License-Identifier: Apache-2.0 */
/* lab/exec_ops.c: what each op does, on both engines. */
#include "unit/lab/run.h"

#define MS UINT64_C(1000000)

/* Wall time of a text on an engine, which must end without a complaint. */
static uint64_t wall_of(const char *text, const struct lab_engine_ops *engine)
{
	struct lab_result result;
	uint64_t wall_ns;

	run_text(text, engine, &result);
	CHECK_EQ(result.outcome, LAB_ENDED);
	if (result.warnings)
		FAIL("%s", result.warnings);
	wall_ns = result.books->wall_ns;
	lab_result_free(&result);
	return wall_ns;
}

/* No op is shorter than it says, whatever else the machine does. */
static void at_least(uint64_t least_ns, const char *text)
{
	for (size_t i = 0; lab_engines[i]; i++)
		CHECK_GE(wall_of(text, lab_engines[i]), least_ns);
}

TEST(sleep_and_runtime_take_their_time)
{
	at_least(30 * MS, "{\"tasks\": {\"a\": {\"loop\": 3, \"sleep\": 10000"
			  "}}}");
	at_least(30 * MS, "{\"tasks\": {\"a\": {\"loop\": 3,"
			  " \"runtime\": 10000}}}");
}

TEST(timers_count_from_the_common_start)
{
	/* Each instance its own: three periods of the one, not six. */
	at_least(30 * MS, "{\"tasks\": {\"a\": {\"loop\": 3, \"instance\": 2,"
			  " \"timer\": {\"ref\": \"unique\","
			  " \"period\": 10000}}}}");
	/* Shared: two tasks take turns at its points. */
	at_least(60 * MS, "{\"tasks\": {\"a\": {\"loop\": 3, \"instance\": 2,"
			  " \"timer\": {\"ref\": \"tick\","
			  " \"period\": 10000}}}}");
}

TEST(a_late_relative_timer_restarts_now)
{
	at_least(150 * MS, "{\"tasks\": {\"a\": {\"loop\": 1, \"phases\": {"
			   "\"late\": {\"sleep\": 100000, \"timer\":"
			   " {\"ref\": \"unique\", \"period\": 10000}},"
			   "\"on\": {\"loop\": 5, \"timer\":"
			   " {\"ref\": \"unique\", \"period\": 10000}}}}}}");
}

TEST(a_late_absolute_timer_keeps_its_reference)
{
	/* The points at 10 … 60 ms are over when it looks. */
	CHECK_LT(wall_of("{\"tasks\": {\"a\": {\"loop\": 1, \"phases\": {"
			 "\"late\": {\"sleep\": 400000, \"timer\": {\"ref\":"
			 " \"unique\", \"period\": 60000,"
			 " \"mode\": \"absolute\"}},"
			 "\"on\": {\"loop\": 5, \"timer\": {\"ref\":"
			 " \"unique\", \"period\": 60000,"
			 " \"mode\": \"absolute\"}}}}}}",
			 &lab_engine_threads),
		 650 * MS);
}

TEST(resume_wakes_all_who_are_suspended)
{
	at_least(50 * MS, "{\"tasks\": {"
			  "\"a\": {\"loop\": 1, \"instance\": 3,"
			  " \"suspend\": \"gate\"},"
			  "\"b\": {\"loop\": 1, \"sleep\": 50000,"
			  " \"resume\": \"gate\"}}}");
}

TEST(a_barrier_opens_for_the_last)
{
	at_least(80 * MS, "{\"tasks\": {"
			  "\"a\": {\"loop\": 2, \"instance\": 2,"
			  " \"barrier\": \"b\"},"
			  "\"c\": {\"loop\": 2, \"sleep\": 40000,"
			  " \"barrier\": \"b\"}}}");
}

TEST(signal_broad_and_sync_wake)
{
	at_least(30 * MS, "{\"tasks\": {"
			  "\"a\": {\"loop\": 1, \"lock\": \"m\", \"wait\":"
			  " {\"ref\": \"q\", \"mutex\": \"m\"},"
			  " \"unlock\": \"m\"},"
			  "\"b\": {\"loop\": 1, \"sleep\": 30000,"
			  " \"lock\": \"m\", \"signal\": \"q\","
			  " \"unlock\": \"m\"}}}");
	at_least(30 * MS, "{\"tasks\": {"
			  "\"a\": {\"loop\": 1, \"instance\": 3,"
			  " \"lock\": \"m\", \"wait\":"
			  " {\"ref\": \"q\", \"mutex\": \"m\"},"
			  " \"unlock\": \"m\"},"
			  "\"b\": {\"loop\": 1, \"sleep\": 30000,"
			  " \"lock\": \"m\", \"broad\": \"q\","
			  " \"unlock\": \"m\"}}}");
	at_least(60 * MS, "{\"tasks\": {"
			  "\"a\": {\"loop\": 1, \"lock\": \"m\", \"wait\":"
			  " {\"ref\": \"q\", \"mutex\": \"m\"},"
			  " \"unlock\": \"m\", \"sleep\": 30000,"
			  " \"lock\": \"m\", \"signal\": \"q\","
			  " \"unlock\": \"m\"},"
			  "\"b\": {\"loop\": 1, \"sleep\": 30000,"
			  " \"lock\": \"m\", \"sync\":"
			  " {\"ref\": \"q\", \"mutex\": \"m\"},"
			  " \"unlock\": \"m\"}}}");
}

TEST(who_unlocks_what_he_does_not_hold_is_told)
{
	for (size_t i = 0; lab_engines[i]; i++) {
		struct lab_result result;

		run_text("{\"tasks\": {\"a\": {\"loop\": 1, \"lock\": \"m\","
			 " \"unlock\": \"m\", \"unlock\": \"m\"}}}",
			 lab_engines[i], &result);
		CHECK(result.warnings != NULL);
		CHECK_HAS(result.warnings, "a-0, \"m\": unlocks");
		lab_result_free(&result);
	}
}

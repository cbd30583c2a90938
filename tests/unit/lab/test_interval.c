/* SPDX-License-Identifier: Apache-2.0 */
/* lab/interval.c: what is shown on the way adds up to the books. */
#include "unit/lab/run.h"

#define GROUPS 2

struct shown {
	unsigned count;
	unsigned firsts;
	unsigned lasts;
	uint64_t at_ns;
	uint64_t exec_ns[GROUPS];
	uint64_t switches[GROUPS];
};

static void show(const struct lab_interval *interval, void *arg)
{
	struct shown *shown = arg;

	CHECK_EQ(interval->groups->count, GROUPS);
	CHECK_GE(interval->at_ns, shown->at_ns);
	CHECK_EQ(interval->long_ns, interval->at_ns - shown->at_ns);
	shown->at_ns = interval->at_ns;
	shown->count++;
	shown->firsts += interval->first;
	shown->lasts += interval->last;
	for (size_t i = 0; i < GROUPS; i++) {
		CHECK(interval->used[i].exec_ns != LAB_UNKNOWN);
		shown->exec_ns[i] += interval->used[i].exec_ns;
		shown->switches[i] += interval->used[i].switches;
	}
}

static void intervals_on(const struct lab_engine_ops *engine)
{
	struct lab_program *program = program_of(
		"{\"tasks\": {\"a\": {\"instance\": 2, \"taskgroup\": \"/g\","
		" \"loop\": 30, \"run\": 2000, \"sleep\": 10000}}}");
	struct shown shown = {0};
	struct lab_run_options options = {
		.engine = engine,
		.duration_us = LAB_FOREVER,
		.interval_ns = 50000000,
		.interval = show,
		.interval_arg = &shown,
	};
	struct lab_result result;
	struct lab_error error;

	CHECK_EQ(lab_run(program, &options, &result, &error), 0);
	/* 360 ms at least: six whole ones, fewer only where some were late. */
	CHECK_GE(shown.count, 3);
	CHECK_EQ(shown.firsts, 1);
	CHECK_EQ(shown.lasts, 1);
	CHECK_EQ(shown.at_ns, result.books->wall_ns);
	for (size_t i = 0; i < GROUPS; i++) {
		const struct lab_usage *usage = &result.books->groups[i].usage;

		CHECK_LE(shown.exec_ns[i], usage->exec_ns);
		/* What the ends of tasks take comes after the last one. */
		CHECK_GE(shown.exec_ns[i] + 20000000, usage->exec_ns);
		CHECK_GE(shown.switches[i], 50);
		CHECK_LE(shown.switches[i], usage->switches);
	}
	lab_result_free(&result);
	lab_program_free(program);
}

TEST(intervals_add_up_on_mete)
{
	intervals_on(&lab_engine_mete);
}

TEST(intervals_add_up_on_threads)
{
	intervals_on(&lab_engine_threads);
}

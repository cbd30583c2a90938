/* SPDX-License-Identifier: Apache-2.0 */
/* lab/engine_sim.c: Mete's tasks on the many-CPU machine, in its time. */
#include <time.h>

#include "lab/engine.h"
#include "unit/lab/run.h"

#define TWO_TENANTS                                                       \
 "{\"tasks\": {\"a\": {\"loop\": 5, \"instance\": 2, \"run\": 2000,"      \
 " \"sleep\": 1000, \"taskgroup\": \"/x\"},"                              \
 "\"b\": {\"loop\": 7, \"lock\": \"m\", \"run\": 300, \"unlock\": \"m\"," \
 " \"yield\": \"\", \"taskgroup\": \"/y\"}}}"

static void run_seed(const char *text, unsigned cpus, uint64_t seed,
		     struct lab_result *ret_result)
{
	struct lab_program *program = program_of(text);
	struct lab_run_options options = {
		.engine = &lab_engine_sim,
		.cpus = cpus,
		.seed = seed,
		.duration_us = program->duration_us,
	};
	struct lab_error error;

	if (lab_run(program, &options, ret_result, &error))
		FAIL("%s", error.text);
	lab_program_free(program);
}

static uint64_t waited_ns(unsigned cpus, uint64_t seed)
{
	struct lab_result result;
	uint64_t ns;

	run_seed(TWO_TENANTS, cpus, seed, &result);
	CHECK(result.audit_closes);
	ns = group_usage(&result, "/")->wait_ns;
	lab_result_free(&result);
	return ns;
}

TEST(a_seed_gives_the_same_books)
{
	unsigned others = 0;

	for (uint64_t seed = 0; seed < 8; seed++) {
		CHECK_EQ(waited_ns(3, seed), waited_ns(3, seed));
		others += waited_ns(3, seed) != waited_ns(3, seed + 1);
	}
	CHECK_GE(others, 7);
}

TEST(work_takes_what_the_file_asks_for)
{
	struct lab_result result;
	uint64_t ns;

	run_seed("{\"tasks\": {\"a\": {\"loop\": 1, \"run\": 50000}}}", 1, 0,
		 &result);
	ns = task_usage(&result, "a-0")->exec_ns;
	CHECK_GE(ns, 50000000);
	CHECK_LT(ns, 50100000);
	lab_result_free(&result);
}

TEST(cpus_run_side_by_side)
{
	static const char text[] = "{\"tasks\": {\"a\": {\"instance\": 8,"
				   " \"loop\": 1, \"run\": 100000}}}";
	struct lab_result result;

	run_seed(text, 8, 0, &result);
	CHECK_GE(result.books->wall_ns, 100000000);
	CHECK_LT(result.books->wall_ns, 150000000);
	lab_result_free(&result);
	run_seed(text, 2, 0, &result);
	CHECK_GE(result.books->wall_ns, 400000000);
	lab_result_free(&result);
}

/* Ten minutes asleep: the machine's time is not ours. */
TEST(nobody_waits_for_sleepers)
{
	time_t begin = time(NULL);
	struct lab_result result;

	run_seed("{\"tasks\": {\"a\": {\"loop\": 600, \"sleep\": 1000000}}}", 2,
		 0, &result);
	CHECK_GE(result.books->wall_ns, UINT64_C(600000000000));
	CHECK_LT(time(NULL) - begin, 10);
	lab_result_free(&result);
}

TEST(there_are_as_many_cpus_as_asked_for)
{
	struct lab_result result;

	run_seed(TWO_TENANTS, 100, 0, &result);
	CHECK_EQ(result.books->cpu_count, 100);
	CHECK(result.audit_closes);
	lab_result_free(&result);
	run_seed(TWO_TENANTS, 0, 0, &result);
	CHECK_EQ(result.books->cpu_count, LAB_PLAIN_CPUS);
	lab_result_free(&result);
}

TEST(engines_follow_each_other)
{
	struct lab_result result;

	waited_ns(2, 1);
	run_text(TWO_TENANTS, &lab_engine_mete, &result);
	CHECK(result.audit_closes);
	lab_result_free(&result);
	waited_ns(2, 1);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* lab/engine_mete_books.c: a snapshot becomes books, figure by figure. */
#include "unit/lab/run.h"

TEST(each_figure_lands_in_its_place)
{
	const struct lab_usage *sleeper, *worker;
	struct lab_result result;

	run_text("{\"tasks\": {\"sleeper\": {\"loop\": 10, \"sleep\": 5000},"
		 "\"worker\": {\"loop\": 1, \"run\": 20000}}}",
		 &lab_engine_mete, &result);
	sleeper = task_usage(&result, "sleeper-0");
	worker = task_usage(&result, "worker-0");
	CHECK_GE(sleeper->blocked_ns, 50000000);
	CHECK_LT(sleeper->exec_ns, 20000000);
	CHECK_GE(sleeper->wakeups, 10);
	CHECK_GE(sleeper->switches, 10);
	CHECK_GT(worker->exec_ns, 5000000);
	CHECK_LT(worker->wakeups, 10);
	CHECK_EQ(worker->exec_ns + worker->stolen_ns, worker->held_ns);
	CHECK_EQ(worker->own_exec_ns, worker->exec_ns);
	lab_result_free(&result);
}

TEST(cpus_and_audit_agree)
{
	struct lab_result result;
	const struct lab_audit *audit;
	uint64_t wall_ns = 0, parts_ns = 0, exec_ns = 0;

	run_text("{\"tasks\": {\"a\": {\"loop\": 20, \"run\": 300,"
		 " \"sleep\": 500, \"instance\": 3}}}",
		 &lab_engine_mete, &result);
	audit = &result.books->audit;
	for (size_t i = 0; i < result.books->cpu_count; i++) {
		const struct lab_cpu_row *cpu = &result.books->cpu[i];

		wall_ns += cpu->wall_ns;
		exec_ns += cpu->exec_ns;
		parts_ns += cpu->held_ns + cpu->scheduler_ns + cpu->polling_ns +
			    cpu->parked_ns;
	}
	CHECK_EQ(parts_ns, wall_ns);
	CHECK_EQ(wall_ns, audit->wall_ns);
	CHECK_EQ(exec_ns, audit->exec_ns);
	CHECK_EQ(audit->residual_ns, 0);
	CHECK(audit->kernel_cpu_ns != LAB_UNKNOWN);
	lab_result_free(&result);
}

TEST(without_books_nothing_is_known)
{
	struct lab_program *program =
		program_of("{\"tasks\": {\"a\": {\"loop\": 1, \"run\": 100}}}");
	struct lab_run_options options = {
		.engine = &lab_engine_mete,
		.books = METE_BOOKS_OFF,
		.duration_us = LAB_FOREVER,
	};
	struct lab_result result;
	struct lab_error error;

	CHECK_EQ(lab_run(program, &options, &result, &error), 0);
	CHECK(group_usage(&result, "/")->exec_ns == LAB_UNKNOWN);
	CHECK(task_usage(&result, "a-0")->exec_ns == LAB_UNKNOWN);
	CHECK(result.audit_closes);
	lab_result_free(&result);
	lab_program_free(program);
}

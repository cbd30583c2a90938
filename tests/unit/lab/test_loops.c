/* SPDX-License-Identifier: Apache-2.0 */
/* lab/loops.c: the log of a task's loops, figure by figure. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "unit/lab/run.h"

#define COLUMNS 11

/* Runs a text with logs in a directory of its own; opens that of a task. */
static FILE *log_of(const char *text, const struct lab_engine_ops *engine,
		    const char *name)
{
	static char directory[] = "/tmp/mete-loops-XXXXXX";
	struct lab_program *program = program_of(text);
	struct lab_run_options options = {
		.engine = engine,
		.duration_us = program->duration_us,
		.log_dir = directory,
	};
	struct lab_result result;
	struct lab_error error;
	char path[128];
	FILE *log;

	memcpy(directory + strlen(directory) - 6, "XXXXXX", 6);
	CHECK(mkdtemp(directory));
	if (lab_run(program, &options, &result, &error))
		FAIL("%s", error.text);
	lab_result_free(&result);
	lab_program_free(program);
	snprintf(path, sizeof(path), "%s/%s.log", directory, name);
	log = fopen(path, "r");
	CHECK(log);
	unlink(path);
	rmdir(directory);
	return log;
}

static bool row_of(FILE *log, long long *row)
{
	for (int i = 0; i < COLUMNS; i++)
		if (fscanf(log, "%lld", &row[i]) != 1)
			return false;
	return true;
}

TEST(a_line_a_loop_on_every_engine)
{
	for (size_t i = 0; lab_engines[i]; i++) {
		long long row[COLUMNS];
		long long end_us = 0;
		char line[256];
		FILE *log = log_of(
			"{\"global\": {\"log_basename\": \"base\"},"
			" \"tasks\": {\"a\": {\"loop\": 1, \"phases\": {"
			"\"p\": {\"loop\": 3, \"run\": 2000, \"runtime\": 1000,"
			" \"timer\": {\"ref\": \"unique\","
			" \"period\": 20000}}, \"q\": {\"sleep\": 100}}}}}",
			lab_engines[i], "base-a-0");

		CHECK(fgets(line, sizeof(line), log));
		CHECK_STR(line, "# Policy : SCHED_OTHER priority : 0\n");
		CHECK(fgets(line, sizeof(line), log));
		CHECK_STR(line, "#idx     perf      run   period          "
				" start             end          rel_st      "
				"slack c_duration   c_period     wu_lat\n");
		for (int k = 0; k < 3; k++) {
			CHECK(row_of(log, row));
			CHECK_EQ(row[0], 0);
			CHECK_GT(row[1], 0);
			CHECK_GE(row[2], 1000);
			CHECK_LT(row[2], 1000000);
			CHECK_GE(row[3] + 1, row[5] - row[4]);
			CHECK_LE(row[3], row[5] - row[4] + 1);
			CHECK_GE(row[4], end_us);
			end_us = row[5];
			CHECK_EQ(row[8], 2000);
			CHECK_EQ(row[9], 20000);
			if (k == 0)
				CHECK_GE(row[7] + row[2], 10000);
		}
		CHECK(row_of(log, row));
		CHECK_EQ(row[1] + row[2] + row[7] + row[8] + row[9], 0);
		CHECK_GE(row[3], 100);
		CHECK(!row_of(log, row));
		fclose(log);
	}
}

TEST(a_directory_that_is_not_there_is_refused)
{
	struct lab_program *program =
		program_of("{\"tasks\": {\"a\": {\"loop\": 1, \"run\": 1}}}");
	struct lab_run_options options = {
		.engine = &lab_engine_threads,
		.duration_us = LAB_FOREVER,
		.log_dir = "/none/there",
	};
	struct lab_result result;
	struct lab_error error;

	CHECK(lab_run(program, &options, &result, &error) < 0);
	CHECK_STR(error.text, "/none/there: logs can't be written: No such "
			      "file or directory");
	lab_program_free(program);
}

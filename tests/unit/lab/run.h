/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the interpreter and its engines share. */
#ifndef TEST_LAB_RUN_H
#define TEST_LAB_RUN_H

#include <string.h>

#include "harness/test.h"
#include "lab/run.h"

/* A program from its text; the test fails where it is refused. */
static inline struct lab_program *program_of(const char *text)
{
	struct lab_program *program;
	struct lab_error error;

	if (lab_program_parse(text, strlen(text), "test.json", &program,
			      &error))
		FAIL("%s", error.text);
	return program;
}

/* Runs a text to its end, which must come without an error. */
static inline void run_text(const char *text,
			    const struct lab_engine_ops *engine,
			    struct lab_result *ret_result)
{
	struct lab_program *program = program_of(text);
	struct lab_run_options options = {
		.engine = engine,
		.duration_us = program->duration_us,
	};
	struct lab_error error;

	if (lab_run(program, &options, ret_result, &error))
		FAIL("%s", error.text);
	lab_program_free(program);
}

/* Runs a text that must be refused; gives the message. */
static inline void run_refused(const char *text, unsigned cpus,
			       const struct lab_engine_ops *engine,
			       struct lab_error *error)
{
	struct lab_program *program = program_of(text);
	struct lab_run_options options = {
		.engine = engine,
		.cpus = cpus,
		.duration_us = program->duration_us,
	};
	struct lab_result result;

	CHECK(lab_run(program, &options, &result, error) < 0);
	lab_program_free(program);
}

static inline const struct lab_usage *task_usage(
	const struct lab_result *result, const char *name)
{
	for (size_t i = 0; i < result->books->task_count; i++)
		if (strcmp(result->books->tasks[i].name, name) == 0)
			return &result->books->tasks[i].usage;
	FAIL("no task %s", name);
}

static inline const struct lab_usage *group_usage(
	const struct lab_result *result, const char *path)
{
	for (size_t i = 0; i < result->books->group_count; i++)
		if (strcmp(result->books->groups[i].path, path) == 0)
			return &result->books->groups[i].usage;
	FAIL("no group %s", path);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tests of the grammar share: texts that are taken or refused.
 */
#ifndef TESTS_UNIT_LAB_GRAMMAR_H
#define TESTS_UNIT_LAB_GRAMMAR_H

#include <string.h>

#include "harness/test.h"
#include "lab/program.h"

/* A workload of one task "t" with these members. */
#define TASK(members) "{\"tasks\":{\"t\":{" members "}}}"

/* The same with a "global" of its own. */
#define GLOBAL(members) \
 "{\"tasks\":{\"t\":{\"run\":1}},\"global\":{" members "}}"

/* The column of the first member of GLOBAL. */
#define GLOBAL_COLUMN 36u

/* The program that `text` is read into; the test fails where it is refused. */
static inline struct lab_program *taken(const char *text)
{
	struct lab_program *program = NULL;
	struct lab_error error = {{0, 0}, ""};
	int r = lab_program_parse(text, strlen(text), "f", &program, &error);

	if (r != 0)
		FAIL("%d (%s) for %s", r, error.text, text);
	CHECK(program);
	return program;
}

/* `text` is refused with exactly this message. */
static inline void refused(const char *text, const char *message)
{
	struct lab_program *program = NULL;
	struct lab_error error = {{0, 0}, ""};
	int r = lab_program_parse(text, strlen(text), "f", &program, &error);

	CHECK_STR(error.text, message);
	CHECK_EQ(r, -22);
	CHECK(!program);
}

struct refusal {
	const char *text;
	const char *message;
};

#define REFUSED(refusals)                                           \
 do {                                                               \
  for (size_t i = 0; i < sizeof(refusals) / sizeof(*refusals); i++) \
   refused(refusals[i].text, refusals[i].message);                  \
 } while (0)

/* `text` is taken, with exactly one warning: this one, at line:column. */
static inline void warned(const char *text, unsigned line, unsigned column,
			  const char *warning)
{
	struct lab_program *program = taken(text);

	CHECK_EQ(program->warning_count, 1);
	CHECK_STR(program->warnings[0].text, warning);
	CHECK_EQ(program->warnings[0].place.line, line);
	CHECK_EQ(program->warnings[0].place.column, column);
	lab_program_free(program);
}

/* The n-th op of the only phase of the n-th task. */
static inline const struct lab_op *op_of(const struct lab_program *program,
					 size_t spec, size_t op)
{
	CHECK_LT(spec, program->spec_count);
	CHECK_EQ(program->specs[spec].phase_count, 1);
	CHECK_LT(op, program->specs[spec].phases[0].op_count);
	return &program->specs[spec].phases[0].ops[op];
}

#endif

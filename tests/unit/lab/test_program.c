/* SPDX-License-Identifier: Apache-2.0 */
/* The program form: words, and that every half of a program can be freed. */
#include <stdlib.h>

#include "lab/program.h"
#include "unit/lab/grammar.h"

TEST(ops_have_the_grammar_s_words)
{
	for (int i = 0; i < LAB_OP_KINDS; i++) {
		CHECK(lab_op_name((enum lab_op_kind)i));
		for (int j = 0; j < i; j++)
			CHECK(strcmp(lab_op_name((enum lab_op_kind)i),
				     lab_op_name((enum lab_op_kind)j)) != 0);
	}
	CHECK_STR(lab_op_name(LAB_RUN), "run");
	CHECK_STR(lab_op_name(LAB_YIELD), "yield");
	CHECK_STR(lab_op_name(LAB_OP_KINDS), "?");
}

TEST(nothing_and_half_of_a_program_are_freed)
{
	struct lab_program *program = calloc(1, sizeof(*program));

	lab_program_free(NULL);
	CHECK(program);
	program->specs = calloc(2, sizeof(*program->specs));
	program->spec_count = 1;
	program->specs[0].name = strdup("a");
	program->specs[0].phases = calloc(1, sizeof(struct lab_phase));
	lab_program_free(program);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whatever bytes come as a workload file: read it, or refuse it by name.
 *
 * The entry is libFuzzer's; fuzz_main.c drives it where that is not to be had.
 * What is accepted must be whole: an engine trusts every index in it.
 */
#include <string.h>

#include "fuzz/fuzz.h"
#include "lab/program.h"

const char *const fuzz_words[] = {
	"{",
	"}",
	"[",
	"]",
	",",
	":",
	"\"",
	"//",
	"/*",
	"*/",
	"\\",
	"\\u0000",
	"-1",
	"0",
	"1e9",
	"99999999999999999999",
	"-0",
	"1.5",
	"true",
	"null",
	"\"run\"",
	"\"sleep\"",
	"\"loop\"",
	"\"phases\"",
	"\"tasks\"",
	"\"suspend\",",
	"\"ref\"",
	"\"lock\"",
	"\"barrier\"",
	"\"global\"",
	"\"instance\"",
	"\"timer\"",
	"\"cpus\"",
	"\xff\xfe",
	"\xc3\xa9",
	"\n",
	"\"taskgroup\"",
	"\"/a/b\"",
	NULL,
};

static void require_op(const struct lab_program *program,
		       const struct lab_op *op)
{
	REQUIRE((unsigned)op->kind < LAB_OP_KINDS);
	REQUIRE(op->object == LAB_NONE ||
		op->object < (op->kind == LAB_FORK ? program->spec_count
						   : program->object_count));
	REQUIRE(op->mutex == LAB_NONE || op->mutex < program->object_count);
	if (op->mutex != LAB_NONE)
		REQUIRE(program->objects[op->mutex].kind == LAB_MUTEX);
	REQUIRE(op->place.line >= 1 && op->place.column >= 1);
	REQUIRE(op->amount_us >= -1 || op->kind == LAB_RUN);
	REQUIRE(lab_op_name(op->kind));
}

static void require_spec(const struct lab_program *program,
			 const struct lab_task_spec *spec)
{
	REQUIRE(spec->name);
	REQUIRE(spec->loop >= LAB_FOREVER);
	REQUIRE(spec->phase_count >= 1);
	for (size_t i = 0; i < spec->phase_count; i++) {
		const struct lab_phase *phase = &spec->phases[i];

		REQUIRE(phase->name && phase->op_count >= 1);
		REQUIRE(phase->loop >= LAB_FOREVER);
		for (size_t j = 0; j < phase->op_count; j++)
			require_op(program, &phase->ops[j]);
	}
}

static void require_program(const struct lab_program *program)
{
	uint64_t tasks = 0;

	for (size_t i = 0; i < program->spec_count; i++) {
		require_spec(program, &program->specs[i]);
		tasks += program->specs[i].instances;
	}
	REQUIRE(tasks == program->task_count);
	REQUIRE(tasks <= LAB_TASKS_MAX);
	for (size_t i = 0; i < program->object_count; i++) {
		REQUIRE((unsigned)program->objects[i].kind < LAB_OBJECT_KINDS);
		REQUIRE(program->objects[i].name);
	}
	for (size_t i = 0; i < program->warning_count; i++)
		REQUIRE(program->warnings[i].text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct lab_error error; /* large */
	struct lab_program *program = NULL;
	int status;

	error.text[0] = '\0';
	status = lab_program_parse((const char *)data, size, "FILE", &program,
				   &error);
	if (status) {
		REQUIRE(status < 0 && !program);
		REQUIRE(!strncmp(error.text, "FILE:", 5));
		REQUIRE(strlen(error.text) > 7);
		REQUIRE(!strchr(error.text, '\n'));
		return 0;
	}
	REQUIRE(program);
	require_program(program);
	lab_program_free(program);
	return 0;
}

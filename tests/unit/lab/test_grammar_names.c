/* SPDX-License-Identifier: Apache-2.0 */
/* Objects and tasks by name. */
#include <stdio.h>
#include <stdlib.h>

#include "lab/grammar/reader.h"
#include "unit/lab/grammar.h"

TEST(a_name_of_a_kind_is_one_object)
{
	struct lab_program *program = taken(
		"{\"tasks\":{\"a\":{\"lock\":\"x\",\"lock2\":\"y\","
		"\"unlock\":\"x\"},\"b\":{\"lock\":\"x\",\"barrier\":\"x\"}}}");

	CHECK_EQ(program->object_count, 3);
	CHECK_EQ(op_of(program, 0, 0)->object, 0);
	CHECK_EQ(op_of(program, 0, 1)->object, 1);
	CHECK_EQ(op_of(program, 0, 2)->object, 0);
	CHECK_EQ(op_of(program, 1, 0)->object, 0);
	CHECK_EQ(op_of(program, 1, 1)->object, 2);
	CHECK_STR(program->objects[0].name, "x");
	CHECK_EQ(program->objects[0].kind, LAB_MUTEX);
	CHECK_EQ(program->objects[0].place.column, 23);
	CHECK_EQ(program->objects[2].kind, LAB_BARRIER_OBJECT);
	lab_program_free(program);
}

TEST(a_suspended_task_waits_on_the_condition_of_its_name)
{
	struct lab_program *program = taken(
		"{\"tasks\":{\"a\":{\"suspend\":\"a\"},\"b\":{\"resume\":\"a\","
		"\"lock\":\"a\",\"signal\":\"a\"}}}");

	CHECK_EQ(program->object_count, 2);
	CHECK_EQ(op_of(program, 0, 0)->object, op_of(program, 1, 0)->object);
	CHECK_EQ(op_of(program, 0, 0)->mutex, op_of(program, 1, 0)->mutex);
	CHECK_EQ(op_of(program, 1, 1)->object, op_of(program, 1, 0)->mutex);
	CHECK_EQ(op_of(program, 1, 2)->object, op_of(program, 1, 0)->object);
	lab_program_free(program);
}

TEST(a_unique_timer_belongs_to_its_task)
{
	struct lab_program *program =
		taken("{\"tasks\":{\"a\":{\"timer\":{\"ref\":\"unique\"},"
		      "\"timer2\":{\"ref\":\"shared\"}},"
		      "\"b\":{\"timer\":{\"ref\":\"unique\"},"
		      "\"timer2\":{\"ref\":\"shared\"}}}}");

	CHECK_EQ(program->object_count, 3);
	CHECK_EQ(program->objects[0].owner, 0);
	CHECK_EQ(program->objects[0].unique, true);
	CHECK_EQ(program->objects[1].owner, LAB_NONE);
	CHECK_EQ(program->objects[1].unique, false);
	CHECK_EQ(program->objects[2].owner, 1);
	CHECK_EQ(op_of(program, 1, 1)->object, 1);
	lab_program_free(program);
}

TEST(a_taken_task_name_gets_a_number)
{
	struct lab_program *program =
		taken("{\"tasks\":{\"a\":{\"run\":1},\"a1\":{\"run\":2},"
		      "\"a\":{\"suspend\"},\"a\":{\"run\":4}}}");

	CHECK_EQ(program->spec_count, 4);
	CHECK_STR(program->specs[0].name, "a");
	CHECK_STR(program->specs[1].name, "a1");
	CHECK_STR(program->specs[2].name, "a2");
	CHECK_STR(program->specs[3].name, "a3");
	CHECK_STR(program->objects[0].name, "a2");
	CHECK_EQ(program->warning_count, 2);
	CHECK_STR(program->warnings[0].text,
		  "there is a task \"a\" already, this one is called \"a2\"");
	CHECK_EQ(program->warnings[0].place.column, 40);
	lab_program_free(program);
}

TEST(many_names_are_found_in_little_time)
{
	const size_t count = test_rounds(50000);
	char *text = malloc(count * 64 + 64);
	size_t used;
	struct lab_program *program;

	CHECK(text);
	used = (size_t)sprintf(text, "{\"tasks\":{");
	for (size_t i = 0; i < count; i++)
		used += (size_t)sprintf(text + used,
					"\"same\":{\"lock\":\"m%zu\","
					"\"resume\":\"same\"},",
					i);
	strcpy(text + used, "}}");
	program = taken(text);
	CHECK_EQ(program->spec_count, count);
	CHECK_EQ(program->object_count, count + 2);
	lab_program_free(program);
	free(text);
}

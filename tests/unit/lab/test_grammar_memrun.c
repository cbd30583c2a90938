/* SPDX-License-Identifier: Apache-2.0 */
/* lab/grammar/memrun.c: memrun, its buffers, what it refuses. */
#include "unit/lab/grammar.h"

#define MEMRUN(members) TASK("\"run\":1,\"memrun\":{" members "}")

TEST(a_memrun_says_how_it_goes_through_its_buffer)
{
	struct lab_program *program =
		taken(TASK("\"memrun\":{\"type\":\"write\",\"size\":4096,"
			   "\"count\":7},\"memrun1\":{\"type\":\"chase\","
			   "\"size\":8192,\"count\":9,\"stride\":4,"
			   "\"pattern\":\"random\"}"));
	const struct lab_op *first = op_of(program, 0, 0);
	const struct lab_op *second = op_of(program, 0, 1);

	CHECK_EQ(program->warning_count, 0);
	CHECK_EQ(first->kind, LAB_MEMRUN);
	CHECK_EQ(first->amount_us, 7);
	CHECK_EQ(program->memories[first->memory].type, LAB_MEMORY_WRITE);
	CHECK_EQ(program->memories[first->memory].bytes, 4096);
	CHECK_EQ(program->memories[first->memory].stride, 64);
	CHECK_EQ(program->memories[first->memory].random, false);
	CHECK_NE(first->object, second->object);
	CHECK_EQ(program->objects[first->object].unique, true);
	CHECK_EQ(program->objects[first->object].owner, 0);
	/* A place of a chain holds a number. */
	CHECK_EQ(program->memories[second->memory].stride, 8);
	CHECK_EQ(program->memories[second->memory].random, true);
	lab_program_free(program);
}

TEST(a_reference_is_one_buffer_for_all)
{
	struct lab_program *program = taken(
		"{\"tasks\":{\"t\":{\"memrun\":{\"type\":\"read\",\"size\":64,"
		"\"count\":1,\"ref\":\"x\"}},\"u\":{\"memrun\":{\"type\":"
		"\"read\",\"size\":64,\"count\":2,\"ref\":\"x\"}}}}");

	CHECK_EQ(op_of(program, 0, 0)->object, op_of(program, 1, 0)->object);
	CHECK_EQ(op_of(program, 1, 0)->amount_us, 2);
	CHECK_EQ(program->objects[op_of(program, 0, 0)->object].unique, false);
	lab_program_free(program);
	refused(TASK("\"memrun\":{\"type\":\"read\",\"size\":64,\"count\":1,"
		     "\"ref\":\"x\"},\"memrun2\":{\"type\":\"read\","
		     "\"size\":65,\"count\":1,\"ref\":\"x\"}"),
		"f:1:81: \"memrun\" of \"x\" differs from the one before, "
		"expected the same but for \"count\"");
}

TEST(values_are_looked_at)
{
	static const struct refusal refusals[] = {
		{TASK("\"memrun\":5"),
		 "f:1:25: \"memrun\" is an integer, expected an object with "
		 "\"type\", \"size\" and \"count\""},
		{MEMRUN("\"type\":\"read\",\"size\":1"),
		 "f:1:33: \"memrun\" lacks \"count\", expected \"type\", "
		 "\"size\" and \"count\""},
		{MEMRUN("\"type\":\"read\",\"count\":1"),
		 "f:1:33: \"memrun\" lacks \"size\", expected \"type\", "
		 "\"size\" and \"count\""},
		{MEMRUN(""),
		 "f:1:33: \"memrun\" lacks \"type\", expected \"type\", "
		 "\"size\" and \"count\""},
		{MEMRUN("\"type\":\"copy\""),
		 "f:1:41: \"type\" is \"copy\", expected one of \"read\", "
		 "\"write\", \"chase\""},
		{MEMRUN("\"pattern\":\"wild\""),
		 "f:1:44: \"pattern\" is \"wild\", expected one of \"random\", "
		 "\"sequential\""},
		{MEMRUN("\"size\":0"),
		 "f:1:41: \"size\" is 0, expected at least 1 (bytes)"},
		{MEMRUN("\"stride\":0"),
		 "f:1:43: \"stride\" is 0, expected at least 1 (bytes)"},
	};

	REFUSED(refusals);
}

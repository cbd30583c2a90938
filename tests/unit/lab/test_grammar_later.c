/* SPDX-License-Identifier: Apache-2.0 */
/* Events that are left out: named in one warning, their values looked at. */
#include "unit/lab/grammar.h"

#define MEMRUN(members) TASK("\"run\":1,\"memrun\":{" members "}")

TEST(what_is_left_out_is_named_in_one_warning)
{
	struct lab_program *program = taken(
		"{\"tasks\":{\"t\":{\"run\":1,\n\"mem\":5,\n\"memrun\":"
		"{\"type\":\"chase\",\"size\":4096,\"count\":1,\"stride\":64,"
		"\"pattern\":\"random\",\"ref\":\"x\"},\n\"iorun\":7,\n"
		"\"mem2\":1,\"sleep\":2}}}");

	CHECK_EQ(program->specs[0].phases[0].op_count, 2);
	CHECK_EQ(op_of(program, 0, 1)->kind, LAB_SLEEP);
	CHECK_EQ(program->warning_count, 1);
	CHECK_STR(program->warnings[0].text,
		  "not done in this version and left out: mem (line 2), "
		  "memrun (line 3), iorun (line 4)");
	CHECK_EQ(program->warnings[0].place.line, 2);
	CHECK_EQ(program->warnings[0].place.column, 1);
	lab_program_free(program);
}

TEST(values_are_looked_at)
{
	static const struct refusal refusals[] = {
		{TASK("\"mem\":\"5\""),
		 "f:1:22: \"mem\" is a string, expected an integer (a count)"},
		{TASK("\"iorun\":-1"),
		 "f:1:24: \"iorun\" is -1, expected at least 0 (a count)"},
		{TASK("\"sem_post\":1"),
		 "f:1:27: \"sem_post\" is an integer, expected a name in "
		 "quotes"},
		{TASK("\"sem_wait\":\"\""),
		 "f:1:27: \"sem_wait\" is empty, expected a name"},
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
		{TASK("\"fork\":5"),
		 "f:1:23: \"fork\" is an integer, expected a name in quotes"},
	};

	REFUSED(refusals);
}

TEST(a_phase_of_nothing_else_yields)
{
	struct lab_program *program = taken(TASK("\"mem\":5"));

	CHECK_EQ(program->specs[0].phases[0].op_count, 1);
	CHECK_EQ(op_of(program, 0, 0)->kind, LAB_YIELD);
	CHECK_EQ(op_of(program, 0, 0)->object, LAB_NONE);
	lab_program_free(program);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The reader's top: the root, files, and what is warned of. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "unit/lab/grammar.h"

TEST(a_text_of_nothing_is_refused)
{
	static const struct refusal refusals[] = {
		{"", "f:1:1: the file is empty, expected an object with "
		     "\"tasks\""},
		{" \r\n\t", "f:1:1: the file is empty, expected an object with "
			    "\"tasks\""},
		{"// a", "f:1:5: the file ends, expected an object"},
		{"[]", "f:1:1: an array stands here, expected an object with "
		       "\"tasks\""},
		{" 5", "f:1:2: an integer stands here, expected an object with "
		       "\"tasks\""},
		{"{}", "f:1:1: there is no \"tasks\", expected an object of "
		       "tasks"},
		{"{\"tasks\":{}}", "f:1:1: there is no task to start, expected "
				   "at least one in \"tasks\""},
		{TASK("\"instance\":0,\"run\":1"),
		 "f:1:1: there is no task to start, expected at least one in "
		 "\"tasks\""},
	};

	REFUSED(refusals);
}

TEST(the_root_s_members_come_in_any_order)
{
	struct lab_program *program =
		taken("{\"resources\":{\"m\":{\"type\":\"mutex\"}},"
		      "\"tasks\":{\"a\":{\"run\":1}},"
		      "\"global\":{\"default_policy\":\"SCHED_RR\"},"
		      "\"tasks\":{\"b\":{\"run\":1}}}");

	CHECK_EQ(program->spec_count, 2);
	CHECK_EQ(program->specs[0].sched.policy, LAB_POLICY_RR);
	CHECK_EQ(program->warning_count, 0);
	CHECK_EQ(program->object_count, 0);
	CHECK_STR(program->file, "f");
	lab_program_free(program);
	warned("{\"tasks\":{\"a\":{\"run\":1}},\"task\":{}}", 1, 26,
	       "unknown key \"task\", passed over");
}

TEST(warnings_come_in_the_order_of_the_text)
{
	struct lab_program *program =
		taken("{\"x\":1,\n\"tasks\":{\"a\":{\"y\":1,\"run\":1,\"util_"
		      "min\":1}},\n"
		      "\"global\":{\"z\":1}}");

	CHECK_EQ(program->warning_count, 4);
	CHECK_HAS(program->warnings[0].text, "\"x\"");
	CHECK_HAS(program->warnings[1].text, "\"y\"");
	CHECK_HAS(program->warnings[2].text, "left out");
	CHECK_HAS(program->warnings[3].text, "\"z\"");
	lab_program_free(program);
}

TEST(many_unknown_keys_are_only_counted)
{
	char text[2048] = "{\"tasks\":{\"t\":{\"run\":1";
	struct lab_program *program;

	for (unsigned i = 0; i < 40; i++)
		sprintf(text + strlen(text), ",\"key%u\":1", i);
	strcat(text, "}}}");
	program = taken(text);
	CHECK_EQ(program->warning_count, 33);
	CHECK_STR(program->warnings[32].text,
		  "8 more unknown keys, passed over");
	lab_program_free(program);
}

TEST(a_file_is_read_by_name)
{
	char name[] = "/tmp/mete-test-XXXXXX";
	char wanted[128];
	struct lab_program *program = NULL;
	struct lab_error error;
	int fd = mkstemp(name);

	CHECK_EQ(write(fd, "{\"tasks\":{\"t\":{\"run\":\n1}}", 23), 23);
	close(fd);
	CHECK_EQ(lab_program_read(name, &program, &error), -22);
	snprintf(wanted, sizeof(wanted),
		 "%s:2:2: the file ends, expected \",\" or \"}\"", name);
	CHECK_STR(error.text, wanted);
	CHECK(!program);
	fd = open(name, O_WRONLY | O_APPEND);
	CHECK_EQ(write(fd, "}}}", 3), 3);
	close(fd);
	CHECK_EQ(lab_program_read(name, &program, &error), 0);
	CHECK_STR(program->file, name);
	lab_program_free(program);
	unlink(name);
	CHECK_EQ(lab_program_read(name, &program, &error), -2);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What JSON does not allow, and where the message says that it stands. */
#include <stdlib.h>

#include "unit/lab/grammar.h"

TEST(what_was_expected_is_said)
{
	static const struct refusal refusals[] = {
		{"{\"a\" 1}", "f:1:6: found \"1\", expected \":\""},
		{"{\"a\":}", "f:1:6: found \"}\", expected a value"},
		{"{\"a\":1 \"b\":2}",
		 "f:1:8: found \"b\", expected \",\" or \"}\""},
		{"{1:2}",
		 "f:1:2: found \"1\", expected a key in quotes or \"}\""},
		{"{\"a\":1,2:3}",
		 "f:1:8: found \"2\", expected a key in quotes"},
		{"{,}",
		 "f:1:2: found \",\", expected a key in quotes or \"}\""},
		{"[,]", "f:1:2: found \",\", expected a value or \"]\""},
		{"[1,,2]", "f:1:4: found \",\", expected a value"},
		{"[1 2]", "f:1:4: found \"2\", expected \",\" or \"]\""},
		{"[1}", "f:1:3: found \"}\", expected \",\" or \"]\""},
		{"{} x", "f:1:4: found \"x\", expected the end of the file"},
		{"{} {}", "f:1:4: found \"{\", expected the end of the file"},
		{"}", "f:1:1: found \"}\", expected an object"},
		{"{\"run\"}", "f:1:7: found \"}\", expected \":\""},
	};

	REFUSED(refusals);
}

TEST(lines_and_columns_survive_what_is_blanked)
{
	static const struct refusal refusals[] = {
		{"{\n\t/* a\n b */ \"a\" 1}",
		 "f:3:11: found \"1\", expected \":\""},
		{"{ // a\r\n \"a\":1,\n 2}",
		 "f:3:2: found \"2\", expected a key in quotes"},
		{"{\"suspend\", \"suspend\", 1}",
		 "f:1:24: found \"1\", expected a key in quotes"},
		{"\xEF\xBB\xBF{\n1}",
		 "f:2:1: found \"1\", expected a key in quotes or \"}\""},
	};

	REFUSED(refusals);
}

TEST(a_text_that_ends_early_is_refused_at_its_end)
{
	static const struct refusal refusals[] = {
		{"{", "f:1:2: the file ends, expected a key in quotes or "
		      "\"}\""},
		{"{\"a\"", "f:1:5: the file ends, expected \":\""},
		{"{\"a\":", "f:1:6: the file ends, expected a value"},
		{"{\"a\":1", "f:1:7: the file ends, expected \",\" or \"}\""},
		{"{\"a\":1,\n", "f:2:1: the file ends, expected a key in "
				"quotes"},
		{"[[1]", "f:1:5: the file ends, expected \",\" or \"]\""},
		{"{\"a\":\"b", "f:1:6: a string without end, expected '\"'"},
		{"{ /* a", "f:1:3: a comment without end, expected \"*/\""},
	};

	REFUSED(refusals);
}

TEST(broken_tokens_are_refused_where_they_begin)
{
	static const struct refusal refusals[] = {
		{"{a:1}", "f:1:2: invalid char in json text, expected a key in "
			  "quotes or \"}\""},
		{"{\"a\":tru}",
		 "f:1:6: invalid string in json text, expected a value"},
		{"{\"a\":\"b\\q\"}",
		 "f:1:6: inside a string, '\\' occurs before a character which "
		 "it may not, expected a value"},
		{"{\"a\":\"\xff\xfe\"}",
		 "f:1:6: invalid bytes in UTF8 string, expected a value"},
		{"{\"a\":\"x\ny\"}",
		 "f:1:6: invalid character inside string, expected a value"},
		{"{\"a\":\xff}",
		 "f:1:6: invalid char in json text, expected a value"},
		{"{\"a\":-}",
		 "f:1:6: malformed number, a digit is required after the minus "
		 "sign, expected a value"},
		{"{\"a\":01}", "f:1:7: found \"1\", expected \",\" or \"}\""},
		{"{\"a\\u0000b\":1}", "f:1:2: a string holds the character "
				      "\\u0000, expected text"},
		{"{\"a\":\"\\u0000\"}", "f:1:6: a string holds the character "
					"\\u0000, expected text"},
	};

	REFUSED(refusals);
}

TEST(a_nul_byte_is_refused)
{
	static const char text[] = "{\"a\":\0}";
	struct lab_program *program = NULL;
	struct lab_error error;

	CHECK_EQ(lab_program_parse(text, sizeof(text) - 1, "f", &program,
				   &error),
		 -22);
	CHECK_STR(error.text,
		  "f:1:6: invalid char in json text, expected a value");
	CHECK(!program);
}

TEST(deep_nesting_is_refused_where_it_is_too_deep)
{
	char text[LAB_NESTING_MAX + 2] = "";

	memset(text, '[', LAB_NESTING_MAX + 1);
	refused(text, "f:1:65: nested too deeply, expected at most 64 objects "
		      "and arrays in one another");
}

TEST(escapes_are_read)
{
	struct lab_program *program =
		taken("{\"tasks\":{\"\\u0061\\\"b\":{\"r\\u0075n\":7}}}");

	CHECK_STR(program->specs[0].name, "a\"b");
	CHECK_EQ(op_of(program, 0, 0)->amount_us, 7);
	lab_program_free(program);
}

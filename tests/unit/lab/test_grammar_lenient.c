/* SPDX-License-Identifier: Apache-2.0 */
/* The pre-pass: what it blanks, what it leaves, what it lists. */
#include <stdlib.h>

#include "lab/grammar/lenient.h"
#include "unit/lab/grammar.h"

/* `text` becomes `wanted`, with `count` bare suspends. */
static void becomes(const char *text, const char *wanted, size_t count)
{
	struct lab_bare bare;
	struct lab_fault fault;
	char *copy = strdup(text);

	CHECK(copy);
	CHECK_EQ(lab_lenient(copy, strlen(copy), &bare, &fault), 0);
	CHECK_STR(copy, wanted);
	CHECK_EQ(bare.count, count);
	free(bare.ends);
	free(copy);
}

TEST(comments_become_blanks)
{
	becomes("{/*a*/}", "{     }", 0);
	becomes("{//a\n}", "{   \n}", 0);
	becomes("[1, // b", "[1,     ", 0);
	becomes("{/* a\n * b **/}", "{    \n        }", 0);
	becomes("/**/ 1 /*/ */", "     1       ", 0);
}

TEST(strings_stay_as_they_are)
{
	becomes("[\"//a\",\"/*\",\"*/\"]", "[\"//a\",\"/*\",\"*/\"]", 0);
	becomes("[\"\\\"//\"]", "[\"\\\"//\"]", 0);
	becomes("[\"\\\\\"/**/]", "[\"\\\\\"    ]", 0);
	becomes("[\",]\",\"{,}\"]", "[\",]\",\"{,}\"]", 0);
	becomes("[1 / 2]", "[1 / 2]", 0);
}

TEST(trailing_commas_become_blanks)
{
	becomes("{\"a\":1,}", "{\"a\":1 }", 0);
	becomes("[1, \n]", "[1  \n]", 0);
	becomes("[[1,],]", "[[1 ] ]", 0);
	becomes("{\"a\":1,/**/}", "{\"a\":1     }", 0);
	/* These are no trailing commas, and are the parser's to refuse. */
	becomes("[,]", "[,]", 0);
	becomes("{,}", "{,}", 0);
	becomes("[1,,]", "[1,,]", 0);
}

TEST(a_byte_order_mark_becomes_blanks)
{
	becomes("\xEF\xBB\xBF{}", "   {}", 0);
	becomes("{\xEF\xBB\xBF}", "{\xEF\xBB\xBF}", 0);
}

TEST(a_bare_suspend_is_listed)
{
	becomes("{\"suspend\",\"run\":1}", "{\"suspend\",\"run\":1}", 1);
	becomes("{\"run\":1,\"suspend\"}", "{\"run\":1,\"suspend\"}", 1);
	becomes("{\"suspend2\" /**/ , }", "{\"suspend2\"        }", 1);
	becomes("{\"suspend\",\"suspend\"}", "{\"suspend\",\"suspend\"}", 2);
}

TEST(other_strings_are_no_bare_suspends)
{
	becomes("{\"suspend\":\"a\"}", "{\"suspend\":\"a\"}", 0);
	becomes("{\"a\":\"suspend\"}", "{\"a\":\"suspend\"}", 0);
	becomes("[\"suspend\",1]", "[\"suspend\",1]", 0);
	becomes("{\"run\"}", "{\"run\"}", 0);
	becomes("{\"suspen\"}", "{\"suspen\"}", 0);
	becomes("{\"suspend\"", "{\"suspend\"", 0);
	becomes("{\"suspend\" 1}", "{\"suspend\" 1}", 0);
	becomes("{\"a\":{},\"suspend\"}", "{\"a\":{},\"suspend\"}", 1);
}

TEST(a_bare_suspend_ends_after_its_quote)
{
	char text[] = "{ \"suspend\" , \"run\" : 1 }";
	struct lab_bare bare;
	struct lab_fault fault;

	CHECK_EQ(lab_lenient(text, strlen(text), &bare, &fault), 0);
	CHECK_EQ(bare.count, 1);
	CHECK_EQ(bare.ends[0], strlen("{ \"suspend\""));
	free(bare.ends);
}

TEST(a_comment_without_end_is_refused_where_it_begins)
{
	char text[] = "{ /* a\n }";
	char star[] = "{ /*/";
	struct lab_bare bare;
	struct lab_fault fault;

	CHECK_EQ(lab_lenient(text, strlen(text), &bare, &fault), -22);
	CHECK_EQ(fault.offset, 2);
	CHECK_HAS(fault.what, "comment");
	CHECK_EQ(lab_lenient(star, strlen(star), &bare, &fault), -22);
}

TEST(a_lost_quote_ends_with_its_line)
{
	becomes("[\"a\n,1,]", "[\"a\n,1 ]", 0);
	becomes("[\"a\\", "[\"a\\", 0);
	becomes("/", "/", 0);
	becomes("", "", 0);
}

TEST(nesting_is_bounded)
{
	char text[LAB_NESTING_MAX + 2];
	struct lab_bare bare;
	struct lab_fault fault;

	memset(text, '[', sizeof(text));
	CHECK_EQ(lab_lenient(text, LAB_NESTING_MAX, &bare, &fault), 0);
	free(bare.ends);
	CHECK_EQ(lab_lenient(text, LAB_NESTING_MAX + 1, &bare, &fault), -22);
	CHECK_EQ(fault.offset, LAB_NESTING_MAX);
	CHECK_HAS(fault.what, "64");
	refused("[]]", "f:1:3: found \"]\", expected the end of the file");
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Messages: quoting, places, lengths. */
#include "lab/grammar/message.h"
#include "unit/lab/grammar.h"

TEST(words_are_quoted)
{
	CHECK_STR(lab_quote("run").text, "\"run\"");
	CHECK_STR(lab_quote("").text, "\"\"");
	CHECK_STR(lab_quote_bytes("running", 3).text, "\"run\"");
}

TEST(control_characters_are_not_shown)
{
	CHECK_STR(lab_quote("a\nb\x1b[31m\x7f").text, "\"a?b?[31m?\"");
	CHECK_STR(lab_quote("\xc3\xa4").text, "\"\xc3\xa4\"");
}

TEST(long_words_are_cut_between_characters)
{
	char word[200];
	struct lab_quoted quoted;

	memset(word, 'x', sizeof(word) - 1);
	word[sizeof(word) - 1] = '\0';
	quoted = lab_quote(word);
	CHECK_EQ(strlen(quoted.text), LAB_QUOTED_BYTES - 1);
	CHECK_HAS(quoted.text, "xxx...\"");
	/* Two bytes each, from an odd place: the cut falls inside of one. */
	for (size_t i = 1; i + 1 < sizeof(word) - 1; i += 2)
		memcpy(word + i, "\xc3\xa4", 2);
	quoted = lab_quote(word);
	CHECK_HAS(quoted.text, "\xa4...\"");
	CHECK_EQ(strlen(quoted.text) % 2, 0);
}

TEST(a_message_begins_with_its_place)
{
	struct lab_error error;

	lab_error_at(&error, "a.json", (struct lab_place){3, 7}, "bad %d", 5);
	CHECK_STR(error.text, "a.json:3:7: bad 5");
	CHECK_EQ(error.place.line, 3);
	CHECK_EQ(error.place.column, 7);
	lab_error_at(&error, "a.json", (struct lab_place){0, 0}, "gone");
	CHECK_STR(error.text, "a.json: gone");
	CHECK_EQ(error.place.line, 0);
}

TEST(a_long_file_name_leaves_room_for_what_is_said)
{
	static char name[8192];
	struct lab_error error;

	memset(name, 'd', sizeof(name) - 1);
	lab_error_at(&error, name, (struct lab_place){1, 2}, "the end");
	CHECK_HAS(error.text, ":1:2: the end");
	lab_error_at(&error, "f", (struct lab_place){1, 2}, "%s", name);
	CHECK_EQ(strlen(error.text),
		 strlen("f:1:2: ") + LAB_ERROR_WHAT_BYTES - 1);
}

TEST(places_count_lines_and_bytes)
{
	const char *text = "ab\n\ncd";

	CHECK_EQ(lab_place_of(text, 0).line, 1);
	CHECK_EQ(lab_place_of(text, 0).column, 1);
	CHECK_EQ(lab_place_of(text, 2).column, 3);
	CHECK_EQ(lab_place_of(text, 3).line, 2);
	CHECK_EQ(lab_place_of(text, 5).line, 3);
	CHECK_EQ(lab_place_of(text, 5).column, 2);
}

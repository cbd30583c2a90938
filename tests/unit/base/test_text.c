/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text by hand says what printf says, and stays in its room.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "harness/test.h"

static char buffer[128];
static struct text text;

static void begin(size_t room)
{
	memset(buffer, '#', sizeof(buffer));
	text = (struct text){.at = buffer, .room = room};
}

/* What was written, and that nothing was beyond it. */
static const char *written(void)
{
	static char copy[sizeof(buffer) + 1];

	CHECK_LE(text.used, text.room);
	for (size_t i = text.used; i < sizeof(buffer); i++)
		CHECK_EQ(buffer[i], '#');
	memcpy(copy, buffer, text.used);
	copy[text.used] = '\0';
	return copy;
}

static void check_number(uint64_t n)
{
	char expected[128];

	begin(sizeof(buffer));
	text_decimal(&text, n);
	text_char(&text, ' ');
	text_hex(&text, n, 1);
	text_char(&text, ' ');
	text_hex(&text, n, 16);
	text_char(&text, ' ');
	text_seconds(&text, n);
	snprintf(expected, sizeof(expected),
		 "%" PRIu64 " 0x%" PRIx64 " 0x%016" PRIx64 " %" PRIu64
		 ".%09" PRIu64,
		 n, n, n, n / 1000000000, n % 1000000000);
	CHECK_STR(written(), expected);
}

TEST(numbers)
{
	uint64_t state = test_seed();

	for (unsigned bit = 0; bit < 64; bit++) {
		check_number(UINT64_C(1) << bit);
		check_number((UINT64_C(1) << bit) - 1);
		check_number(test_random(&state) >> bit);
	}
	for (uint64_t n = 1; n < UINT64_MAX / 10; n *= 10)
		check_number(n);
	check_number(UINT64_MAX);
}

TEST(names_are_made_plain)
{
	begin(sizeof(buffer));
	text_name(&text, "a \"b\"\n\x7f\x1b[0m \xc3\xa4", 100);
	CHECK_STR(written(), "a ?b????[0m \xc3\xa4");
	/* One that lost its end. */
	begin(sizeof(buffer));
	text_name(&text, "abcdef", 3);
	CHECK_STR(written(), "abc");
}

TEST(columns)
{
	begin(sizeof(buffer));
	text_string(&text, "one");
	text_pad(&text, 0, 6);
	text_string(&text, "two");
	text_pad(&text, 6, 3);
	text_string(&text, "three");
	text_pad(&text, 10, 2);
	CHECK_STR(written(), "one   two three ");
}

TEST(what_does_not_fit_is_cut)
{
	for (size_t room = 0; room < 40; room++) {
		begin(room);
		text_string(&text, "0123456789");
		text_decimal(&text, 1234567890);
		text_name(&text, "name", 4);
		text_pad(&text, 0, 1000);
		text_char(&text, 'x');
		CHECK_EQ(text.used, room);
		CHECK_EQ(strncmp(written(),
				 "01234567891234567890name"
				 "                ",
				 room),
			 0);
	}
}

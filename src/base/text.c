/* SPDX-License-Identifier: Apache-2.0 */
/* Text by hand, since nothing of the C library that formats is signal-safe. */
#include "base/text.h"

#include <stdbool.h>

void text_char(struct text *text, char c)
{
	if (text->used < text->room)
		text->at[text->used++] = c;
}

void text_string(struct text *text, const char *string)
{
	while (*string)
		text_char(text, *string++);
}

static bool is_plain(unsigned char c)
{
	return c >= ' ' && c != 0x7f && c != '"';
}

void text_name(struct text *text, const char *name, size_t most)
{
	for (size_t i = 0; i < most && name[i]; i++) {
		char c = name[i];

		if (!is_plain((unsigned char)c))
			c = '?';
		text_char(text, c);
	}
}

/* At least `digits` digits to the base 10 or 16. */
static void number_to(struct text *text, uint64_t number, unsigned base,
		      unsigned digits)
{
	char reversed[TEXT_NUMBER_MAX];
	unsigned count = 0;

	while (number || count < digits) {
		reversed[count++] = "0123456789abcdef"[number % base];
		number /= base;
	}
	while (count)
		text_char(text, reversed[--count]);
}

void text_decimal(struct text *text, uint64_t number)
{
	number_to(text, number, 10, 1);
}

void text_hex(struct text *text, uint64_t number, unsigned digits)
{
	text_string(text, "0x");
	number_to(text, number, 16, digits);
}

void text_seconds(struct text *text, uint64_t ns)
{
	text_decimal(text, ns / 1000000000);
	text_char(text, '.');
	number_to(text, ns % 1000000000, 10, 9);
}

void text_pad(struct text *text, size_t from, size_t width)
{
	do
		text_char(text, ' ');
	while (text->used - from < width && text->used < text->room);
}

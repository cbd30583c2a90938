/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bounded text, for signal handlers: no allocation, no locale, no stdio.
 *
 * What does not fit is cut, and nothing is ever written beyond the room.  The
 * text is not ended by NUL.
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stddef.h>
#include <stdint.h>

struct text {
	char *at;
	size_t used;
	size_t room;
};

/* How many bytes the longest number takes. */
#define TEXT_NUMBER_MAX 24

void text_char(struct text *text, char c);
void text_string(struct text *text, const char *string);
/* At most `most` bytes of a name that may be torn: neither quotes nor control
 * characters are let through. */
void text_name(struct text *text, const char *name, size_t most);
void text_decimal(struct text *text, uint64_t number);
/* 0x and at least `digits` digits. */
void text_hex(struct text *text, uint64_t number, unsigned digits);
/* Seconds with all nine digits behind the point. */
void text_seconds(struct text *text, uint64_t ns);
/* Spaces until at least `width` bytes have come since the text was `from` long;
 * one in any case. */
void text_pad(struct text *text, size_t from, size_t width);

#endif

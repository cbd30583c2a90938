/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Figures for people: a few significant digits and a unit that fits.
 *
 * Unknown is "-", nothing is "0".  No figure takes more than seven columns
 * until it passes a million seconds, or a signed one eight.
 */
#ifndef CLI_FORMAT_H
#define CLI_FORMAT_H

#include <stddef.h>
#include <stdint.h>

/* Room that every figure fits in. */
#define FORMAT_BYTES 32

void format_time(char text[FORMAT_BYTES], uint64_t ns);
void format_signed_time(char text[FORMAT_BYTES], int64_t ns);
void format_count(char text[FORMAT_BYTES], uint64_t count);
void format_percent(char text[FORMAT_BYTES], uint64_t part, uint64_t whole);
/* "10.000 s", whatever the size. */
void format_seconds(char text[FORMAT_BYTES], uint64_t ns);

/* Columns that UTF-8 text takes, one for each character. */
size_t format_width(const char *text);

/*
 * Copies `name` shortened to `width` columns with an ellipsis in its middle,
 * since numbers stand at its end.
 */
void format_shorten(char *text, size_t size, const char *name, size_t width,
		    const char *ellipsis);

#endif

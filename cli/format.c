/* SPDX-License-Identifier: Apache-2.0 */
/* Figures for people; see format.h. */
#include "cli/format.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "lab/books.h"

/* Three significant digits of a value below 1,000. */
static void three_digits(char text[FORMAT_BYTES], double value,
			 const char *unit)
{
	int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;

	snprintf(text, FORMAT_BYTES, "%.*f %s", decimals, value, unit);
}

void format_time(char text[FORMAT_BYTES], uint64_t ns)
{
	double value = (double)ns;

	if (ns == LAB_UNKNOWN)
		snprintf(text, FORMAT_BYTES, "-");
	else if (ns == 0)
		snprintf(text, FORMAT_BYTES, "0");
	else if (ns < 1000)
		snprintf(text, FORMAT_BYTES, "%" PRIu64 " ns", ns);
	else if (value < 999.5e3)
		three_digits(text, value / 1e3, "us");
	else if (value < 999.5e6)
		three_digits(text, value / 1e6, "ms");
	else if (value < 9.9995e9)
		snprintf(text, FORMAT_BYTES, "%.3f s", value / 1e9);
	else if (value < 99.995e9)
		snprintf(text, FORMAT_BYTES, "%.2f s", value / 1e9);
	else if (value < 999.95e9)
		snprintf(text, FORMAT_BYTES, "%.1f s", value / 1e9);
	else
		snprintf(text, FORMAT_BYTES, "%.0f s", value / 1e9);
}

void format_signed_time(char text[FORMAT_BYTES], int64_t ns)
{
	char figure[FORMAT_BYTES];

	if (ns == LAB_UNKNOWN_SIGNED) {
		snprintf(text, FORMAT_BYTES, "-");
		return;
	}
	format_time(figure, ns < 0 ? (uint64_t)-ns : (uint64_t)ns);
	snprintf(text, FORMAT_BYTES, "%s%.*s", ns < 0 ? "-" : "",
		 FORMAT_BYTES - 2, figure);
}

void format_count(char text[FORMAT_BYTES], uint64_t count)
{
	if (count == LAB_UNKNOWN)
		snprintf(text, FORMAT_BYTES, "-");
	else if (count < 10000000)
		snprintf(text, FORMAT_BYTES, "%" PRIu64, count);
	else if (count < UINT64_C(9999500000))
		snprintf(text, FORMAT_BYTES, "%.2f M", (double)count / 1e6);
	else
		snprintf(text, FORMAT_BYTES, "%.2f G", (double)count / 1e9);
}

void format_percent(char text[FORMAT_BYTES], uint64_t part, uint64_t whole)
{
	if (part == LAB_UNKNOWN || whole == LAB_UNKNOWN || whole == 0)
		snprintf(text, FORMAT_BYTES, "-");
	else
		snprintf(text, FORMAT_BYTES, "%.1f",
			 100 * (double)part / (double)whole);
}

void format_seconds(char text[FORMAT_BYTES], uint64_t ns)
{
	if (ns == LAB_UNKNOWN)
		snprintf(text, FORMAT_BYTES, "-");
	else
		snprintf(text, FORMAT_BYTES, "%.3f s", (double)ns / 1e9);
}

/* Bytes that follow the first of a character. */
static bool continues(char byte)
{
	return ((unsigned char)byte & 0xc0) == 0x80;
}

size_t format_width(const char *text)
{
	size_t width = 0;

	for (; *text; text++)
		if (!continues(*text))
			width++;
	return width;
}

/* Bytes that the first `width` characters take. */
static size_t bytes_of(const char *text, size_t width)
{
	size_t bytes = 0;

	while (text[bytes] && (width > 0 || continues(text[bytes]))) {
		if (!continues(text[bytes]))
			width--;
		bytes++;
	}
	return bytes;
}

void format_shorten(char *text, size_t size, const char *name, size_t width,
		    const char *ellipsis)
{
	size_t have = format_width(name);
	size_t mark = format_width(ellipsis);
	size_t head;
	size_t tail;

	if (have <= width) {
		snprintf(text, size, "%s", name);
		return;
	}
	if (width <= mark) {
		snprintf(text, size, "%s", width == mark ? ellipsis : "");
		return;
	}
	tail = (width - mark) / 2;
	head = width - mark - tail;
	snprintf(text, size, "%.*s%s%s", (int)bytes_of(name, head), name,
		 ellipsis, name + bytes_of(name, have - tail));
}

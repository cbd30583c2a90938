/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages of the reader.  What comes out of a file is shown in quotes and
 * never as it stands: a message is one line whatever the file holds.
 */
#include "lab/grammar/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct lab_quoted lab_quote_bytes(const char *word, size_t length)
{
	struct lab_quoted quoted;
	const size_t room = sizeof(quoted.text) - sizeof("\"...\"");
	size_t shown = length <= room ? length : room;
	char *to = quoted.text;

	/* Not in the middle of a character: 10xxxxxx continues one. */
	while (shown < length && shown > 0 &&
	       ((unsigned char)word[shown] & 0xC0) == 0x80)
		shown--;
	*to++ = '"';
	for (size_t i = 0; i < shown; i++) {
		unsigned char byte = (unsigned char)word[i];

		*to++ = word[i];
		if (byte < 0x20 || byte == 0x7F)
			to[-1] = '?';
	}
	if (shown < length)
		memcpy(to, "...\"", sizeof("...\""));
	else
		memcpy(to, "\"", sizeof("\""));
	return quoted;
}

struct lab_quoted lab_quote(const char *word)
{
	return lab_quote_bytes(word, strlen(word));
}

void lab_error_at(struct lab_error *error, const char *file,
		  struct lab_place place, const char *format, ...)
{
	/* So much of the name that all of what is said has room. */
	const int name = LAB_ERROR_BYTES - LAB_ERROR_WHAT_BYTES - 32;
	char what[LAB_ERROR_WHAT_BYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	error->place = place;
	if (place.line > 0)
		snprintf(error->text, sizeof(error->text), "%.*s:%u:%u: %s",
			 name, file, place.line, place.column, what);
	else
		snprintf(error->text, sizeof(error->text), "%.*s: %s", name,
			 file, what);
}

struct lab_place lab_place_of(const char *text, size_t offset)
{
	struct lab_place place = {1, 1};

	for (size_t i = 0; i < offset; i++) {
		if (text[i] == '\n') {
			place.line++;
			place.column = 1;
		} else {
			place.column++;
		}
	}
	return place;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of a workload file.  Read as a stream and to a bound, so that a
 * pipe serves as well as a file and /dev/zero ends with a message.
 */
#include "lab/grammar/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/grammar/message.h"

#define FIRST_BYTES 4096u

static const struct lab_place nowhere;

const char *lab_text_name(const char *file)
{
	return strcmp(file, "-") == 0 ? "<stdin>" : file;
}

/* Room for one more byte and the NUL. */
static int make_room(struct lab_text *text, size_t *room)
{
	size_t more = *room ? 2 * *room : FIRST_BYTES;
	char *grown;

	if (*room - text->length >= 2)
		return 0;
	grown = realloc(text->bytes, more);
	if (!grown)
		return -ENOMEM;
	text->bytes = grown;
	*room = more;
	return 0;
}

/* Reads until the end, or refuses where one byte more than allowed came. */
static int read_stream(FILE *stream, struct lab_text *text)
{
	size_t room = 0;
	size_t got = 1;

	while (got > 0) {
		int r = make_room(text, &room);

		if (r < 0)
			return r;
		errno = 0;
		got = fread(text->bytes + text->length, 1,
			    room - text->length - 1, stream);
		text->length += got;
		text->bytes[text->length] = '\0';
		if (text->length > LAB_TEXT_BYTES_MAX)
			return -EFBIG;
	}
	if (ferror(stream))
		return errno ? -errno : -EIO;
	return 0;
}

int lab_text_read(const char *file, struct lab_text *ret_text,
		  struct lab_error *error)
{
	struct lab_text text = {0};
	FILE *stream = stdin;
	int r;

	if (strcmp(file, "-") != 0) {
		errno = 0;
		stream = fopen(file, "re");
	}
	r = stream ? read_stream(stream, &text) : -errno;
	if (stream && stream != stdin)
		fclose(stream);
	if (r == 0) {
		*ret_text = text;
		return 0;
	}
	free(text.bytes);
	if (r == -EFBIG) {
		lab_error_at(error, lab_text_name(file), nowhere,
			     "too long, expected at most %u MiB",
			     LAB_TEXT_BYTES_MAX >> 20);
		return -EINVAL;
	}
	if (r != -ENOMEM)
		lab_error_at(error, lab_text_name(file), nowhere,
			     "%s, expected a workload file", strerror(-r));
	return r;
}

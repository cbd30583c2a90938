/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages of the reader: "FILE:LINE:COLUMN: what, expected what".
 */
#ifndef LAB_GRAMMAR_MESSAGE_H
#define LAB_GRAMMAR_MESSAGE_H

#include <stddef.h>

#include "lab/program.h"

#define LAB_QUOTED_BYTES 64

/* A word of the user's, in quotes, fit to be shown: see lab_quote(). */
struct lab_quoted {
	char text[LAB_QUOTED_BYTES];
};

/*
 * `word` in quotes; control characters become '?', what is too long is cut
 * between characters and ends in "...".  By value, so that a message can take
 * several of them without storage of its own.
 */
struct lab_quoted lab_quote(const char *word);

/* The same for `length` bytes that need not end in a NUL. */
struct lab_quoted lab_quote_bytes(const char *word, size_t length);

/* Fills *error; a place of 0:0 is left out of the message. */
void lab_error_at(struct lab_error *error, const char *file,
		  struct lab_place place, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Line and column of byte `offset` of `text`; walks the text up to there. */
struct lab_place lab_place_of(const char *text, size_t offset);

#endif

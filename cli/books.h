/* SPDX-License-Identifier: Apache-2.0 */
/* The books of a run, printed on standard output. */
#ifndef CLI_BOOKS_H
#define CLI_BOOKS_H

#include "cli/term.h"
#include "lab/books.h"

/* For people. */
void books_text(const struct lab_books *books, const char *file,
		const struct term *term);

/* One JSON object on one line; unknown figures are null.  0 or -errno. */
int books_json(const struct lab_books *books);

#endif

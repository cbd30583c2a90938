/* SPDX-License-Identifier: Apache-2.0 */
/* What the output can show: width, characters, colours. */
#ifndef CLI_TERM_H
#define CLI_TERM_H

#include <stdbool.h>

enum term_color {
	TERM_COLOR_AUTO, /* on a terminal, unless NO_COLOR or TERM=dumb */
	TERM_COLOR_ALWAYS,
	TERM_COLOR_NEVER,
};

struct term {
	unsigned width; /* columns; 80 where the output is no terminal */
	bool utf8;
	bool color;
};

/* "auto", "always", "never"; false: none of them. */
bool term_color_parse(const char *word, enum term_color *ret_color);

/* What standard output can show. */
struct term term_of_stdout(enum term_color color);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What the output can show; see term.h. */
#include "cli/term.h"

#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define WIDTH_DEFAULT 80
#define WIDTH_MAX     200

bool term_color_parse(const char *word, enum term_color *ret_color)
{
	static const char *const words[] = {"auto", "always", "never"};

	for (unsigned i = 0; i < 3; i++) {
		if (strcmp(word, words[i]) == 0) {
			*ret_color = (enum term_color)i;
			return true;
		}
	}
	return false;
}

static bool wants_color(enum term_color color)
{
	const char *no_color = getenv("NO_COLOR");
	const char *name = getenv("TERM");

	if (color != TERM_COLOR_AUTO)
		return color == TERM_COLOR_ALWAYS;
	if (no_color && *no_color)
		return false;
	return isatty(STDOUT_FILENO) && name && strcmp(name, "dumb") != 0;
}

static unsigned width(void)
{
	struct winsize size;

	if (!isatty(STDOUT_FILENO) ||
	    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 ||
	    size.ws_col < WIDTH_DEFAULT)
		return WIDTH_DEFAULT;
	return size.ws_col < WIDTH_MAX ? size.ws_col : WIDTH_MAX;
}

struct term term_of_stdout(enum term_color color)
{
	return (struct term){
		.width = width(),
		.utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0,
		.color = wants_color(color),
	};
}

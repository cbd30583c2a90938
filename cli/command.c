/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands share: messages, numbers, the nearest name. */
#include "cli/command.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longer words are not compared. */
#define WORD_MAX 32

int cli_usage(const char *command, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	/* One line, and no orders to the terminal, whatever was typed. */
	for (char *at = text; *at; at++)
		if ((unsigned char)*at < 0x20 || *at == 0x7F)
			*at = '?';
	fprintf(stderr, "mete%s%s: %s\n", command ? " " : "",
		command ? command : "", text);
	return CLI_USAGE;
}

int cli_bad_option(const char *command, int option, char **argv)
{
	const char *word = argv[optind - 1];
	char letter[3] = {'-', (char)optopt, '\0'};

	/* A long option has left optopt 0, or its own short form. */
	if (strncmp(word, "--", 2) != 0 && optopt)
		word = letter;
	if (option == ':')
		return cli_usage(command, "option '%s' expects a value", word);
	return cli_usage(command, "unknown option '%s', see 'mete %s --help'",
			 word, command);
}

bool cli_number(const char *text, long min, long max, long *ret_number)
{
	char *end;
	long number;

	errno = 0;
	number = strtol(text, &end, 10);
	if (errno || end == text || *end || number < min || number > max)
		return false;
	*ret_number = number;
	return true;
}

bool cli_decimal(const char *text, double max, double *ret_number)
{
	char *end;
	double number;

	errno = 0;
	number = strtod(text, &end);
	if (errno || end == text || *end || !isfinite(number) || number > max)
		return false;
	*ret_number = number;
	return true;
}

bool cli_duration(const char *text, double unit_s, double *ret_s)
{
	static const struct {
		const char *name;
		double seconds;
	} units[] = {{"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"m", 60}};
	size_t length = strcspn(text, "ums");
	char number[WORD_MAX];
	double value;

	if (length >= sizeof(number))
		return false;
	memcpy(number, text, length);
	number[length] = '\0';
	if (text[length]) {
		size_t i = 0;

		while (i < 4 && strcmp(text + length, units[i].name) != 0)
			i++;
		if (i == 4)
			return false;
		unit_s = units[i].seconds;
	}
	/* Not what strtod() takes beside: signs, hexadecimals, words. */
	if (strspn(number, "0123456789.e-") != length ||
	    !cli_decimal(number, 1e12, &value) || value < 0)
		return false;
	*ret_s = value * unit_s;
	return true;
}

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Edits from the first i letters of a to the first j of b, by shorter ones. */
static unsigned edits_of(unsigned edits[][WORD_MAX + 1], const char *a,
			 const char *b, size_t i, size_t j)
{
	unsigned best;

	if (i == 0 || j == 0)
		return (unsigned)(i + j);
	best = edits[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
	best = least(best, edits[i - 1][j] + 1);
	best = least(best, edits[i][j - 1] + 1);
	/* Two neighbours that have changed places are one slip. */
	if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
		best = least(best, edits[i - 2][j - 2] + 1);
	return best;
}

static unsigned distance(const char *a, const char *b)
{
	unsigned edits[WORD_MAX + 1][WORD_MAX + 1];
	size_t m = strlen(a);
	size_t n = strlen(b);

	if (m > WORD_MAX || n > WORD_MAX)
		return WORD_MAX;
	for (size_t i = 0; i <= m; i++)
		for (size_t j = 0; j <= n; j++)
			edits[i][j] = edits_of(edits, a, b, i, j);
	return edits[m][n];
}

const char *cli_nearest(const char *typed, const char *const *candidates)
{
	const char *nearest = NULL;
	unsigned fewest = 3; /* two slips are a slip, three another word */

	for (; *candidates; candidates++) {
		unsigned edits = distance(typed, *candidates);

		if (edits < fewest && edits < strlen(*candidates)) {
			fewest = edits;
			nearest = *candidates;
		}
	}
	return nearest;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The program's commands, and what they share. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stdbool.h>

/* What the program leaves with. */
enum {
	CLI_OK = 0,
	CLI_FAULT = 1, /* a deadlock, an audit that does not close, no output */
	CLI_USAGE = 2, /* an option or a file that makes no sense */
	CLI_SIGINT = 130,
};

struct cli_command {
	const char *name;
	const char *summary;
	int (*run)(int argc, char **argv); /* argv[0]: the command's name */
	const char *help;                  /* the whole text of --help */
};

extern const struct cli_command cli_run;
extern const struct cli_command cli_bench;
extern const struct cli_command cli_help;

/* All of them, NULL behind the last. */
extern const struct cli_command *const cli_commands[];

/* One line on stderr, "mete COMMAND: …"; gives CLI_USAGE. */
int cli_usage(const char *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The message for what getopt_long() has just refused; gives CLI_USAGE. */
int cli_bad_option(const char *command, int option, char **argv);

/* Whole numbers and decimals from a command line; false: not one in range. */
bool cli_number(const char *text, long min, long max, long *ret_number);
bool cli_decimal(const char *text, double max, double *ret_number);

/*
 * A time such as "2", "500ms" or "1.5m": the units are us, ms, s and m, a bare
 * number counts `unit_s` seconds.  false: it is none.
 */
bool cli_duration(const char *text, double unit_s, double *ret_s);

/* The candidate nearest to what was typed, NULL: none is near. */
const char *cli_nearest(const char *typed, const char *const *candidates);

#endif

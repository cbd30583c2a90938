/* SPDX-License-Identifier: Apache-2.0 */
/* mete: one table of commands. */
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mete/version.h>

#include "cli/command.h"

const struct cli_command *const cli_commands[] = {
#ifdef METE_HAVE_YAJL
	&cli_run,
#endif
	&cli_bench,
	&cli_help,
	NULL,
};

static const struct cli_command *command_find(const char *name)
{
	for (size_t i = 0; cli_commands[i]; i++)
		if (strcmp(cli_commands[i]->name, name) == 0)
			return cli_commands[i];
	return NULL;
}

static void help_general(void)
{
	printf("Usage: mete COMMAND [OPTIONS] [ARGUMENTS]\n"
	       "Run programs as lightweight tasks, with exact books of CPU "
	       "time.\n"
	       "\n"
	       "Commands:\n");
	for (size_t i = 0; cli_commands[i]; i++)
		printf("  %-8s %s\n", cli_commands[i]->name,
		       cli_commands[i]->summary);
	printf("\n"
	       "Options:\n"
	       "  -h, --help     show this help, or that of a command\n"
	       "  -V, --version  show the version\n"
	       "\n"
	       "'mete help COMMAND' tells more about a command.\n");
}

static int unknown_command(const char *name)
{
	const char *names[16] = {NULL};
	const char *nearest;

	for (size_t i = 0; cli_commands[i] && i < 15; i++)
		names[i] = cli_commands[i]->name;
	nearest = cli_nearest(name, names);
	if (nearest)
		return cli_usage(NULL,
				 "unknown command '%s', did you mean '%s'?",
				 name, nearest);
	return cli_usage(NULL, "unknown command '%s', see 'mete --help'", name);
}

static int run_help(int argc, char **argv)
{
	const struct cli_command *command;

	if (argc > 2)
		return cli_usage("help", "expected one command at most");
	if (argc < 2) {
		help_general();
		return CLI_OK;
	}
	command = command_find(argv[1]);
	if (!command)
		return unknown_command(argv[1]);
	fputs(command->help, stdout);
	return CLI_OK;
}

const struct cli_command cli_help = {
	.name = "help",
	.summary = "tell more about a command",
	.run = run_help,
	.help = "Usage: mete help [COMMAND]\n"
		"Show the help of a command, or the list of commands.\n",
};

static int dispatch(int argc, char **argv)
{
	const struct cli_command *command;

	if (argc < 2)
		return cli_usage(NULL,
				 "a command is expected, see 'mete --help'");
	if (strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0) {
		help_general();
		return CLI_OK;
	}
	if (strcmp(argv[1], "-V") == 0 || strcmp(argv[1], "--version") == 0) {
		printf("mete %s\n", mete_version());
		return CLI_OK;
	}
	if (argv[1][0] == '-')
		return cli_usage(NULL, "unknown option '%s', see 'mete --help'",
				 argv[1]);
	command = command_find(argv[1]);
	if (!command)
		return unknown_command(argv[1]);
	return command->run(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
	int status;

	/* Characters are the user's, numbers are the C locale's. */
	setlocale(LC_CTYPE, "");
	status = dispatch(argc, argv);
	if (fflush(stdout) || ferror(stdout)) {
		/* Whoever closed the pipe has seen enough. */
		if (errno != EPIPE)
			fprintf(stderr, "mete: can't write: %s\n",
				strerror(errno));
		return status ? status : CLI_FAULT;
	}
	return status;
}

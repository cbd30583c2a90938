/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of mete run. */
#include "cli/request.h"

#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"

/* Longest --duration, in seconds: that of a file. */
#define DURATION_MAX ((double)LAB_DURATION_S_MAX)

/* Shortest and longest interval, in seconds. */
#define INTERVAL_MIN 0.001
#define INTERVAL_MAX 86400.0

enum {
	OPTION_ENGINE = 256,
	OPTION_CPUS,
	OPTION_SEED,
	OPTION_DURATION,
	OPTION_BOOKS,
	OPTION_ALLOW_IO,
	OPTION_COLOR,
	OPTION_CHECK,
	OPTION_COMPARE,
	OPTION_LATENCY,
	OPTION_LOG_DIR,
};

static const struct option long_options[] = {
	{"engine", required_argument, NULL, OPTION_ENGINE},
	{"compare", no_argument, NULL, OPTION_COMPARE},
	{"latency", no_argument, NULL, OPTION_LATENCY},
	{"log-dir", required_argument, NULL, OPTION_LOG_DIR},
	{"check", no_argument, NULL, OPTION_CHECK},
	{"cpus", required_argument, NULL, OPTION_CPUS},
	{"seed", required_argument, NULL, OPTION_SEED},
	{"duration", required_argument, NULL, OPTION_DURATION},
	{"books", required_argument, NULL, OPTION_BOOKS},
	{"allow-io", no_argument, NULL, OPTION_ALLOW_IO},
	{"color", required_argument, NULL, OPTION_COLOR},
	{"runs", required_argument, NULL, 'r'},
	{"interval", required_argument, NULL, 'I'},
	{"output", required_argument, NULL, 'o'},
	{"separator", required_argument, NULL, 'x'},
	{"json", no_argument, NULL, 'j'},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

static int take_duration(struct request *request, const char *text)
{
	double seconds;

	if (strcmp(text, "-1") == 0)
		seconds = -1;
	else if (!cli_duration(text, 1, &seconds) || seconds < 1e-6 ||
		 seconds > DURATION_MAX)
		return cli_usage("run",
				 "--duration '%s', expected a time such as 2, "
				 "500ms or 1m, or -1 for no end",
				 text);
	request->run.duration_us =
		seconds < 0 ? LAB_FOREVER : (int64_t)(seconds * 1e6 + 0.5);
	request->duration_given = true;
	return CLI_OK;
}

static int take_interval(struct request *request, const char *text)
{
	double seconds;

	if (!cli_duration(text, 0.001, &seconds) || seconds < INTERVAL_MIN ||
	    seconds > INTERVAL_MAX)
		return cli_usage("run",
				 "-I '%s', expected a time from 1 ms on, in ms "
				 "or such as 2s",
				 text);
	request->run.interval_ns = (uint64_t)(seconds * 1e9 + 0.5);
	return CLI_OK;
}

static int take_engine(struct request *request, const char *name)
{
	char names[128] = "";

	request->engine_given = true;
	request->run.engine = lab_engine_find(name);
	if (request->run.engine)
		return CLI_OK;
	for (size_t i = 0; lab_engines[i]; i++) {
		size_t length = strlen(names);

		snprintf(names + length, sizeof(names) - length, "%s%s",
			 i ? " or " : "", lab_engines[i]->name);
	}
	return cli_usage("run", "--engine '%s', expected %s", name, names);
}

static int take_books(struct request *request, const char *word)
{
	if (strcmp(word, "task") == 0)
		request->run.books = METE_BOOKS_TASK;
	else if (strcmp(word, "group") == 0)
		request->run.books = METE_BOOKS_GROUP;
	else if (strcmp(word, "off") == 0)
		request->run.books = METE_BOOKS_OFF;
	else
		return cli_usage("run",
				 "--books '%s', expected task, group or off",
				 word);
	return CLI_OK;
}

static int take_form(struct request *request, enum request_form form)
{
	if (request->form != REQUEST_TEXT && request->form != form)
		return cli_usage("run", "-j and -x are two forms, expected "
					"one");
	request->form = form;
	return CLI_OK;
}

static int take_separator(struct request *request, const char *text)
{
	if (!*text || strchr(text, '"') || strchr(text, '\n'))
		return cli_usage("run",
				 "-x '%s', expected a separator such as , or ;",
				 text);
	request->separator = text;
	return take_form(request, REQUEST_CSV);
}

static int take_runs(struct request *request, const char *text)
{
	long number;

	if (!cli_number(text, 1, REQUEST_RUNS_MAX, &number))
		return cli_usage("run", "-r '%s', expected 1 to %d", text,
				 REQUEST_RUNS_MAX);
	request->runs = (unsigned)number;
	return CLI_OK;
}

/* What the command line asks for goes before the environment. */
static int take_cpus(struct request *request, const char *text)
{
	long number;

	if (!cli_number(text, 1, 1024, &number))
		return cli_usage("run", "--cpus '%s', expected 1 to 1024",
				 text);
	request->run.cpus = (unsigned)number;
	unsetenv("METE_CPUS");
	return CLI_OK;
}

static int take_seed(struct request *request, const char *text)
{
	long number;

	if (!cli_number(text, 0, INT_MAX, &number))
		return cli_usage("run", "--seed '%s', expected 0 to %d", text,
				 INT_MAX);
	request->run.seed = (uint64_t)number;
	return CLI_OK;
}

static int take_option(struct request *request, int option, char **argv)
{
	switch (option) {
	case 'h':
		request->help = true;
		return CLI_OK;
	case 'j':
		return take_form(request, REQUEST_JSON);
	case 'x':
		return take_separator(request, optarg);
	case 'o':
		request->output = optarg;
		return CLI_OK;
	case 'r':
		return take_runs(request, optarg);
	case 'I':
		return take_interval(request, optarg);
	case OPTION_CHECK:
		request->check = true;
		return CLI_OK;
	case OPTION_COMPARE:
		request->compare = true;
		return CLI_OK;
	case OPTION_LATENCY:
		request->latency = true;
		return CLI_OK;
	case OPTION_LOG_DIR:
		request->run.log_dir = optarg;
		return CLI_OK;
	case OPTION_ENGINE:
		return take_engine(request, optarg);
	case OPTION_CPUS:
		return take_cpus(request, optarg);
	case OPTION_SEED:
		return take_seed(request, optarg);
	case OPTION_DURATION:
		return take_duration(request, optarg);
	case OPTION_BOOKS:
		unsetenv("METE_BOOKS");
		return take_books(request, optarg);
	case OPTION_ALLOW_IO:
		request->run.allow_io = true;
		return CLI_OK;
	case OPTION_COLOR:
		if (!term_color_parse(optarg, &request->color))
			return cli_usage("run",
					 "--color '%s', expected auto, always "
					 "or never",
					 optarg);
		return CLI_OK;
	default:
		return cli_bad_option("run", option, argv);
	}
}

static int check_together(const struct request *request)
{
	if (request->compare && request->engine_given)
		return cli_usage("run", "--compare names its engines itself, "
					"expected no --engine");
	if (request->run.interval_ns && (request->compare || request->runs > 1))
		return cli_usage("run", "-I is for one run, expected neither "
					"--compare nor -r");
	if (request->run.log_dir && (request->compare || request->runs > 1))
		return cli_usage("run", "--log-dir is for one run, expected "
					"neither --compare nor -r");
	if (request->latency && (request->compare || request->runs > 1))
		return cli_usage("run", "--latency is for one run, expected "
					"neither --compare nor -r");
	return CLI_OK;
}

int request_parse(struct request *ret_request, int argc, char **argv)
{
	struct request *request = ret_request;
	int option;
	int status = CLI_OK;

	*request = (struct request){.run.engine = lab_engines[0], .runs = 1};
	optind = 0; /* whatever was parsed before is forgotten */
	opterr = 0;
	while (status == CLI_OK && !request->help) {
		option = getopt_long(argc, argv, ":jhx:o:r:I:", long_options,
				     NULL);
		if (option == -1)
			break;
		status = take_option(request, option, argv);
	}
	if (status != CLI_OK || request->help)
		return status;
	if (optind == argc)
		return cli_usage("run", "a file is expected, or - for "
					"standard input");
	if (optind + 1 < argc)
		return cli_usage("run", "'%s' is one file too many",
				 argv[optind + 1]);
	request->file = argv[optind];
	return check_together(request);
}

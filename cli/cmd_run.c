/* SPDX-License-Identifier: Apache-2.0 */
/* mete run: a workload runs and its books are printed. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/books.h"
#include "cli/command.h"
#include "lab/run.h"

/* Runs shorter than this show no progress. */
#define QUIET_NS UINT64_C(2000000000)

/* A second signal within this time of the first is the same one. */
#define PATIENCE_NS UINT64_C(500000000)

/* Longest --duration, in seconds: that of a file. */
#define DURATION_MAX ((double)LAB_DURATION_S_MAX)

enum {
	OPTION_ENGINE = 256,
	OPTION_CPUS,
	OPTION_SEED,
	OPTION_DURATION,
	OPTION_BOOKS,
	OPTION_ALLOW_IO,
	OPTION_COLOR,
};

static const struct option long_options[] = {
	{"engine", required_argument, NULL, OPTION_ENGINE},
	{"cpus", required_argument, NULL, OPTION_CPUS},
	{"seed", required_argument, NULL, OPTION_SEED},
	{"duration", required_argument, NULL, OPTION_DURATION},
	{"books", required_argument, NULL, OPTION_BOOKS},
	{"allow-io", no_argument, NULL, OPTION_ALLOW_IO},
	{"color", required_argument, NULL, OPTION_COLOR},
	{"json", no_argument, NULL, 'j'},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

struct request {
	struct lab_run_options run;
	const char *file;
	bool duration_given;
	bool json;
	bool help;
	enum term_color color;
};

static int take_duration(struct request *request, const char *text)
{
	double seconds;

	if (!cli_decimal(text, DURATION_MAX, &seconds) ||
	    (seconds <= 0 && seconds != -1))
		return cli_usage("run",
				 "--duration '%s', expected seconds, or -1 "
				 "for no end",
				 text);
	request->run.duration_us =
		seconds < 0 ? LAB_FOREVER : (int64_t)(seconds * 1e6);
	request->duration_given = true;
	return CLI_OK;
}

static int take_engine(struct request *request, const char *name)
{
	char names[128] = "";

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

/* What the command line asks for goes before the environment. */
static int take_option(struct request *request, int option, char **argv)
{
	long number;

	switch (option) {
	case 'h':
		request->help = true;
		return CLI_OK;
	case 'j':
		request->json = true;
		return CLI_OK;
	case OPTION_ENGINE:
		return take_engine(request, optarg);
	case OPTION_CPUS:
		if (!cli_number(optarg, 1, 1024, &number))
			return cli_usage("run",
					 "--cpus '%s', expected 1 to 1024",
					 optarg);
		request->run.cpus = (unsigned)number;
		unsetenv("METE_CPUS");
		return CLI_OK;
	case OPTION_SEED:
		if (!cli_number(optarg, 0, INT_MAX, &number))
			return cli_usage("run", "--seed '%s', expected 0 to %d",
					 optarg, INT_MAX);
		request->run.seed = (uint64_t)number;
		return CLI_OK;
	case OPTION_DURATION:
		return take_duration(request, optarg);
	case OPTION_BOOKS:
		unsetenv("METE_BOOKS");
		return take_books(request, optarg);
	case OPTION_ALLOW_IO:
		/* No op of this version writes anywhere. */
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

static int parse(struct request *request, int argc, char **argv)
{
	int option;
	int status = CLI_OK;

	optind = 1;
	opterr = 0;
	while (status == CLI_OK && !request->help) {
		option = getopt_long(argc, argv, ":jh", long_options, NULL);
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
	return CLI_OK;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Who asks again, and not in the same breath, is not made to wait. */
static void on_signal(int number)
{
	static uint64_t first_ns;

	if (first_ns == 0)
		first_ns = now_ns();
	if (now_ns() - first_ns > PATIENCE_NS) {
		signal(number, SIG_DFL);
		raise(number);
	}
	lab_interrupt();
}

static void catch_signals(void)
{
	struct sigaction action = {.sa_handler = on_signal};

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

static bool progress_shown;

static void progress(uint64_t elapsed_ns, int64_t duration_us)
{
	static uint64_t shown_s;
	uint64_t elapsed_s = elapsed_ns / 1000000000u;

	if (elapsed_ns < QUIET_NS || elapsed_s == shown_s ||
	    (duration_us >= 0 && (uint64_t)duration_us * 1000 <= QUIET_NS))
		return;
	shown_s = elapsed_s;
	progress_shown = true;
	if (duration_us < 0)
		fprintf(stderr, "\rmete: running, %llu s; Ctrl+C ends it",
			(unsigned long long)elapsed_s);
	else
		fprintf(stderr, "\rmete: running, %llu of %.0f s",
			(unsigned long long)elapsed_s,
			(double)duration_us / 1e6);
}

static void progress_clear(void)
{
	if (progress_shown)
		fprintf(stderr, "\r\033[K");
}

static int print_result(const struct request *request, const char *file,
			const struct lab_result *result)
{
	const struct lab_audit *audit = &result->books->audit;
	int status = CLI_OK;
	int rc = 0;

	if (request->json) {
		rc = books_json(result->books);
	} else {
		struct term term = term_of_stdout(request->color);

		books_text(result->books, file, &term);
	}
	fflush(stdout);
	if (rc) {
		fprintf(stderr, "mete: can't print the books: %s\n",
			strerror(-rc));
		status = CLI_FAULT;
	}
	if (result->warnings)
		fputs(result->warnings, stderr);
	if (result->outcome == LAB_INTERRUPTED)
		status = CLI_SIGINT;
	if (result->outcome == LAB_DEADLOCKED) {
		fprintf(stderr, "%s: deadlock, no task can go on:\n%s", file,
			result->deadlock ? result->deadlock : "");
		status = CLI_FAULT;
	}
	if (!result->audit_closes) {
		fprintf(stderr,
			"mete: the audit does not close: residual %lld "
			"ns\n",
			(long long)audit->residual_ns);
		status = CLI_FAULT;
	}
	return status;
}

static int run_program(struct request *request,
		       const struct lab_program *program)
{
	struct lab_result result;
	struct lab_error error;
	int status;

	for (size_t i = 0; i < program->warning_count; i++)
		fprintf(stderr, "%s:%u:%u: warning: %s\n", program->file,
			program->warnings[i].place.line,
			program->warnings[i].place.column,
			program->warnings[i].text);
	if (!request->duration_given)
		request->run.duration_us = program->duration_us;
	if (isatty(STDERR_FILENO))
		request->run.progress = progress;
	catch_signals();
	if (lab_run(program, &request->run, &result, &error)) {
		progress_clear();
		fprintf(stderr, "%s\n", error.text);
		return CLI_USAGE;
	}
	progress_clear();
	status = print_result(request, program->file, &result);
	lab_result_free(&result);
	return status;
}

static int run_run(int argc, char **argv)
{
	struct request request = {.run.engine = lab_engines[0]};
	struct lab_program *program;
	struct lab_error error;
	int status = parse(&request, argc, argv);

	if (status != CLI_OK)
		return status;
	if (request.help) {
		fputs(cli_run.help, stdout);
		return CLI_OK;
	}
	if (lab_program_read(request.file, &program, &error)) {
		fprintf(stderr, "%s\n", error.text);
		return CLI_USAGE;
	}
	status = run_program(&request, program);
	lab_program_free(program);
	return status;
}

const struct cli_command cli_run = {
	.name = "run",
	.summary = "run a workload and print its books",
	.run = run_run,
	.help = "Usage: mete run [OPTIONS] FILE.json\n"
		"Run a workload in rt-app's JSON grammar (- reads standard "
		"input) and print\n"
		"where each nanosecond went: by group, by task and by CPU, "
		"with an audit.\n"
		"\n"
		"Options:\n"
		"      --engine NAME   mete (default): Mete's own tasks, with "
		"exact books;\n"
		"                      threads: a kernel thread for each "
		"task;\n"
		"                      sim: Mete's tasks on simulated CPUs, in "
		"their own time\n"
		"      --cpus N        CPUs to run on; default: all that the "
		"process may use\n"
		"                      (sim: 8)\n"
		"      --seed N        sim: what happens in which order; "
		"default "
		"0, which gives\n"
		"                      the same books every time, as any seed "
		"does\n"
		"      --duration S    seconds, instead of the file's; -1: "
		"until all tasks end\n"
		"      --books MODE    task (default): everything; group: "
		"execution by group;\n"
		"                      off: none\n"
		"  -j, --json          print one JSON object\n"
		"      --color WHEN    auto (default), always or never\n"
		"      --allow-io      let the file name a device to write to\n"
		"  -h, --help          show this help\n"
		"\n"
		"Ctrl+C ends the run and prints the books so far.\n"
		"\n"
		"Exit status: 0; 1 for a deadlock or an audit that does not "
		"close; 2 for a\n"
		"command line or a file that makes no sense; 130 after "
		"Ctrl+C.\n",
};

/* SPDX-License-Identifier: Apache-2.0 */
/* mete run: a workload runs and its books are printed. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/books.h"
#include "cli/command.h"
#include "cli/quit.h"
#include "cli/request.h"

/* Runs shorter than this show no progress. */
#define QUIET_NS UINT64_C(2000000000)

/* A second signal within this time of the first is the same one. */
#define PATIENCE_NS UINT64_C(500000000)

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

static void show_interval(const struct lab_interval *interval, void *arg)
{
	const struct request *request = arg;

	progress_clear();
	if (request->form == REQUEST_JSON)
		interval_json(interval);
	else if (request->form == REQUEST_CSV)
		interval_csv(interval, request->separator);
	else
		interval_text(interval);
	fflush(stdout);
}

/* The runs on one engine, as many as came to their end. */
struct series {
	struct lab_result *results;
	unsigned count;
	struct lab_spread *spread;
};

static int print_series(const struct request *request, const char *file,
			const struct series *series)
{
	struct term term = term_of_stdout(request->color);
	const struct lab_spread *left = series[0].spread;
	const struct lab_spread *right = series[1].spread;
	bool many = request->runs > 1;
	const struct lab_books *books =
		many ? left->mean : series[0].results[0].books;

	if (request->compare) {
		if (request->form == REQUEST_JSON)
			return compare_json(left, right);
		if (request->form == REQUEST_CSV)
			return compare_csv(left, right, request->separator);
		compare_text(left, right, file, &term);
		return 0;
	}
	if (request->form == REQUEST_JSON)
		return books_json(books, many ? left : NULL);
	if (request->form == REQUEST_CSV)
		return books_csv(books, many ? left : NULL, request->separator);
	if (many)
		spread_text(left, file, &term);
	else
		books_text(books, file, &term);
	if (request->latency)
		latency_text(books, &term);
	return 0;
}

/* What is said beside the books, and the status it makes. */
static int judge(const char *file, const struct lab_result *result)
{
	int status = CLI_OK;

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
			(long long)result->books->audit.residual_ns);
		status = CLI_FAULT;
	}
	return status;
}

/* A run that did not end by itself is the last one. */
static int series_run(const struct request *request,
		      const struct lab_program *program, struct series *series)
{
	struct lab_books **books;
	int rc = -ENOMEM;

	series->results = calloc(request->runs, sizeof(*series->results));
	books = calloc(request->runs, sizeof(struct lab_books *));
	if (!series->results || !books)
		goto end;
	do {
		struct lab_result *result = &series->results[series->count];
		struct lab_error error;

		rc = lab_run(program, &request->run, result, &error);
		progress_clear();
		if (rc) {
			fprintf(stderr, "%s\n", error.text);
			goto end;
		}
		books[series->count++] = result->books;
		if (result->outcome != LAB_ENDED)
			break;
	} while (series->count < request->runs);
	rc = lab_spread_create(&series->spread, books, series->count);
	if (rc)
		fprintf(stderr, "mete: %s\n", strerror(-rc));
end:
	free(books);
	return rc;
}

static void series_free(struct series *series)
{
	lab_spread_free(series->spread);
	for (unsigned i = 0; i < series->count; i++)
		lab_result_free(&series->results[i]);
	free(series->results);
}

static int series_judge(const char *file, const struct series *series)
{
	int status = CLI_OK;

	for (unsigned i = 0; i < series->count; i++) {
		int one = judge(file, &series->results[i]);

		status = status == CLI_OK ? one : status;
	}
	return status;
}

static int run_series(struct request *request,
		      const struct lab_program *program)
{
	static const struct lab_engine_ops *const pair[] = {
		&lab_engine_mete, &lab_engine_threads};
	struct series series[2] = {{NULL, 0, NULL}, {NULL, 0, NULL}};
	unsigned sides = request->compare ? 2 : 1;
	int status = CLI_OK;
	int rc = 0;

	for (unsigned i = 0; i < sides && !rc; i++) {
		if (request->compare)
			request->run.engine = pair[i];
		rc = series_run(request, program, &series[i]);
	}
	if (rc) {
		status = CLI_USAGE;
		goto end;
	}
	rc = print_series(request, program->file, series);
	fflush(stdout);
	for (unsigned i = 0; i < sides; i++) {
		int one = series_judge(program->file, &series[i]);

		status = status == CLI_OK ? one : status;
	}
	if (rc) {
		fprintf(stderr, "mete: can't print the books: %s\n",
			strerror(-rc));
		status = CLI_FAULT;
	}
end:
	series_free(&series[0]);
	series_free(&series[1]);
	return status;
}

static int run_program(struct request *request,
		       const struct lab_program *program)
{
	for (size_t i = 0; i < program->warning_count; i++)
		fprintf(stderr, "%s:%u:%u: warning: %s\n", program->file,
			program->warnings[i].place.line,
			program->warnings[i].place.column,
			program->warnings[i].text);
	if (request->check) {
		printf("%s: %zu task%s, %u instance%s, no faults\n",
		       program->file, program->spec_count,
		       program->spec_count == 1 ? "" : "s", program->task_count,
		       program->task_count == 1 ? "" : "s");
		return CLI_OK;
	}
	if (!request->duration_given)
		request->run.duration_us = program->duration_us;
	if (isatty(STDERR_FILENO))
		request->run.progress = progress;
	request->run.interval = show_interval;
	request->run.interval_arg = request;
	catch_signals();
	quit_dumps();
	return run_series(request, program);
}

static int run_run(int argc, char **argv)
{
	struct request request;
	struct lab_program *program;
	struct lab_error error;
	int status = request_parse(&request, argc, argv);

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
	if (request.output && !freopen(request.output, "we", stdout))
		status = cli_usage("run", "-o '%s': %s", request.output,
				   strerror(errno));
	else
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
		"      --compare       run on mete and on threads, and set "
		"both "
		"side by side\n"
		"      --check         say whether the file makes sense; run "
		"nothing\n"
		"      --latency       print the percentiles of wake-ups and "
		"timers, too\n"
		"      --log-dir DIR   write a log of each task's loops there, "
		"as rt-app does\n"
		"      --duration S    instead of the file's: seconds, or with "
		"us, ms, s or m;\n"
		"                      -1: until all tasks end\n"
		"  -r, --runs N        run N times; print means and "
		"deviations\n"
		"  -I, --interval MS   print what groups used in each interval "
		"on the way\n"
		"      --books MODE    task (default): everything; group: "
		"execution by group;\n"
		"                      off: none\n"
		"  -j, --json          print one JSON object (-I: and one a "
		"group and interval)\n"
		"  -x, --separator SEP print values, units and names separated "
		"by SEP\n"
		"  -o, --output FILE   print to FILE instead of standard "
		"output\n"
		"      --color WHEN    auto (default), always or never\n"
		"      --allow-io      let the file name a device to write to\n"
		"  -h, --help          show this help\n"
		"\n"
		"Ctrl+C ends the run and prints the books so far; kill -QUIT "
		"or Ctrl+\\ shows on\n"
		"standard error where each task of Mete's is, and the run goes "
		"on.\n"
		"\n"
		"Exit status: 0; 1 for a deadlock or an audit that does not "
		"close; 2 for a\n"
		"command line or a file that makes no sense; 130 after "
		"Ctrl+C.\n",
};

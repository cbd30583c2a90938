/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whatever words come as a command line: it is understood, or refused with one
 * line; what is understood is within its ranges.
 *
 * The program's own main() is called; what `run` and the benchmarks would do
 * is to look at what they were asked for.  An input is one argument a line; a
 * vertical tab stands for a line's end within an argument.
 */
#include <ctype.h>
#include <string.h>

#include "bench/bench.h"
#include "cli/command.h"
#include "cli/quit.h"
#include "cli/request.h"
#include "fuzz/fuzz.h"

#define WORDS_MAX  32
#define TEXT_MAX   4096
#define OUTPUT_MAX 8192

/* The program's main(), by the name the build gives it. */
int cli_main(int argc, char **argv);

const char *const fuzz_words[] = {
	"\n",          "run\n",      "bench\n",   "help\n",
	"--help",      "-V",         "--",        "-",
	"a.json",      "--engine\n", "mete",      "threads",
	"sim",         "--cpus=",    "--seed\n",  "--duration\n",
	"--duration=", "-I\n",       "-r\n",      "-x\n",
	"-o",          "-j\n",       "-jh",       "--compare\n",
	"--latency\n", "--log-dir=", "--check\n", "--books=",
	"task",        "group",      "off",       "--color\n",
	"always",      "us",         "ms",        "m",
	"s",           "-1",         "1e9",       "0.5",
	"1001",        "86400.1s",   "1e6s",      "1e-400",
	"0x1p9",       "nan",        "1024",      "9223372036854775808",
	"-t",          "-d",         "-f\n",      "simple",
	"\v",          "\xc3\xa9",   "=",         NULL,
};

static char text[TEXT_MAX + 1];
static char *words[WORDS_MAX + 2];
static int asked; /* how often something was to be done */

static bool is_word(const char *word)
{
	for (int i = 0; words[i]; i++)
		if (word >= words[i] && word <= words[i] + strlen(words[i]))
			return true;
	return false;
}

static void require_request(const struct request *request)
{
	const struct lab_run_options *run = &request->run;
	bool many = request->compare || request->runs > 1;

	REQUIRE(run->engine && lab_engine_find(run->engine->name));
	REQUIRE(run->cpus <= 1024);
	REQUIRE(run->seed <= INT32_MAX);
	REQUIRE((unsigned)run->books <= METE_BOOKS_OFF);
	REQUIRE(request->duration_given || !run->duration_us);
	REQUIRE(!request->duration_given || run->duration_us == LAB_FOREVER ||
		(run->duration_us >= 1 &&
		 run->duration_us <= LAB_DURATION_S_MAX * 1000000));
	REQUIRE(!run->interval_ns || (run->interval_ns >= 1000000 &&
				      run->interval_ns <= 86400000000000));
	REQUIRE(request->runs >= 1 && request->runs <= REQUEST_RUNS_MAX);
	REQUIRE((unsigned)request->form <= REQUEST_CSV);
	REQUIRE((unsigned)request->color <= TERM_COLOR_NEVER);
	REQUIRE((request->form == REQUEST_CSV) == !!request->separator);
	REQUIRE(!request->separator || is_word(request->separator));
	REQUIRE(!request->output || is_word(request->output));
	REQUIRE(!run->log_dir || is_word(run->log_dir));
	REQUIRE(is_word(request->file));
	REQUIRE(!(request->compare && request->engine_given));
	REQUIRE(!(many &&
		  (run->interval_ns || run->log_dir || request->latency)));
}

static int look_at_run(int argc, char **argv)
{
	struct request request;
	int status = request_parse(&request, argc, argv);

	REQUIRE(status == CLI_OK || status == CLI_USAGE);
	if (status != CLI_OK)
		return status;
	if (request.help)
		fputs(cli_run.help, stdout);
	else
		require_request(&request);
	asked++;
	return CLI_OK;
}

static int look_at_bench(const struct bench_options *options)
{
	REQUIRE(options->tasks >= 1 && options->tasks <= 1000000);
	REQUIRE(options->cpus >= 1 && options->cpus <= 1024);
	REQUIRE(options->runs >= 1 && options->runs <= BENCH_RUNS_MAX);
	REQUIRE(options->depth <= METE_DEPTH_MAX);
	REQUIRE((unsigned)options->books <= METE_BOOKS_OFF);
	REQUIRE((unsigned)options->engine <= BENCH_THREADS);
	REQUIRE(options->wakes <= 1000000);
	REQUIRE(options->groups <= 1000 && options->loops <= 1000000);
	REQUIRE(options->run_ns >= 1000000 &&
		options->run_ns <= UINT64_C(3600000000000));
	REQUIRE(!options->via || is_word(options->via));
	asked++;
	return 0;
}

const struct cli_command cli_run = {"run", "", look_at_run, "help of run\n"};

static const char *const ways[] = {"sem", "pipe", NULL};

#define LOOKED_AT(word)                                                        \
 {                                                                             \
  .name = word, .summary = "", .tasks = 2, .run = look_at_bench, .ways = ways, \
  .threads = true                                                              \
 }
const struct bench bench_channel = LOOKED_AT("channel");
const struct bench bench_floor = LOOKED_AT("floor");
const struct bench bench_memory = LOOKED_AT("memory");
const struct bench bench_messaging = LOOKED_AT("messaging");
const struct bench bench_mutex = LOOKED_AT("mutex");
const struct bench bench_pipe = LOOKED_AT("pipe");
const struct bench bench_sem = LOOKED_AT("sem");
const struct bench bench_spawn = LOOKED_AT("spawn");
const struct bench bench_wake = LOOKED_AT("wake");
const struct bench bench_yield = LOOKED_AT("yield");

/* The program's handler of a signal; there is none to be handled. */
void quit_dumps(void)
{
}

unsigned bench_cpus(void)
{
	return 2;
}

const char *bench_books_name(enum mete_books books)
{
	static const char *const names[] = {"task", "group", "off"};

	return names[books];
}

static int split(const uint8_t *data, size_t size)
{
	int count = 1;
	char *word = text;

	if (size > TEXT_MAX)
		size = TEXT_MAX;
	memcpy(text, data, size);
	text[size] = '\0';
	words[0] = (char *)(uintptr_t) "mete";
	while (*word && count <= WORDS_MAX) {
		size_t length = strcspn(word, "\n");

		words[count++] = word;
		for (size_t i = 0; i < length; i++)
			if (word[i] == '\v')
				word[i] = '\n';
		word += length;
		if (*word)
			*word++ = '\0';
	}
	words[count] = NULL;
	return count;
}

/* One line for people, whatever is in the words. */
static void require_message(const char *said)
{
	size_t length = strlen(said);

	REQUIRE(!strncmp(said, "mete", 4));
	REQUIRE(length > 10 && said[length - 1] == '\n');
	for (size_t i = 0; i < length - 1; i++)
		REQUIRE(!iscntrl((unsigned char)said[i]));
}

/* A time is digits, a point and an exponent before its unit, and what its
 * parts make. */
static void require_durations(void)
{
	for (int i = 1; words[i]; i++) {
		static const double units[] = {1e-6, 1e-3, 1, 60};
		static const char *const names[] = {"us", "ms", "s", "m"};
		double seconds;
		char *unit;

		if (!cli_duration(words[i], 7, &seconds))
			continue;
		REQUIRE(isdigit((unsigned char)words[i][0]) ||
			words[i][0] == '.' || words[i][0] == '-');
		seconds -= strtod(words[i], &unit) * 7 * !*unit;
		for (int j = 0; j < 4; j++)
			if (strcmp(unit, names[j]) == 0)
				seconds -= strtod(words[i], NULL) * units[j];
		REQUIRE(seconds == 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char out[OUTPUT_MAX], err[OUTPUT_MAX];
	FILE *const real_out = stdout;
	FILE *const real_err = stderr;
	int argc = split(data, size);
	int status;

	memset(out, 0, 64);
	memset(err, 0, sizeof(err));
	asked = 0;
	require_durations();
	stdout = fmemopen(out, sizeof(out) - 1, "w");
	stderr = fmemopen(err, sizeof(err) - 1, "w");
	REQUIRE(stdout && stderr);
	status = cli_main(argc, words);
	fclose(stdout);
	fclose(stderr);
	stdout = real_out;
	stderr = real_err;
	REQUIRE(status == CLI_OK || status == CLI_USAGE);
	if (status == CLI_USAGE) {
		REQUIRE(!out[0] && !asked);
		require_message(err);
	} else {
		REQUIRE(!err[0] && (out[0] || asked));
	}
	return 0;
}

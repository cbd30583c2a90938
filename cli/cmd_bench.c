/* SPDX-License-Identifier: Apache-2.0 */
/* mete bench: options, and the list of benchmarks. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "bench/bench.h"
#include "cli/command.h"
#include "cli/quit.h"

#define TASKS_MAX 1000000

const struct bench *const benches[] = {
	&bench_floor, &bench_yield,     &bench_spawn, &bench_memory,
	&bench_sem,   &bench_pipe,      &bench_mutex, &bench_channel,
	&bench_wake,  &bench_messaging, NULL,
};

/* Options without a letter. */
enum {
	OPTION_DURATION = 256,
	OPTION_VIA,
	OPTION_UNBOUND,
};

static const struct option long_options[] = {
	{"tasks", required_argument, NULL, 't'},
	{"cpus", required_argument, NULL, 'c'},
	{"books", required_argument, NULL, 'b'},
	{"engine", required_argument, NULL, 'e'},
	{"depth", required_argument, NULL, 'd'},
	{"wakes", required_argument, NULL, 'W'},
	{"groups", required_argument, NULL, 'g'},
	{"loops", required_argument, NULL, 'l'},
	{"unbound", no_argument, NULL, OPTION_UNBOUND},
	{"via", required_argument, NULL, OPTION_VIA},
	{"duration", required_argument, NULL, OPTION_DURATION},
	{"runs", required_argument, NULL, 'r'},
	{"format", required_argument, NULL, 'f'},
	{"json", no_argument, NULL, 'j'},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

static int take_number(const char *option, long max, unsigned *ret_number)
{
	long min = option[1] == 'd' ? 0 : 1;
	long number;

	if (!cli_number(optarg, min, max, &number))
		return cli_usage("bench", "%s '%s', expected %ld to %ld",
				 option, optarg, min, max);
	*ret_number = (unsigned)number;
	return CLI_OK;
}

static int take_books(struct bench_options *options)
{
	for (int i = METE_BOOKS_TASK; i <= METE_BOOKS_OFF; i++) {
		if (strcmp(optarg, bench_books_name((enum mete_books)i)) == 0) {
			options->books = (enum mete_books)i;
			options->books_given = true;
			return CLI_OK;
		}
	}
	return cli_usage("bench", "-b '%s', expected task, group or off",
			 optarg);
}

static int take_engine(struct bench_options *options)
{
	if (strcmp(optarg, "threads") == 0)
		options->engine = BENCH_THREADS;
	else if (strcmp(optarg, "mete") == 0)
		options->engine = BENCH_METE;
	else
		return cli_usage("bench", "-e '%s', expected mete or threads",
				 optarg);
	return CLI_OK;
}

static int take_duration(struct bench_options *options)
{
	double seconds;

	if (!cli_duration(optarg, 1, &seconds) || seconds < 0.001 ||
	    seconds > 3600)
		return cli_usage("bench",
				 "--duration '%s', expected a time from 1ms to "
				 "60m",
				 optarg);
	options->run_ns = (uint64_t)(seconds * 1e9);
	return CLI_OK;
}

static int take_json(struct bench_options *options)
{
#ifdef METE_HAVE_YAJL
	options->json = true;
	return CLI_OK;
#else
	(void)options;
	return cli_usage("bench", "-j: this mete was built without yajl");
#endif
}

static int take_option(struct bench_options *options, int option, char **argv)
{
	switch (option) {
	case 't':
	case 'T':
		return take_number("-t", TASKS_MAX, &options->tasks);
	case 'c':
		return take_number("-c", 1024, &options->cpus);
	case 'd':
		return take_number("-d", METE_DEPTH_MAX, &options->depth);
	case 'r':
		return take_number("-r", BENCH_RUNS_MAX, &options->runs);
	case 'b':
		return take_books(options);
	case 'e':
		return take_engine(options);
	case 'W':
		return take_number("-W", TASKS_MAX, &options->wakes);
	case 'g':
		return take_number("-g", 1000, &options->groups);
	case 'l':
		return take_number("-l", 1000000, &options->loops);
	case OPTION_VIA:
		options->via = optarg;
		return CLI_OK;
	case OPTION_UNBOUND:
		options->unbound = true;
		return CLI_OK;
	case OPTION_DURATION:
		return take_duration(options);
	case 'j':
		return take_json(options);
	case 'f':
		options->simple = strcmp(optarg, "simple") == 0;
		if (!options->simple && strcmp(optarg, "default") != 0)
			return cli_usage("bench",
					 "-f '%s', expected default or simple",
					 optarg);
		return CLI_OK;
	default:
		return cli_bad_option("bench", option, argv);
	}
}

static void list(void)
{
	printf("Benchmarks:\n");
	for (size_t i = 0; benches[i]; i++)
		printf("  %-9s %s\n", benches[i]->name, benches[i]->summary);
	printf("\n'mete bench --help' shows the options.\n");
}

static int check_via(const struct bench *bench, const char *via)
{
	const char *none[] = {NULL};
	const char *const *ways = bench->ways ? bench->ways : none;
	const char *nearest = cli_nearest(via, ways);

	for (size_t i = 0; ways[i]; i++)
		if (strcmp(ways[i], via) == 0)
			return CLI_OK;
	if (nearest)
		return cli_usage("bench", "%s: --via '%s', did you mean '%s'?",
				 bench->name, via, nearest);
	return cli_usage("bench", "%s: there is no --via '%s'", bench->name,
			 via);
}

static int run_one(const struct bench *bench,
		   const struct bench_options *options)
{
	struct bench_options own = *options;
	unsigned cpus = bench->cpus ? bench->cpus : 1;
	int rc;

	if (own.engine == BENCH_THREADS && !bench->threads)
		return cli_usage("bench", "%s: there is no engine 'threads'",
				 bench->name);
	if (own.via && check_via(bench, own.via) != CLI_OK)
		return CLI_USAGE;
	if (own.cpus && own.cpus < cpus)
		return cli_usage("bench", "%s takes %u CPUs", bench->name,
				 cpus);
	if (own.cpus == 0)
		own.cpus = cpus;
	if (own.run_ns == 0)
		own.run_ns = bench->run_ns ? bench->run_ns : BENCH_RUN_NS;
	if (own.tasks == 0 && own.engine == BENCH_THREADS)
		own.tasks = bench->thread_tasks;
	if (own.tasks == 0)
		own.tasks = bench->tasks;
	rc = bench->run(&own);
	if (rc) {
		fprintf(stderr, "mete bench: %s: %s\n", bench->name,
			strerror(-rc));
		return CLI_FAULT;
	}
	return CLI_OK;
}

/* Those that make sense with these options, on this machine. */
static int run_all(const struct bench_options *options)
{
	int status = CLI_OK;

	for (size_t i = 0; benches[i] && status == CLI_OK; i++) {
		const struct bench *bench = benches[i];

		if ((options->engine == BENCH_THREADS && !bench->threads) ||
		    (options->cpus && options->cpus < bench->cpus) ||
		    bench_cpus() < bench->cpus)
			continue;
		status = run_one(bench, options);
	}
	return status;
}

static int run_named(const char *name, const struct bench_options *options)
{
	const char *names[16] = {NULL};
	const char *nearest;

	if (strcmp(name, "all") == 0)
		return run_all(options);
	for (size_t i = 0; benches[i] && i < 15; i++) {
		if (strcmp(benches[i]->name, name) == 0)
			return run_one(benches[i], options);
		names[i] = benches[i]->name;
	}
	nearest = cli_nearest(name, names);
	if (nearest)
		return cli_usage("bench",
				 "unknown benchmark '%s', did you mean '%s'?",
				 name, nearest);
	return cli_usage("bench", "unknown benchmark '%s', see 'mete bench'",
			 name);
}

static int run_bench(int argc, char **argv)
{
	struct bench_options options = {.runs = 5};
	int option;

	optind = 0; /* whatever was parsed before is forgotten */
	opterr = 0;
	while ((option = getopt_long(argc, argv, ":t:T:c:b:e:d:W:g:l:r:f:jh",
				     long_options, NULL)) != -1) {
		int status;

		if (option == 'h') {
			fputs(cli_bench.help, stdout);
			return CLI_OK;
		}
		status = take_option(&options, option, argv);
		if (status != CLI_OK)
			return status;
	}
	if (optind == argc) {
		list();
		return CLI_OK;
	}
	if (optind + 1 < argc)
		return cli_usage("bench", "'%s' is one benchmark too many",
				 argv[optind + 1]);
	quit_dumps();
	return run_named(argv[optind], &options);
}

const struct cli_command cli_bench = {
	.name = "bench",
	.summary = "measure what switches and tasks cost",
	.run = run_bench,
	.help = "Usage: mete bench [OPTIONS] [BENCHMARK | all]\n"
		"Measure what the library charges; without a benchmark, list "
		"them.\n"
		"\n"
		"Options:\n"
		"  -t, -T, --tasks N  tasks; spawn: in a batch\n"
		"  -c, --cpus N       CPUs (1, wake: 2; the process binds "
		"itself to them)\n"
		"  -b, --books MODE   task (default), group or off; memory: "
		"each in turn\n"
		"  -e, --engine NAME  mete (default), or threads: those of "
		"the kernel; not for\n"
		"                     floor, yield, spawn\n"
		"  -d, --depth N      yield: levels in which the groups of "
		"neighbours differ\n"
		"  -W, --wakes N      sem: most that are woken at once "
		"(1900)\n"
		"      --unbound      sem: workers may go to any CPU (else "
		"bound in turn)\n"
		"  -g, --groups N     messaging: groups of 20 senders and 20 "
		"receivers (10)\n"
		"  -l, --loops N      messaging: messages from each to each "
		"(100)\n"
		"      --via WAY      pipe: sem (default), pipe, yield, "
		"mutex;\n"
		"                     channel: rendezvous (default), bounded, "
		"stream;\n"
		"                     messaging: sem (default), channel, "
		"pipe, socket\n"
		"      --duration T   how long a run measures (us ms s m)\n"
		"  -r, --runs N       runs; figures are medians (5)\n"
		"  -f, --format FORM  default, or simple: the bare medians\n"
		"  -j, --json         one JSON object a line\n"
		"  -h, --help         show this help\n"
		"\n"
		"kill -QUIT or Ctrl+\\ shows on standard error where each task "
		"is.\n",
};

/* SPDX-License-Identifier: Apache-2.0 */
/* The figures of a benchmark: lines for people, or JSON lines. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef METE_HAVE_YAJL
# include <yajl/yajl_gen.h>
#endif

#include "bench/bench.h"

static int compare(const void *a, const void *b)
{
	const double *left = a;
	const double *right = b;

	return (*left > *right) - (*left < *right);
}

static double median(const double *sorted, unsigned count)
{
	return count % 2 ? sorted[count / 2]
			 : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

/* Small figures are ratios: 0.0004 is not 0. */
static int digits(double value, int usual)
{
	return value < 0.1 ? usual + 3 : usual;
}

#ifdef METE_HAVE_YAJL
static void put_text(yajl_gen gen, const char *key, const char *text)
{
	if (!text)
		return;
	yajl_gen_string(gen, (const unsigned char *)key, strlen(key));
	yajl_gen_string(gen, (const unsigned char *)text, strlen(text));
}

static void put_whole(yajl_gen gen, const char *key, int number)
{
	if (number < 0)
		return;
	yajl_gen_string(gen, (const unsigned char *)key, strlen(key));
	yajl_gen_integer(gen, number);
}

static void put_real(yajl_gen gen, const char *key, double number)
{
	char text[64];
	int length =
		snprintf(text, sizeof(text), "%.*f", digits(number, 3), number);

	yajl_gen_string(gen, (const unsigned char *)key, strlen(key));
	yajl_gen_number(gen, text, (size_t)length);
}

static void json_line(const struct bench_line *line, const double *sorted,
		      unsigned runs)
{
	yajl_gen gen = yajl_gen_alloc(NULL);
	const unsigned char *text;
	size_t length;

	if (!gen)
		return;
	yajl_gen_map_open(gen);
	put_text(gen, "benchmark", line->benchmark);
	put_text(gen, "variant", line->variant);
	put_text(gen, "engine", line->engine);
	put_whole(gen, "cpus", line->cpus);
	put_whole(gen, "tasks", line->tasks);
	put_text(gen, "books", line->books);
	put_whole(gen, "depth", line->depth);
	put_text(gen, "metric", line->metric);
	put_text(gen, "unit", line->unit);
	put_real(gen, "value", median(sorted, runs));
	put_real(gen, "min", sorted[0]);
	put_real(gen, "max", sorted[runs - 1]);
	put_whole(gen, "runs", (int)runs);
	yajl_gen_map_close(gen);
	if (yajl_gen_get_buf(gen, &text, &length) == yajl_gen_status_ok)
		printf("%.*s\n", (int)length, text);
	yajl_gen_free(gen);
}
#endif

void bench_title(const struct bench_options *options,
		 const struct bench_line *line)
{
	if (options->json || options->simple)
		return;
	printf("# %s", line->benchmark);
	if (line->variant)
		printf(" %s", line->variant);
	if (line->engine && strcmp(line->engine, "mete"))
		printf(" %s", line->engine);
	printf(":");
	if (line->tasks >= 0)
		printf(" %d task%s,", line->tasks, line->tasks == 1 ? "" : "s");
	if (line->cpus >= 0)
		printf(" %d CPU%s,", line->cpus, line->cpus == 1 ? "" : "s");
	if (line->books)
		printf(" books %s,", line->books);
	if (line->depth >= 0)
		printf(" depth %d,", line->depth);
	printf(" %u run%s\n", options->runs, options->runs == 1 ? "" : "s");
	fflush(stdout);
}

void bench_report(const struct bench_options *options,
		  const struct bench_line *line, double *values)
{
	unsigned runs = options->runs;
	double middle;

	qsort(values, runs, sizeof(*values), compare);
	middle = median(values, runs);
	if (options->simple)
		printf("%.*f\n", digits(middle, 3), middle);
#ifdef METE_HAVE_YAJL
	else if (options->json)
		json_line(line, values, runs);
#endif
	else
		printf("  %12.*f %-5s %-14s  min %.*f  max %.*f\n",
		       digits(middle, 2), middle, line->unit, line->metric,
		       digits(values[0], 2), values[0],
		       digits(values[runs - 1], 2), values[runs - 1]);
	fflush(stdout);
}

struct bench_line bench_about(const struct bench_options *options,
			      const char *benchmark, const char *variant)
{
	bool mete = options->engine == BENCH_METE;

	return (struct bench_line){
		.benchmark = benchmark,
		.variant = variant,
		.engine = mete ? "mete" : "threads",
		.cpus = (int)options->cpus,
		.tasks = (int)options->tasks,
		.books = mete ? bench_books_name(options->books) : NULL,
		.depth = -1,
	};
}

int bench_repeat(const struct bench_options *options, struct bench_line *about,
		 const struct bench_metric *metrics,
		 int (*once)(const struct bench_options *options,
			     double *figures))
{
	unsigned runs = options->runs;
	double *values = calloc(BENCH_METRICS_MAX, runs * sizeof(*values));
	double figures[BENCH_METRICS_MAX];
	int rc = 0;

	if (!values)
		return -ENOMEM;
	bench_title(options, about);
	for (unsigned i = 0; i < runs && !rc; i++) {
		rc = once(options, figures);
		for (unsigned m = 0; metrics[m].name && !rc; m++)
			values[m * runs + i] = figures[m];
	}
	for (unsigned m = 0; metrics[m].name && !rc; m++) {
		about->metric = metrics[m].name;
		about->unit = metrics[m].unit;
		if (values[m * runs] >= 0)
			bench_report(options, about, values + m * runs);
	}
	free(values);
	return rc;
}

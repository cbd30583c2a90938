/* SPDX-License-Identifier: Apache-2.0 */
/* The figures of a benchmark: lines for people, or JSON lines. */
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
	int length = snprintf(text, sizeof(text), "%.3f", number);

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
		printf("%.3f\n", middle);
#ifdef METE_HAVE_YAJL
	else if (options->json)
		json_line(line, values, runs);
#endif
	else
		printf("  %12.2f %s  %-14s  min %.2f  max %.2f\n", middle,
		       line->unit, line->metric, values[0], values[runs - 1]);
	fflush(stdout);
}

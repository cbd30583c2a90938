/* SPDX-License-Identifier: Apache-2.0 */
/* The books of a run, of several, of two engines for programs: one object. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_gen.h>

#include "cli/books.h"

static void key(yajl_gen gen, const char *name)
{
	yajl_gen_string(gen, (const unsigned char *)name, strlen(name));
}

static void put_text(yajl_gen gen, const char *name, const char *text)
{
	key(gen, name);
	key(gen, text);
}

static void put(yajl_gen gen, const char *name, uint64_t figure)
{
	key(gen, name);
	if (figure == LAB_UNKNOWN)
		yajl_gen_null(gen);
	else
		yajl_gen_integer(gen, (long long)figure);
}

static void put_signed(yajl_gen gen, const char *name, int64_t figure)
{
	key(gen, name);
	if (figure == LAB_UNKNOWN_SIGNED)
		yajl_gen_null(gen);
	else
		yajl_gen_integer(gen, figure);
}

static void put_real(yajl_gen gen, const char *name, double figure)
{
	char text[64];
	int length;

	key(gen, name);
	if (!isfinite(figure)) {
		yajl_gen_null(gen);
		return;
	}
	length = snprintf(text, sizeof(text), "%.3f", figure);
	yajl_gen_number(gen, text, (size_t)length);
}

static void put_usage(yajl_gen gen, const struct lab_usage *usage)
{
	for (size_t i = 0; i < LAB_USAGE_FIGURES; i++)
		put(gen, lab_usage_figures[i].key, lab_usage_get(usage, i));
}

/* Beside a mean: how the runs scatter around it. */
static void put_deviation(yajl_gen gen, const struct lab_deviation *deviation)
{
	if (!deviation)
		return;
	key(gen, "deviation");
	yajl_gen_map_open(gen);
	for (size_t i = 0; i < LAB_USAGE_FIGURES; i++)
		put_real(gen, lab_usage_figures[i].key, deviation->figures[i]);
	yajl_gen_map_close(gen);
}

static void put_groups(yajl_gen gen, const struct lab_books *books,
		       const struct lab_spread *spread)
{
	key(gen, "groups");
	yajl_gen_array_open(gen);
	for (size_t i = 0; i < books->group_count; i++) {
		yajl_gen_map_open(gen);
		put_text(gen, "path", books->groups[i].path);
		put_usage(gen, &books->groups[i].usage);
		put_deviation(gen, spread ? &spread->groups[i] : NULL);
		yajl_gen_map_close(gen);
	}
	yajl_gen_array_close(gen);
}

static void put_latency(yajl_gen gen, const char *name,
			const struct lab_latency *latency)
{
	key(gen, name);
	yajl_gen_map_open(gen);
	put(gen, "samples", latency->count);
	put_signed(gen, "min_ns", latency->least_ns);
	put_signed(gen, "p50_ns", latency->p50_ns);
	put_signed(gen, "p90_ns", latency->p90_ns);
	put_signed(gen, "p99_ns", latency->p99_ns);
	put_signed(gen, "max_ns", latency->most_ns);
	yajl_gen_map_close(gen);
}

/* A task's path is its group's and its own name. */
static int put_task(yajl_gen gen, const struct lab_task_row *task,
		    const char *group, const struct lab_deviation *deviation)
{
	char *path;

	if (asprintf(&path, "%s/%s", group[1] ? group : "", task->name) < 0)
		return -ENOMEM;
	yajl_gen_map_open(gen);
	put_text(gen, "path", path);
	put_text(gen, "name", task->name);
	put_text(gen, "group", group);
	put_usage(gen, &task->usage);
	put_latency(gen, "wakeup_latency", &task->wakeup);
	put_latency(gen, "slack", &task->slack);
	put_deviation(gen, deviation);
	yajl_gen_map_close(gen);
	free(path);
	return 0;
}

static int put_tasks(yajl_gen gen, const struct lab_books *books,
		     const struct lab_spread *spread)
{
	int rc = 0;

	key(gen, "tasks");
	yajl_gen_array_open(gen);
	for (size_t i = 0; i < books->task_count && !rc; i++)
		rc = put_task(gen, &books->tasks[i],
			      books->groups[books->tasks[i].group].path,
			      spread ? &spread->tasks[i] : NULL);
	yajl_gen_array_close(gen);
	return rc;
}

static void put_cpus(yajl_gen gen, const struct lab_books *books)
{
	key(gen, "cpu");
	yajl_gen_array_open(gen);
	for (size_t i = 0; i < books->cpu_count; i++) {
		const struct lab_cpu_row *cpu = &books->cpu[i];

		yajl_gen_map_open(gen);
		put(gen, "cpu", cpu->cpu);
		put(gen, "wall_ns", cpu->wall_ns);
		put(gen, "held_ns", cpu->held_ns);
		put(gen, "exec_ns", cpu->exec_ns);
		put(gen, "scheduler_ns", cpu->scheduler_ns);
		put(gen, "polling_ns", cpu->polling_ns);
		put(gen, "parked_ns", cpu->parked_ns);
		put(gen, "stolen_ns", cpu->stolen_ns);
		put(gen, "switches", cpu->switches);
		yajl_gen_map_close(gen);
	}
	yajl_gen_array_close(gen);
}

static void put_audit(yajl_gen gen, const struct lab_audit *audit)
{
	key(gen, "audit");
	yajl_gen_map_open(gen);
	put(gen, "wall_ns", audit->wall_ns);
	put(gen, "held_ns", audit->held_ns);
	put(gen, "exec_ns", audit->exec_ns);
	put(gen, "scheduler_ns", audit->scheduler_ns);
	put(gen, "polling_ns", audit->polling_ns);
	put(gen, "parked_ns", audit->parked_ns);
	put(gen, "stolen_ns", audit->stolen_ns);
	put_signed(gen, "residual_ns", audit->residual_ns);
	put(gen, "kernel_cpu_ns", audit->kernel_cpu_ns);
	put(gen, "helper_cpu_ns", audit->helper_cpu_ns);
	put_signed(gen, "drift_ns", audit->drift_ns);
	put_real(gen, "clock_error_ppm", audit->clock_error_ppm);
	yajl_gen_map_close(gen);
}

/* The object of one set of books, or of a mean with its spread. */
static int put_books(yajl_gen gen, const struct lab_books *books,
		     const struct lab_spread *spread)
{
	int rc;

	yajl_gen_map_open(gen);
	put_text(gen, "engine", books->engine);
	put(gen, "cpus", books->cpus);
	put(gen, "wall_ns", books->wall_ns);
	if (spread) {
		put(gen, "runs", spread->runs);
		put_real(gen, "wall_ns_deviation", spread->wall_ns);
	}
	put_groups(gen, books, spread);
	rc = put_tasks(gen, books, spread);
	put_cpus(gen, books);
	put_audit(gen, &books->audit);
	yajl_gen_map_close(gen);
	return rc;
}

/* What has been made, on a line of its own; frees it. */
static int print_line(yajl_gen gen, int rc)
{
	const unsigned char *text;
	size_t length;

	if (!rc && yajl_gen_get_buf(gen, &text, &length) != yajl_gen_status_ok)
		rc = -ENOMEM;
	if (!rc) {
		fwrite(text, 1, length, stdout);
		putchar('\n');
	}
	yajl_gen_free(gen);
	return rc;
}

int books_json(const struct lab_books *books, const struct lab_spread *spread)
{
	yajl_gen gen = yajl_gen_alloc(NULL);

	if (!gen)
		return -ENOMEM;
	return print_line(gen, put_books(gen, books, spread));
}

static void put_ratios(yajl_gen gen, const struct lab_usage *left,
		       const struct lab_usage *right)
{
	for (size_t i = 0; i < LAB_USAGE_FIGURES; i++)
		put_real(gen, lab_usage_figures[i].key,
			 lab_ratio(lab_usage_get(left, i),
				   lab_usage_get(right, i)));
}

/* Rows of the left books, in their order, as far as the right have them. */
static void put_all_ratios(yajl_gen gen, const struct lab_books *left,
			   const struct lab_books *right)
{
	put_real(gen, "wall_ns", lab_ratio(left->wall_ns, right->wall_ns));
	key(gen, "groups");
	yajl_gen_array_open(gen);
	for (size_t i = 0; i < left->group_count; i++) {
		yajl_gen_map_open(gen);
		put_text(gen, "path", left->groups[i].path);
		put_ratios(gen, &left->groups[i].usage,
			   &right->groups[i].usage);
		yajl_gen_map_close(gen);
	}
	yajl_gen_array_close(gen);
	key(gen, "tasks");
	yajl_gen_array_open(gen);
	for (size_t i = 0; i < left->task_count; i++) {
		const struct lab_usage *other = lab_counterpart(left, right, i);

		yajl_gen_map_open(gen);
		put_text(gen, "name", left->tasks[i].name);
		put_ratios(gen, &left->tasks[i].usage, other);
		yajl_gen_map_close(gen);
	}
	yajl_gen_array_close(gen);
}

int compare_json(const struct lab_spread *left, const struct lab_spread *right)
{
	yajl_gen gen = yajl_gen_alloc(NULL);
	int rc;

	if (!gen)
		return -ENOMEM;
	yajl_gen_map_open(gen);
	key(gen, left->mean->engine);
	rc = put_books(gen, left->mean, left->runs > 1 ? left : NULL);
	key(gen, right->mean->engine);
	if (!rc)
		rc = put_books(gen, right->mean,
			       right->runs > 1 ? right : NULL);
	if (!rc) {
		key(gen, "ratios");
		yajl_gen_map_open(gen);
		put_all_ratios(gen, left->mean, right->mean);
		yajl_gen_map_close(gen);
	}
	yajl_gen_map_close(gen);
	return print_line(gen, rc);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Books for spreadsheets: a line for each figure, in perf stat's order.
 *
 *	value,unit,event,kind,path[,deviation]
 *	value,other value,ratio,unit,event,kind,path          (--compare)
 *	time,value,unit,event,kind,path                       (-I)
 *
 * kind is run, group, task, cpu or audit.  What an engine does not know is
 * "<not counted>", a ratio that can't be had is empty.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/books.h"

static const char *unit_of(const char *event)
{
	size_t length = strlen(event);

	return length > 3 && strcmp(event + length - 3, "_ns") == 0 ? "ns" : "";
}

static void put_value(uint64_t value, const char *separator)
{
	if (value == LAB_UNKNOWN)
		printf("<not counted>%s", separator);
	else
		printf("%" PRIu64 "%s", value, separator);
}

static void put_real(double value)
{
	if (isfinite(value))
		printf("%.3f", value);
}

/* Quoted where the separator, a quote or a line's end is in it. */
static void put_text(const char *text, const char *separator)
{
	if (!strstr(text, separator) && !strpbrk(text, "\"\n\r")) {
		fputs(text, stdout);
		return;
	}
	putchar('"');
	for (; *text; text++) {
		if (*text == '"')
			putchar('"');
		putchar(*text);
	}
	putchar('"');
}

/* What the figures of a line are of. */
struct subject {
	const char *kind;
	const char *path;
	const char *separator;
};

static void put_subject(const struct subject *of, const char *event)
{
	const char *separator = of->separator;

	printf("%s%s%s%s%s%s", unit_of(event), separator, event, separator,
	       of->kind, separator);
	put_text(of->path, separator);
}

static void put_line(const struct subject *of, const char *event,
		     uint64_t value)
{
	put_value(value, of->separator);
	put_subject(of, event);
	putchar('\n');
}

/* The same of a signed figure. */
static void put_signed(const struct subject *of, const char *event,
		       int64_t value)
{
	if (value == LAB_UNKNOWN_SIGNED)
		printf("<not counted>%s", of->separator);
	else
		printf("%" PRId64 "%s", value, of->separator);
	put_subject(of, event);
	putchar('\n');
}

static void put_usage(const struct subject *of, const struct lab_usage *usage,
		      const struct lab_deviation *deviation)
{
	for (size_t i = 0; i < LAB_USAGE_FIGURES; i++) {
		put_value(lab_usage_get(usage, i), of->separator);
		put_subject(of, lab_usage_figures[i].key);
		if (deviation) {
			fputs(of->separator, stdout);
			put_real(deviation->figures[i]);
		}
		putchar('\n');
	}
}

static void put_both(const struct subject *of, const struct lab_usage *left,
		     const struct lab_usage *right)
{
	for (size_t i = 0; i < LAB_USAGE_FIGURES; i++) {
		uint64_t a = lab_usage_get(left, i);
		uint64_t b = lab_usage_get(right, i);

		put_value(a, of->separator);
		put_value(b, of->separator);
		put_real(lab_ratio(a, b));
		fputs(of->separator, stdout);
		put_subject(of, lab_usage_figures[i].key);
		putchar('\n');
	}
}

/* A task's path: its group's and its own name; NULL without memory. */
static char *task_path(const struct lab_books *books, size_t task)
{
	const char *group = books->groups[books->tasks[task].group].path;
	char *path;

	if (asprintf(&path, "%s/%s", group[1] ? group : "",
		     books->tasks[task].name) < 0)
		return NULL;
	return path;
}

static void put_cpu(const struct lab_cpu_row *cpu, const char *separator)
{
	char number[16];
	struct subject of = {"cpu", number, separator};

	snprintf(number, sizeof(number), "%u", cpu->cpu);
	put_line(&of, "wall_ns", cpu->wall_ns);
	put_line(&of, "held_ns", cpu->held_ns);
	put_line(&of, "exec_ns", cpu->exec_ns);
	put_line(&of, "scheduler_ns", cpu->scheduler_ns);
	put_line(&of, "polling_ns", cpu->polling_ns);
	put_line(&of, "parked_ns", cpu->parked_ns);
	put_line(&of, "stolen_ns", cpu->stolen_ns);
	put_line(&of, "switches", cpu->switches);
}

static void put_audit(const struct lab_audit *audit, const char *separator)
{
	struct subject of = {"audit", "/", separator};

	put_line(&of, "wall_ns", audit->wall_ns);
	put_line(&of, "held_ns", audit->held_ns);
	put_line(&of, "exec_ns", audit->exec_ns);
	put_line(&of, "scheduler_ns", audit->scheduler_ns);
	put_line(&of, "polling_ns", audit->polling_ns);
	put_line(&of, "parked_ns", audit->parked_ns);
	put_line(&of, "stolen_ns", audit->stolen_ns);
	put_signed(&of, "residual_ns", audit->residual_ns);
	put_line(&of, "kernel_cpu_ns", audit->kernel_cpu_ns);
	put_line(&of, "helper_cpu_ns", audit->helper_cpu_ns);
	put_signed(&of, "drift_ns", audit->drift_ns);
}

int books_csv(const struct lab_books *books, const struct lab_spread *spread,
	      const char *separator)
{
	struct subject run = {"run", books->engine, separator};

	put_line(&run, "wall_ns", books->wall_ns);
	for (size_t i = 0; i < books->group_count; i++) {
		struct subject of = {"group", books->groups[i].path, separator};

		put_usage(&of, &books->groups[i].usage,
			  spread ? &spread->groups[i] : NULL);
	}
	for (size_t i = 0; i < books->task_count; i++) {
		struct subject of = {"task", task_path(books, i), separator};

		if (!of.path)
			return -ENOMEM;
		put_usage(&of, &books->tasks[i].usage,
			  spread ? &spread->tasks[i] : NULL);
		free((char *)of.path);
	}
	for (size_t i = 0; i < books->cpu_count; i++)
		put_cpu(&books->cpu[i], separator);
	put_audit(&books->audit, separator);
	return 0;
}

int compare_csv(const struct lab_spread *left, const struct lab_spread *right,
		const char *separator)
{
	const struct lab_books *one = left->mean;
	const struct lab_books *two = right->mean;

	for (size_t i = 0; i < one->group_count; i++) {
		struct subject of = {"group", one->groups[i].path, separator};

		put_both(&of, &one->groups[i].usage, &two->groups[i].usage);
	}
	for (size_t i = 0; i < one->task_count; i++) {
		struct subject of = {"task", task_path(one, i), separator};

		if (!of.path)
			return -ENOMEM;
		put_both(&of, &one->tasks[i].usage,
			 lab_counterpart(one, two, i));
		free((char *)of.path);
	}
	return 0;
}

void interval_csv(const struct lab_interval *interval, const char *separator)
{
	for (size_t i = 0; i < interval->groups->count; i++) {
		const struct lab_usage *used = &interval->used[i];
		struct subject of = {"group", interval->groups->rows[i].path,
				     separator};
		double at_s = (double)interval->at_ns / 1e9;

		printf("%.6f%s", at_s, separator);
		put_line(&of, "exec_ns", used->exec_ns);
		printf("%.6f%s", at_s, separator);
		put_line(&of, "wait_ns", used->wait_ns);
		printf("%.6f%s", at_s, separator);
		put_line(&of, "switches", used->switches);
	}
}

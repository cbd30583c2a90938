/* SPDX-License-Identifier: Apache-2.0 */
/* The books of a run for people: groups as a tree, CPUs, the audit. */
#include <math.h>
#include <stdio.h>

#include "cli/books.h"
#include "cli/tree.h"

static const char *const usage_heads[] = {
	"exec",    "%cpu",     "stolen",   "wait",
	"blocked", "switches", "wake-ups", "migr",
};

static const char *const cpu_heads[] = {
	"exec", "%cpu", "stolen", "scheduler", "polling", "parked", "switches",
};

static void usage_figures(struct table_row *row, struct tree_node node,
			  const void *arg)
{
	const struct lab_books *books = arg;
	const struct lab_usage *usage = tree_usage(books, node);

	format_time(row->figures[0], usage->exec_ns);
	format_percent(row->figures[1], usage->exec_ns, books->wall_ns);
	format_time(row->figures[2], usage->stolen_ns);
	format_time(row->figures[3], usage->wait_ns);
	format_time(row->figures[4], usage->blocked_ns);
	format_count(row->figures[5], usage->switches);
	format_count(row->figures[6], usage->wakeups);
	format_count(row->figures[7], usage->migrations);
}

static void usage_print(const struct lab_books *books, const struct term *term)
{
	struct table table = {
		.title = "group, task",
		.heads = usage_heads,
		.columns = sizeof(usage_heads) / sizeof(usage_heads[0]),
	};
	struct tree_rows rows = {usage_figures, books};

	tree_print(&table, books, term, &rows);
}

static void cpus_print(const struct lab_books *books, const struct term *term)
{
	struct table table = {
		.title = "cpu",
		.heads = cpu_heads,
		.columns = sizeof(cpu_heads) / sizeof(cpu_heads[0]),
	};

	for (size_t i = 0; i < books->cpu_count; i++) {
		const struct lab_cpu_row *cpu = &books->cpu[i];
		struct table_row *row;
		char name[FORMAT_BYTES];

		snprintf(name, sizeof(name), "%u", cpu->cpu);
		row = table_add(&table, "", name);
		if (!row)
			break;
		format_time(row->figures[0], cpu->exec_ns);
		format_percent(row->figures[1], cpu->exec_ns, cpu->wall_ns);
		format_time(row->figures[2], cpu->stolen_ns);
		format_time(row->figures[3], cpu->scheduler_ns);
		format_time(row->figures[4], cpu->polling_ns);
		format_time(row->figures[5], cpu->parked_ns);
		format_count(row->figures[6], cpu->switches);
	}
	table_print(&table, term);
	table_free(&table);
}

/* One line as long as the width allows, broken between figures. */
struct sentence {
	const struct term *term;
	size_t column;
};

#define AUDIT_INDENT 7

static void say(struct sentence *sentence, const char *words)
{
	size_t width = format_width(words);

	if (sentence->column + 1 + width > sentence->term->width) {
		printf("\n%*s%s", AUDIT_INDENT, "", words);
		sentence->column = AUDIT_INDENT + width;
	} else {
		printf("%s%s", sentence->column ? " " : "", words);
		sentence->column += width + (sentence->column > 0);
	}
}

static void say_time(struct sentence *sentence, const char *before, uint64_t ns,
		     const char *after)
{
	char figure[FORMAT_BYTES];
	char words[2 * FORMAT_BYTES];

	format_time(figure, ns);
	snprintf(words, sizeof(words), "%s %s%s", before, figure, after);
	say(sentence, words);
}

static void say_signed(struct sentence *sentence, const char *before,
		       int64_t ns, const char *after)
{
	char figure[FORMAT_BYTES];
	char words[2 * FORMAT_BYTES];

	format_signed_time(figure, ns);
	/* The residual is the one figure whose unit is always said. */
	snprintf(words, sizeof(words), "%s %s%s%s", before, figure,
		 ns == 0 ? " ns" : "", after);
	say(sentence, words);
}

static void audit_print(const struct lab_books *books, const struct term *term)
{
	const struct lab_audit *audit = &books->audit;
	struct sentence sentence = {.term = term};
	char each[FORMAT_BYTES];
	char all[FORMAT_BYTES];
	char words[4 * FORMAT_BYTES];
	uint64_t wall_ns = audit->wall_ns;

	format_seconds(all, wall_ns);
	format_seconds(each, wall_ns == LAB_UNKNOWN ? LAB_UNKNOWN
						    : wall_ns / books->cpus);
	snprintf(words, sizeof(words), "audit: %u cpus x %s = %s:", books->cpus,
		 each, all);
	say(&sentence, words);
	say_time(&sentence, "held", audit->held_ns, "");
	say_time(&sentence, "(stolen", audit->stolen_ns, ")");
	say_time(&sentence, "scheduler", audit->scheduler_ns, "");
	say_time(&sentence, "polling", audit->polling_ns, "");
	say_time(&sentence, "parked", audit->parked_ns, ";");
	say_signed(&sentence, "residual", audit->residual_ns, ";");
	say_time(&sentence, "kernel", audit->kernel_cpu_ns, "");
	say_signed(&sentence, "drift", audit->drift_ns,
		   isnan(audit->clock_error_ppm) ? "" : ";");
	if (!isnan(audit->clock_error_ppm)) {
		/* No "-0.0". */
		snprintf(words, sizeof(words), "clock error %.1f ppm",
			 fabs(audit->clock_error_ppm) < 0.05
				 ? 0.0
				 : audit->clock_error_ppm);
		say(&sentence, words);
	}
	putchar('\n');
}

void books_text_rest(const struct lab_books *books, const struct term *term)
{
	cpus_print(books, term);
	putchar('\n');
	audit_print(books, term);
}

void books_text(const struct lab_books *books, const char *file,
		const struct term *term)
{
	char wall[FORMAT_BYTES];

	format_seconds(wall, books->wall_ns);
	printf("%s: engine %s, %u CPU%s, %s\n\n", file, books->engine,
	       books->cpus, books->cpus == 1 ? "" : "s", wall);
	usage_print(books, term);
	putchar('\n');
	books_text_rest(books, term);
}

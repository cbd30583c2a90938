/* SPDX-License-Identifier: Apache-2.0 */
/* The books of a run for people: groups as a tree, CPUs, the audit. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mete/types.h>

#include "cli/books.h"
#include "cli/table.h"

/* Two columns a level, three bytes a branch, METE_DEPTH_MAX levels and more. */
#define LEAD_BYTES 512

/* Leads that are kept: one for each depth of groups. */
#define LEADS (METE_DEPTH_MAX + 1)

static const char *const usage_heads[] = {
	"exec",    "%cpu",     "stolen",   "wait",
	"blocked", "switches", "wake-ups", "migr",
};

static const char *const cpu_heads[] = {
	"exec", "%cpu", "stolen", "scheduler", "polling", "parked", "switches",
};

/* The tasks of each group, and what draws the tree. */
struct tree {
	const struct lab_books *books;
	const struct term *term;
	struct table *table;
	size_t *tasks;  /* indices of tasks, group after group */
	size_t *starts; /* of each group in `tasks`, and the end */
};

static void usage_figures(struct table_row *row, const struct lab_usage *usage,
			  uint64_t wall_ns)
{
	format_time(row->figures[0], usage->exec_ns);
	format_percent(row->figures[1], usage->exec_ns, wall_ns);
	format_time(row->figures[2], usage->stolen_ns);
	format_time(row->figures[3], usage->wait_ns);
	format_time(row->figures[4], usage->blocked_ns);
	format_count(row->figures[5], usage->switches);
	format_count(row->figures[6], usage->wakeups);
	format_count(row->figures[7], usage->migrations);
}

/* The lead of what stands below `lead`, or of one of its rows. */
static void lead_extend(char to[LEAD_BYTES], const char *lead, const char *utf8,
			const char *ascii, const struct term *term)
{
	/* What is deeper than the tree may be is drawn no deeper. */
	size_t length = strnlen(lead, LEAD_BYTES - 8);
	const char *branch = term->utf8 ? utf8 : ascii;

	memmove(to, lead, length);
	memcpy(to + length, branch, strlen(branch) + 1);
}

static int row_add(struct tree *tree, const char *lead, const char *name,
		   const struct lab_usage *usage, bool strong)
{
	struct table_row *row = table_add(tree->table, lead, name);

	if (!row)
		return -1;
	row->strong = strong;
	usage_figures(row, usage, tree->books->wall_ns);
	return 0;
}

static size_t child_next(const struct lab_books *books, size_t group,
			 size_t after)
{
	for (size_t i = after + 1; i < books->group_count; i++)
		if (books->groups[i].parent == (int)group)
			return i;
	return 0;
}

/* The tasks of a group, `more`: something else of it follows. */
static int tasks_add(struct tree *tree, size_t group, const char *lead,
		     bool more)
{
	const struct lab_books *books = tree->books;
	size_t end = tree->starts[group + 1];
	char branch[LEAD_BYTES];

	for (size_t i = tree->starts[group]; i < end; i++) {
		const struct lab_task_row *task = &books->tasks[tree->tasks[i]];
		bool last = !more && i + 1 == end;

		lead_extend(branch, lead, last ? "└─" : "├─",
			    last ? "`-" : "|-", tree->term);
		if (row_add(tree, branch, task->name, &task->usage, false))
			return -1;
	}
	return 0;
}

static int group_add(struct tree *tree, size_t group, const char *lead,
		     bool last)
{
	const struct lab_group_row *row = &tree->books->groups[group];
	char branch[LEAD_BYTES];
	char name[64];

	lead_extend(branch, lead, last ? "└─" : "├─", last ? "`-" : "|-",
		    tree->term);
	snprintf(name, sizeof(name), "%s/", lab_group_name(row->path));
	return row_add(tree, branch, name, &row->usage, true);
}

/*
 * Groups stand depth first, so the tree is drawn in their order: each behind
 * the lead that its parent left for it, then its tasks, then its subgroups.
 */
static int groups_add(struct tree *tree)
{
	const struct lab_books *books = tree->books;
	char(*leads)[LEAD_BYTES] = calloc(LEADS, LEAD_BYTES);
	int rc = leads ? 0 : -1;

	if (!rc)
		rc = row_add(tree, "", "/", &books->groups[0].usage, true);
	if (!rc)
		rc = tasks_add(tree, 0, "", child_next(books, 0, 0) != 0);
	for (size_t i = 1; i < books->group_count && !rc; i++) {
		unsigned depth = books->groups[i].depth;
		bool last =
			!child_next(books, (size_t)books->groups[i].parent, i);

		if (depth >= LEADS)
			depth = LEADS - 1;
		rc = group_add(tree, i, leads[depth - 1], last);
		lead_extend(leads[depth], leads[depth - 1], last ? "  " : "│ ",
			    last ? "  " : "| ", tree->term);
		if (!rc)
			rc = tasks_add(tree, i, leads[depth],
				       child_next(books, i, i) != 0);
	}
	free(leads);
	return rc;
}

static int tasks_by_group(struct tree *tree)
{
	const struct lab_books *books = tree->books;
	size_t *next;

	tree->starts = calloc(books->group_count + 2, sizeof(*tree->starts));
	tree->tasks = calloc(books->task_count + 1, sizeof(*tree->tasks));
	if (!tree->starts || !tree->tasks)
		return -1;
	/* Counted one place on, so that filling moves each start into place. */
	next = tree->starts + 1;
	for (size_t i = 0; i < books->task_count; i++)
		if (books->tasks[i].group + 1 < books->group_count)
			next[books->tasks[i].group + 1]++;
	for (size_t i = 1; i < books->group_count; i++)
		next[i] += next[i - 1];
	for (size_t i = 0; i < books->task_count; i++)
		tree->tasks[next[books->tasks[i].group]++] = i;
	return 0;
}

static void usage_print(const struct lab_books *books, const struct term *term)
{
	struct table table = {
		.title = "group, task",
		.heads = usage_heads,
		.columns = sizeof(usage_heads) / sizeof(usage_heads[0]),
	};
	struct tree tree = {.books = books, .term = term, .table = &table};

	if (tasks_by_group(&tree) == 0 && groups_add(&tree) == 0)
		table_print(&table, term);
	else
		fprintf(stderr, "mete: out of memory for the table\n");
	free(tree.tasks);
	free(tree.starts);
	table_free(&table);
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

void books_text(const struct lab_books *books, const char *file,
		const struct term *term)
{
	char wall[FORMAT_BYTES];

	format_seconds(wall, books->wall_ns);
	printf("%s: engine %s, %u CPU%s, %s\n\n", file, books->engine,
	       books->cpus, books->cpus == 1 ? "" : "s", wall);
	usage_print(books, term);
	putchar('\n');
	cpus_print(books, term);
	putchar('\n');
	audit_print(books, term);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Several runs for people: means, and deviations as parts of them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/books.h"
#include "cli/tree.h"

static const char *const heads[] = {
	"exec", "+-%", "wait", "+-%", "blocked", "+-%", "switches", "+-%",
};

/* Where a figure stands among those of a usage. */
static double deviation_of(const struct lab_deviation *deviation,
			   const char *key)
{
	for (size_t i = 0; i < LAB_USAGE_FIGURES; i++)
		if (strcmp(lab_usage_figures[i].key, key) == 0)
			return deviation->figures[i];
	return NAN;
}

static void format_part(char text[FORMAT_BYTES], double part, uint64_t whole)
{
	if (isnan(part) || whole == LAB_UNKNOWN || whole == 0)
		snprintf(text, FORMAT_BYTES, "-");
	else
		snprintf(text, FORMAT_BYTES, "%.1f",
			 100 * part / (double)whole);
}

static void spread_figures(struct table_row *row, struct tree_node node,
			   const void *arg)
{
	const struct lab_spread *spread = arg;
	const struct lab_usage *mean = tree_usage(spread->mean, node);
	const struct lab_deviation *away =
		node.task ? &spread->tasks[node.index]
			  : &spread->groups[node.index];

	format_time(row->figures[0], mean->exec_ns);
	format_part(row->figures[1], deviation_of(away, "exec_ns"),
		    mean->exec_ns);
	format_time(row->figures[2], mean->wait_ns);
	format_part(row->figures[3], deviation_of(away, "wait_ns"),
		    mean->wait_ns);
	format_time(row->figures[4], mean->blocked_ns);
	format_part(row->figures[5], deviation_of(away, "blocked_ns"),
		    mean->blocked_ns);
	format_count(row->figures[6], mean->switches);
	format_part(row->figures[7], deviation_of(away, "switches"),
		    mean->switches);
}

void spread_text(const struct lab_spread *spread, const char *file,
		 const struct term *term)
{
	const struct lab_books *mean = spread->mean;
	struct table table = {
		.title = "group, task",
		.heads = heads,
		.columns = sizeof(heads) / sizeof(heads[0]),
	};
	struct tree_rows rows = {spread_figures, spread};
	char wall[FORMAT_BYTES];
	char away[FORMAT_BYTES];

	format_seconds(wall, mean->wall_ns);
	format_part(away, spread->wall_ns, mean->wall_ns);
	printf("%s: engine %s, %u CPU%s, mean of %u runs, %s (+- %s %%)\n\n",
	       file, mean->engine, mean->cpus, mean->cpus == 1 ? "" : "s",
	       spread->runs, wall, away);
	tree_print(&table, mean, term, &rows);
	putchar('\n');
	books_text_rest(mean, term);
}

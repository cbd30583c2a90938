/* SPDX-License-Identifier: Apache-2.0 */
/* Two engines side by side for people: each figure twice, and their ratio. */
#include <math.h>
#include <stdio.h>

#include "cli/books.h"
#include "cli/tree.h"

static const char *const heads[] = {
	"exec 1", "exec 2", "ratio", "wait 1", "wait 2", "ratio", "switches",
};

struct sides {
	const struct lab_books *left;
	const struct lab_books *right;
};

static void format_ratio(char text[FORMAT_BYTES], uint64_t left, uint64_t right)
{
	double ratio = lab_ratio(left, right);

	if (isnan(ratio))
		snprintf(text, FORMAT_BYTES, "-");
	else if (ratio < 999.995)
		snprintf(text, FORMAT_BYTES, "%.2f", ratio);
	else
		snprintf(text, FORMAT_BYTES, "%.3g", ratio);
}

static void both_figures(struct table_row *row, struct tree_node node,
			 const void *arg)
{
	const struct sides *sides = arg;
	const struct lab_usage *left = tree_usage(sides->left, node);
	const struct lab_usage *right =
		node.task
			? lab_counterpart(sides->left, sides->right, node.index)
			: &sides->right->groups[node.index].usage;

	format_time(row->figures[0], left->exec_ns);
	format_time(row->figures[1], right->exec_ns);
	format_ratio(row->figures[2], left->exec_ns, right->exec_ns);
	format_time(row->figures[3], left->wait_ns);
	format_time(row->figures[4], right->wait_ns);
	format_ratio(row->figures[5], left->wait_ns, right->wait_ns);
	format_ratio(row->figures[6], left->switches, right->switches);
}

static void totals(const struct sides *sides, const char *file, unsigned runs)
{
	const struct lab_books *left = sides->left;
	const struct lab_books *right = sides->right;
	char walls[2][FORMAT_BYTES];
	char ratio[FORMAT_BYTES];

	format_seconds(walls[0], left->wall_ns);
	format_seconds(walls[1], right->wall_ns);
	format_ratio(ratio, left->wall_ns, right->wall_ns);
	printf("%s: engine %s, %u CPU%s, %s\n", file, left->engine, left->cpus,
	       left->cpus == 1 ? "" : "s", walls[0]);
	printf("%s: engine %s, %u CPU%s, %s (ratio %s)\n", file, right->engine,
	       right->cpus, right->cpus == 1 ? "" : "s", walls[1], ratio);
	if (runs > 1)
		printf("means of %u runs each\n", runs);
}

void compare_text(const struct lab_spread *left, const struct lab_spread *right,
		  const char *file, const struct term *term)
{
	struct sides sides = {left->mean, right->mean};
	struct table table = {
		.title = "group, task",
		.heads = heads,
		.columns = sizeof(heads) / sizeof(heads[0]),
	};
	struct tree_rows rows = {both_figures, &sides};

	totals(&sides, file, left->runs);
	printf("1: %s, 2: %s, ratio and switches: 1 / 2\n\n",
	       left->mean->engine, right->mean->engine);
	tree_print(&table, left->mean, term, &rows);
}

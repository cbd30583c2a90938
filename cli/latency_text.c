/* SPDX-License-Identifier: Apache-2.0 */
/* Wake-up latency and slack of each task, for people. */
#include <stdio.h>

#include "cli/books.h"
#include "cli/tree.h"

static const char *const heads[] = {
	"wake-ups", "50th", "90th", "99th", "max", "slack", "min",
};

/* Groups have no latencies: percentiles don't add up. */
static void latency_figures(struct table_row *row, struct tree_node node,
			    const void *arg)
{
	const struct lab_books *books = arg;
	const struct lab_task_row *task = &books->tasks[node.index];

	if (!node.task)
		return;
	format_count(row->figures[0], task->wakeup.count);
	format_signed_time(row->figures[1], task->wakeup.p50_ns);
	format_signed_time(row->figures[2], task->wakeup.p90_ns);
	format_signed_time(row->figures[3], task->wakeup.p99_ns);
	format_signed_time(row->figures[4], task->wakeup.most_ns);
	format_signed_time(row->figures[5], task->slack.p50_ns);
	format_signed_time(row->figures[6], task->slack.least_ns);
}

void latency_text(const struct lab_books *books, const struct term *term)
{
	struct table table = {
		.title = "latency of task",
		.heads = heads,
		.columns = sizeof(heads) / sizeof(heads[0]),
	};
	struct tree_rows rows = {latency_figures, books};

	putchar('\n');
	tree_print(&table, books, term, &rows);
	printf("wake-ups measured: their percentiles and the longest; slack "
	       "of timers: the\nmedian and the least, negative where late\n");
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Groups as a tree, the tasks of each below it: the names of a table.  Whoever
 * prints it says what figures stand beside them.
 */
#ifndef CLI_TREE_H
#define CLI_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/table.h"
#include "cli/term.h"
#include "lab/books.h"

/* A row of the books: which of the tasks, or of the groups. */
struct tree_node {
	bool task;
	size_t index;
};

struct tree_rows {
	void (*fill)(struct table_row *row, struct tree_node node,
		     const void *arg);
	const void *arg;
};

/* Prints and frees the table, which has its heads and no rows yet. */
void tree_print(struct table *table, const struct lab_books *books,
		const struct term *term, const struct tree_rows *rows);

/* The usage that a node of the books stands for. */
static inline const struct lab_usage *tree_usage(const struct lab_books *books,
						 struct tree_node node)
{
	return node.task ? &books->tasks[node.index].usage
			 : &books->groups[node.index].usage;
}

#endif

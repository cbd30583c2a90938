/* SPDX-License-Identifier: Apache-2.0 */
/* Groups as a tree, the tasks of each below it; see tree.h. */
#include "cli/tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mete/types.h>

/* Two columns a level, three bytes a branch, METE_DEPTH_MAX levels and more. */
#define LEAD_BYTES 512

/* Leads that are kept: one for each depth of groups. */
#define LEADS (METE_DEPTH_MAX + 1)

/* The tasks of each group, and what draws the tree. */
struct tree {
	const struct lab_books *books;
	const struct term *term;
	struct table *table;
	const struct tree_rows *rows;
	size_t *tasks;  /* indices of tasks, group after group */
	size_t *starts; /* of each group in `tasks`, and the end */
};

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
		   struct tree_node node)
{
	struct table_row *row = table_add(tree->table, lead, name);

	if (!row)
		return -1;
	row->strong = !node.task;
	tree->rows->fill(row, node, tree->rows->arg);
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
		if (row_add(tree, branch, task->name,
			    (struct tree_node){true, tree->tasks[i]}))
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
	return row_add(tree, branch, name, (struct tree_node){false, group});
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
		rc = row_add(tree, "", "/", (struct tree_node){false, 0});
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

void tree_print(struct table *table, const struct lab_books *books,
		const struct term *term, const struct tree_rows *rows)
{
	struct tree tree = {
		.books = books,
		.term = term,
		.table = table,
		.rows = rows,
	};

	if (tasks_by_group(&tree) == 0 && groups_add(&tree) == 0)
		table_print(table, term);
	else
		fprintf(stderr, "mete: out of memory for the table\n");
	free(tree.tasks);
	free(tree.starts);
	table_free(table);
}

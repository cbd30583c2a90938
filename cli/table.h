/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table of text: one column of names, shortened to what the width leaves,
 * and columns of figures, which are never cut.
 *
 * A name may stand behind a lead (the branches of a tree).  Where the figures
 * alone are wider than the output, lines are longer than it.
 */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include <stddef.h>

#include "cli/format.h"
#include "cli/term.h"

#define TABLE_COLUMNS_MAX 9

struct table_row {
	char *lead;
	char *name;
	bool strong;
	char figures[TABLE_COLUMNS_MAX][FORMAT_BYTES];
};

struct table {
	const char *title;        /* over the names */
	const char *const *heads; /* over the figures */
	size_t columns;           /* of figures */
	struct table_row *rows;
	size_t count, room;
};

/* A new row, its figures empty.  NULL: out of memory. */
struct table_row *table_add(struct table *table, const char *lead,
			    const char *name);
void table_print(const struct table *table, const struct term *term);
void table_free(struct table *table);

#endif

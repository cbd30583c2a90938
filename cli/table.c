/* SPDX-License-Identifier: Apache-2.0 */
/* A table of text; see table.h. */
#include "cli/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The least that is left for names. */
#define NAMES_MIN 12

struct table_row *table_add(struct table *table, const char *lead,
			    const char *name)
{
	struct table_row *row;

	if (table->count == table->room) {
		size_t room = 2 * table->room + 16;

		row = realloc(table->rows, room * sizeof(*row));
		if (!row)
			return NULL;
		table->rows = row;
		table->room = room;
	}
	row = &table->rows[table->count];
	memset(row, 0, sizeof(*row));
	row->lead = strdup(lead);
	row->name = strdup(name);
	if (!row->lead || !row->name) {
		free(row->lead);
		free(row->name);
		return NULL;
	}
	table->count++;
	return row;
}

void table_free(struct table *table)
{
	for (size_t i = 0; i < table->count; i++) {
		free(table->rows[i].lead);
		free(table->rows[i].name);
	}
	free(table->rows);
}

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

static size_t figure_width(const struct table *table, size_t column)
{
	size_t width = format_width(table->heads[column]);

	for (size_t i = 0; i < table->count; i++)
		width = larger(width,
			       format_width(table->rows[i].figures[column]));
	return width;
}

static size_t names_width(const struct table *table)
{
	size_t width = format_width(table->title);

	for (size_t i = 0; i < table->count; i++)
		width = larger(width,
			       format_width(table->rows[i].lead) +
				       format_width(table->rows[i].name));
	return width;
}

static void pad(size_t columns)
{
	printf("%*s", (int)columns, "");
}

/* The lead gives way first, from its left, to half of the width. */
static void name_print(const struct table_row *row, size_t width,
		       const struct term *term)
{
	const char *ellipsis = term->utf8 ? "\u2026" : "..";
	const char *lead = row->lead;
	size_t name_width = format_width(row->name);
	size_t lead_width = format_width(lead);
	size_t size;
	char *name;

	while (lead_width + name_width > width && lead_width > width / 2) {
		do {
			lead++;
		} while (((unsigned char)*lead & 0xc0) == 0x80);
		lead_width--;
	}
	size = strlen(row->name) + strlen(ellipsis) + 1;
	name = malloc(size);
	if (!name)
		return;
	format_shorten(name, size, row->name, width - lead_width, ellipsis);
	fputs(lead, stdout);
	if (row->strong && term->color)
		printf("\033[1m%s\033[0m", name);
	else
		fputs(name, stdout);
	pad(width - lead_width - format_width(name));
	free(name);
}

void table_print(const struct table *table, const struct term *term)
{
	size_t widths[TABLE_COLUMNS_MAX];
	size_t figures = 0;
	size_t names;

	for (size_t i = 0; i < table->columns; i++) {
		widths[i] = figure_width(table, i);
		figures += widths[i] + 1;
	}
	names = term->width > figures + NAMES_MIN ? term->width - figures
						  : NAMES_MIN;
	if (names > names_width(table))
		names = names_width(table);
	fputs(term->color ? "\033[1m" : "", stdout);
	printf("%s", table->title);
	pad(names - format_width(table->title));
	for (size_t i = 0; i < table->columns; i++)
		printf(" %*s", (int)widths[i], table->heads[i]);
	printf("%s\n", term->color ? "\033[0m" : "");
	for (size_t i = 0; i < table->count; i++) {
		name_print(&table->rows[i], names, term);
		for (size_t k = 0; k < table->columns; k++)
			printf(" %*s", (int)widths[k],
			       table->rows[i].figures[k]);
		putchar('\n');
	}
}

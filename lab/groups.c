/* SPDX-License-Identifier: Apache-2.0 */
/* The tree of groups that a program names: collected, sorted, searched. */
#include "lab/groups.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mete/types.h>

/* '/' sorts before every other byte, so that a subtree stays together. */
static int path_compare(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	if (*a == *b)
		return 0;
	if (*a == '\0' || *b == '\0')
		return *a == '\0' ? -1 : 1;
	if (*a == '/' || *b == '/')
		return *a == '/' ? -1 : 1;
	return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
}

static int row_compare(const void *a, const void *b)
{
	const struct lab_group *left = a;
	const struct lab_group *right = b;

	return path_compare(left->path, right->path);
}

const char *lab_group_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* What is wrong with a name of so many bytes, NULL: nothing. */
static const char *name_fault(const char *name, size_t length)
{
	if (length == 0)
		return "expected a name after each '/'";
	if (length > METE_NAME_MAX)
		return "expected names of at most 31 bytes";
	if (name[0] == '.' && (length == 1 || (length == 2 && name[1] == '.')))
		return "expected no \".\" or \"..\"";
	for (size_t i = 0; i < length; i++)
		if ((unsigned char)name[i] < ' ' || name[i] == 127)
			return "expected printable names";
	return NULL;
}

/* What is wrong with a path, NULL: nothing. */
static const char *path_fault(const char *path)
{
	const char *fault = NULL;
	unsigned depth = 0;

	if (*path != '/')
		return "expected a path that begins with '/'";
	if (strlen(path) > METE_PATH_MAX)
		return "expected a shorter path";
	while (*path && !fault) {
		size_t length = strcspn(path + 1, "/");

		fault = name_fault(path + 1, length);
		if (!fault && ++depth > METE_DEPTH_MAX)
			fault = "expected at most 32 levels";
		path += 1 + length;
	}
	return fault;
}

static int add(struct lab_groups *groups, const char *path, size_t length)
{
	struct lab_group *rows;
	char *copy = strndup(path, length);

	if (!copy)
		return -ENOMEM;
	rows = realloc(groups->rows, (groups->count + 1) * sizeof(*rows));
	if (!rows) {
		free(copy);
		return -ENOMEM;
	}
	groups->rows = rows;
	rows[groups->count++] = (struct lab_group){.path = copy, .parent = -1};
	return 0;
}

/* Adds a path and all above it. */
static int add_path(struct lab_groups *groups, const char *path)
{
	for (size_t i = 1; path[i - 1]; i++) {
		if (path[i] == '/' || path[i] == '\0') {
			int rc = add(groups, path, i);

			if (rc)
				return rc;
		}
	}
	return 0;
}

static int add_checked(struct lab_groups *groups, const char *path,
		       const struct lab_program *program,
		       struct lab_place place, struct lab_error *error)
{
	const char *fault;

	if (!path || !*path || strcmp(path, "/") == 0)
		return 0;
	fault = path_fault(path);
	if (fault) {
		error->place = place;
		snprintf(error->text, sizeof(error->text),
			 "%s:%u:%u: taskgroup \"%.100s\", %s", program->file,
			 place.line, place.column, path, fault);
		return -EINVAL;
	}
	return add_path(groups, path);
}

static int add_all(struct lab_groups *groups, const struct lab_program *program,
		   struct lab_error *error)
{
	int rc = add(groups, "/", 1);

	for (size_t i = 0; i < program->spec_count && !rc; i++) {
		const struct lab_task_spec *spec = &program->specs[i];

		rc = add_checked(groups, spec->taskgroup, program, spec->place,
				 error);
		for (size_t k = 0; k < spec->phase_count && !rc; k++)
			rc = add_checked(groups, spec->phases[k].taskgroup,
					 program, spec->phases[k].place, error);
	}
	return rc;
}

static void unique(struct lab_groups *groups)
{
	size_t kept = 1;

	for (size_t i = 1; i < groups->count; i++) {
		if (strcmp(groups->rows[i].path, groups->rows[kept - 1].path) ==
		    0)
			free(groups->rows[i].path);
		else
			groups->rows[kept++] = groups->rows[i];
	}
	groups->count = kept;
}

static bool is_above(const char *path, const char *below)
{
	size_t length = strlen(path);

	return length == 1 ||
	       (strncmp(path, below, length) == 0 && below[length] == '/');
}

/* In depth-first order the parent is the row before, or one above that. */
static void link_parents(struct lab_groups *groups)
{
	for (size_t i = 1; i < groups->count; i++) {
		struct lab_group *row = &groups->rows[i];
		int above = (int)i - 1;

		while (!is_above(groups->rows[above].path, row->path))
			above = groups->rows[above].parent;
		row->parent = above;
		row->depth = groups->rows[above].depth + 1;
	}
}

int lab_groups_collect(const struct lab_program *program,
		       struct lab_groups **ret_groups, struct lab_error *error)
{
	struct lab_groups *groups = calloc(1, sizeof(*groups));
	int rc = groups ? add_all(groups, program, error) : -ENOMEM;

	if (rc) {
		lab_groups_free(groups);
		return rc;
	}
	qsort(groups->rows, groups->count, sizeof(*groups->rows), row_compare);
	unique(groups);
	link_parents(groups);
	*ret_groups = groups;
	return 0;
}

void lab_groups_free(struct lab_groups *groups)
{
	if (!groups)
		return;
	for (size_t i = 0; i < groups->count; i++)
		free(groups->rows[i].path);
	free(groups->rows);
	free(groups);
}

uint32_t lab_groups_find(const struct lab_groups *groups, const char *path)
{
	struct lab_group key = {.path = (char *)path};
	const struct lab_group *found;

	if (!path)
		return 0;
	found = bsearch(&key, groups->rows, groups->count,
			sizeof(*groups->rows), row_compare);
	return found ? (uint32_t)(found - groups->rows) : 0;
}

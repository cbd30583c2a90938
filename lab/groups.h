/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tree of groups that a program names.
 *
 * Every "taskgroup" in the text is known before the run starts, so the whole
 * tree, with the groups in between, is laid out once: depth first, parents
 * before children, siblings by name.  Engines, books and table share its
 * indices.
 */
#ifndef LAB_GROUPS_H
#define LAB_GROUPS_H

#include <stddef.h>
#include <stdint.h>

#include "lab/program.h"

struct lab_group {
	char *path; /* "/", "/a", "/a/b" */
	int parent; /* index, -1: the root */
	unsigned depth;
};

struct lab_groups {
	struct lab_group *rows; /* rows[0] is the root */
	size_t count;
};

/* The last part of a path; "/" for the root. */
const char *lab_group_name(const char *path);

/*
 * Collects the groups of a program.  0; -EINVAL with *error filled for a path
 * that can't be one; -ENOMEM.
 */
int lab_groups_collect(const struct lab_program *program,
		       struct lab_groups **ret_groups, struct lab_error *error);
void lab_groups_free(struct lab_groups *groups);

/* Index of a path that is in the tree; NULL gives the root. */
uint32_t lab_groups_find(const struct lab_groups *groups, const char *path);

#endif

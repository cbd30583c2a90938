/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tree's readers; parse.c grows it.  It is two arrays and nothing else, so
 * that a file of a million values costs a handful of allocations and two frees.
 */
#include "lab/grammar/tree.h"

#include <stdlib.h>

static const struct lab_node *at(const struct lab_tree *tree, uint32_t index)
{
	return index == UINT32_MAX ? NULL : &tree->nodes[index];
}

const struct lab_node *lab_tree_child(const struct lab_tree *tree,
				      const struct lab_node *node)
{
	if (node->kind != LAB_NODE_OBJECT && node->kind != LAB_NODE_ARRAY)
		return NULL;
	return at(tree, node->child);
}

const struct lab_node *lab_tree_next(const struct lab_tree *tree,
				     const struct lab_node *node)
{
	return at(tree, node->next);
}

const char *lab_tree_key(const struct lab_tree *tree,
			 const struct lab_node *node)
{
	return node->key == UINT32_MAX ? "" : tree->strings + node->key;
}

const char *lab_tree_string(const struct lab_tree *tree,
			    const struct lab_node *node)
{
	return tree->strings + node->string;
}

const char *lab_node_kind_name(enum lab_node_kind kind)
{
	switch (kind) {
	case LAB_NODE_OBJECT:
		return "an object";
	case LAB_NODE_ARRAY:
		return "an array";
	case LAB_NODE_STRING:
		return "a string";
	case LAB_NODE_INTEGER:
		return "an integer";
	case LAB_NODE_OVERFLOW:
		return "beyond 64 bits";
	case LAB_NODE_REAL:
		return "not a whole number";
	case LAB_NODE_BOOL:
		return "true or false";
	case LAB_NODE_NULL:
		return "null";
	}
	return "unknown";
}

void lab_tree_free(struct lab_tree *tree)
{
	free(tree->nodes);
	free(tree->strings);
}

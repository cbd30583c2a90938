/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A JSON text as a tree: keys in their order, repeated ones too, each with its
 * place in the text.
 */
#ifndef LAB_GRAMMAR_TREE_H
#define LAB_GRAMMAR_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lab/program.h"

enum lab_node_kind {
	LAB_NODE_OBJECT,
	LAB_NODE_ARRAY,
	LAB_NODE_STRING,
	LAB_NODE_INTEGER,
	LAB_NODE_OVERFLOW, /* an integer that 64 bits don't hold */
	LAB_NODE_REAL,
	LAB_NODE_BOOL,
	LAB_NODE_NULL,
};

/* Nodes and strings name one another by index; UINT32_MAX is none. */
struct lab_node {
	enum lab_node_kind kind;
	uint32_t key;  /* in lab_tree.strings; only members of objects */
	uint32_t next; /* the next sibling, in lab_tree.nodes */
	union {
		uint32_t child;  /* OBJECT, ARRAY: the first one */
		uint32_t string; /* STRING: in lab_tree.strings */
		int64_t integer; /* INTEGER */
		bool truth;      /* BOOL */
	};
	struct lab_place place;
	struct lab_place key_place;
};

struct lab_tree {
	struct lab_node *nodes; /* the first one is the root */
	size_t node_count;
	char *strings; /* one after the other, each with its NUL */
	size_t string_bytes;
	size_t string_room;
};

/*
 * Reads `length` bytes at `text`, which the pre-pass may change, into *ret.
 * 0; -EINVAL with *error filled; -ENOMEM.  *ret is untouched on failure.
 */
int lab_tree_build(char *text, size_t length, const char *file,
		   struct lab_tree *ret_tree, struct lab_error *error);

void lab_tree_free(struct lab_tree *tree);

/* The first member or element; NULL without one. */
const struct lab_node *lab_tree_child(const struct lab_tree *tree,
				      const struct lab_node *node);

/* The next member or element of the same object or array; NULL at the end. */
const struct lab_node *lab_tree_next(const struct lab_tree *tree,
				     const struct lab_node *node);

/* The key of an object's member; "" elsewhere. */
const char *lab_tree_key(const struct lab_tree *tree,
			 const struct lab_node *node);

/* The text of a STRING. */
const char *lab_tree_string(const struct lab_tree *tree,
			    const struct lab_node *node);

/* "an object", "a string", …: for messages. */
const char *lab_node_kind_name(enum lab_node_kind kind);

#endif

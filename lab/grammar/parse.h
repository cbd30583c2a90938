/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the two halves of the parser share: events.c grows the tree by yajl's
 * events, parse.c feeds yajl and says what was wrong.
 *
 * Places.  yajl tells where a token ends, never where it began, which escapes
 * make impossible to compute.  But between two tokens there are only blanks and
 * at most one separator, and which one it can be follows from what stands open:
 * so the start of a token is found by walking on from the end of the last one.
 * The same walk tells what was expected where the text is refused.
 */
#ifndef LAB_GRAMMAR_PARSE_H
#define LAB_GRAMMAR_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <yajl/yajl_parse.h>

#include "lab/grammar/tree.h"

#define LAB_NO_NODE UINT32_MAX

/* An object or an array that is still open. */
struct lab_open {
	uint32_t node;
	uint32_t last; /* its last member so far, or LAB_NO_NODE */
};

struct lab_parse {
	struct lab_tree tree;
	struct lab_open open[LAB_NESTING_MAX];
	unsigned depth;
	uint32_t key; /* of the value that comes next, or LAB_NO_NODE */
	struct lab_place key_place;

	const char *text;
	size_t length;
	size_t base;   /* where the piece begins that yajl reads now */
	size_t end;    /* of the last token */
	bool inserted; /* the piece is ours, not the file's */

	size_t counted; /* lines are counted up to here */
	size_t line_start;
	unsigned line;

	yajl_handle yajl;

	const char *file;
	struct lab_error *error;
	int status; /* why a callback stopped yajl */
};

/* The callbacks, for yajl_alloc(); their context is a struct lab_parse. */
extern const yajl_callbacks lab_parse_events;

/* The separator that may stand before the next token; 0 where none may. */
char lab_parse_separator(const struct lab_parse *p);

/* Where the next token begins; *ret_separated: after its separator. */
size_t lab_parse_token(const struct lab_parse *p, bool *ret_separated);

/* Line and column of `offset`, which never goes back from call to call. */
struct lab_place lab_parse_place(struct lab_parse *p, size_t offset);

#endif

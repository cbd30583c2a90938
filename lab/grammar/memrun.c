/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memrun: { type, size, count, stride, pattern, ref }.  Without a "ref" each
 * instance has a buffer of its own for each place where one stands; a "ref" is
 * one buffer for all, and must be asked for alike wherever it is named.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lab/grammar/grow.h"
#include "lab/grammar/reader.h"

#define STRIDE_DEFAULT 64

/* What a memrun says; the three that it can't be without. */
struct said {
	struct lab_memory memory;
	int64_t count;
	const char *ref;
	bool type;
	bool size;
	bool counted;
};

static const struct lab_range counts = {0, INT64_MAX, "a count"};
static const struct lab_range sizes = {1, INT64_MAX, "bytes"};

/* One of two or three words. */
static int read_choice(struct lab_reader *r, const struct lab_node *node,
		       const char *const *choices, unsigned *ret_index)
{
	const char *word;
	int error = lab_name(r, node, &word);

	if (error < 0)
		return error;
	for (unsigned i = 0; choices[i]; i++) {
		if (strcmp(word, choices[i]) == 0) {
			*ret_index = i;
			return 0;
		}
	}
	return lab_refuse(r, node->place,
			  "%s is %s, expected one of \"%s\", "
			  "\"%s\"%s",
			  lab_quote(lab_tree_key(&r->tree, node)).text,
			  lab_quote(word).text, choices[0], choices[1],
			  choices[2] ? ", \"chase\"" : "");
}

static int read_bytes(struct lab_reader *r, const struct lab_node *node,
		      uint64_t *ret_bytes)
{
	int64_t value;
	int error = lab_integer(r, node, &sizes, &value);

	if (error == 0)
		*ret_bytes = (uint64_t)value;
	return error;
}

static int read_member(struct lab_reader *r, const struct lab_node *node,
		       struct said *said)
{
	static const char *const types[] = {"read", "write", "chase", NULL};
	static const char *const patterns[] = {"random", "sequential", NULL};
	const char *key = lab_tree_key(&r->tree, node);
	unsigned index = 0;
	int error;

	if (strcmp(key, "type") == 0) {
		said->type = true;
		error = read_choice(r, node, types, &index);
		said->memory.type = (enum lab_memory_type)index;
	} else if (strcmp(key, "size") == 0) {
		said->size = true;
		error = read_bytes(r, node, &said->memory.bytes);
	} else if (strcmp(key, "count") == 0) {
		said->counted = true;
		error = lab_integer(r, node, &counts, &said->count);
	} else if (strcmp(key, "stride") == 0) {
		error = read_bytes(r, node, &said->memory.stride);
	} else if (strcmp(key, "pattern") == 0) {
		error = read_choice(r, node, patterns, &index);
		said->memory.random = index == 0;
	} else if (strcmp(key, "ref") == 0) {
		error = lab_name(r, node, &said->ref);
	} else {
		error = lab_unknown_key(r, node);
	}
	return error;
}

static bool alike(const struct lab_memory *a, const struct lab_memory *b)
{
	return a->type == b->type && a->bytes == b->bytes &&
	       a->stride == b->stride && a->random == b->random;
}

/* Appends to the program's memories; or finds that of a buffer known before. */
static int add_memory(struct lab_reader *r, const struct lab_node *node,
		      const struct said *said, struct lab_op *op)
{
	struct lab_program *program = r->program;
	struct lab_use *use = &r->uses[op->object];
	struct lab_memory *grown;

	if (use->taken &&
	    !alike(&program->memories[use->last_spec], &said->memory))
		return lab_refuse(r, node->place,
				  "\"memrun\" of %s differs from the one "
				  "before, expected the same but for \"count\"",
				  lab_quote(said->ref).text);
	if (!use->taken) {
		grown = lab_grow(program->memories, program->memory_count,
				 sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		program->memories = grown;
		grown[program->memory_count] = said->memory;
		use->last_spec = (uint32_t)program->memory_count++;
		use->taken = true;
	}
	op->memory = use->last_spec;
	op->amount_us = said->count;
	return 0;
}

static int check_said(struct lab_reader *r, const struct lab_node *node,
		      struct said *said)
{
	if (!said->type || !said->size || !said->counted)
		return lab_refuse(r, node->place,
				  "\"memrun\" lacks \"%s\", expected "
				  "\"type\", \"size\" and \"count\"",
				  !said->type   ? "type"
				  : !said->size ? "size"
						: "count");
	if (said->memory.type == LAB_MEMORY_CHASE &&
	    said->memory.stride < sizeof(uint64_t))
		said->memory.stride = sizeof(uint64_t);
	return 0;
}

int lab_memrun(struct lab_reader *r, const struct lab_node *node, uint32_t spec,
	       struct lab_op *op)
{
	const struct lab_node *item;
	struct said said = {.memory = {.stride = STRIDE_DEFAULT}};
	struct lab_object_key buffer = {LAB_MEMORY_OBJECT, LAB_NONE, NULL};
	char own[64];
	int error;

	error = lab_expect(r, node, LAB_NODE_OBJECT,
			   "an object with \"type\", \"size\" and \"count\"");
	for (item = lab_tree_child(&r->tree, node); item && error == 0;
	     item = lab_tree_next(&r->tree, item))
		error = read_member(r, item, &said);
	if (error == 0)
		error = check_said(r, node, &said);
	if (error < 0)
		return error;
	buffer.name = said.ref;
	if (!said.ref) {
		snprintf(own, sizeof(own), "memrun at %u:%u", node->place.line,
			 node->place.column);
		buffer.name = own;
		buffer.owner = spec;
	}
	error = lab_object(r, &buffer, node->place, &op->object);
	if (error < 0)
		return error;
	r->program->objects[op->object].unique = !said.ref;
	return add_memory(r, node, &said, op);
}

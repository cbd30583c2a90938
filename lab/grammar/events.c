/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parser's events: each value that yajl reports becomes a node under the
 * object or array that is open, with the place where it stands.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lab/grammar/grow.h"
#include "lab/grammar/message.h"
#include "lab/grammar/parse.h"

struct lab_place lab_parse_place(struct lab_parse *p, size_t offset)
{
	for (; p->counted < offset; p->counted++) {
		if (p->text[p->counted] == '\n') {
			p->line++;
			p->line_start = p->counted + 1;
		}
	}
	return (struct lab_place){p->line,
				  (unsigned)(offset - p->line_start + 1)};
}

char lab_parse_separator(const struct lab_parse *p)
{
	if (p->depth == 0)
		return 0;
	if (p->key != LAB_NO_NODE)
		return ':';
	return p->open[p->depth - 1].last != LAB_NO_NODE ? ',' : 0;
}

size_t lab_parse_token(const struct lab_parse *p, bool *ret_separated)
{
	char wanted = lab_parse_separator(p);
	size_t i = p->end;

	*ret_separated = false;
	for (; i < p->length; i++) {
		if (wanted && p->text[i] == wanted) {
			wanted = 0;
			*ret_separated = true;
		} else if (p->text[i] == '\0' ||
			   !strchr(" \t\r\n", p->text[i])) {
			break;
		}
	}
	return i;
}

/* The place of the token that yajl has just read, which ends the walk there. */
static struct lab_place take_token(struct lab_parse *p)
{
	bool separated;
	size_t start;

	if (p->inserted)
		return p->key_place;
	start = lab_parse_token(p, &separated);
	p->end = p->base + yajl_get_bytes_consumed(p->yajl);
	return lab_parse_place(p, start);
}

static int stop(struct lab_parse *p, int status)
{
	p->status = status;
	return 0;
}

static int add_string(struct lab_parse *p, const char *bytes, size_t length,
		      uint32_t *ret_string)
{
	struct lab_tree *tree = &p->tree;
	size_t needed = tree->string_bytes + length + 1;

	if (needed > tree->string_room) {
		size_t room = 2 * needed;
		char *grown = realloc(tree->strings, room);

		if (!grown)
			return -ENOMEM;
		tree->strings = grown;
		tree->string_room = room;
	}
	*ret_string = (uint32_t)tree->string_bytes;
	if (length > 0)
		memcpy(tree->strings + tree->string_bytes, bytes, length);
	tree->strings[needed - 1] = '\0';
	tree->string_bytes = needed;
	return 0;
}

/* Hangs a value under what is open; 1 or, as yajl has it, 0 to stop. */
static int add(struct lab_parse *p, struct lab_node node)
{
	struct lab_tree *tree = &p->tree;
	struct lab_open *parent = p->depth > 0 ? &p->open[p->depth - 1] : NULL;
	uint32_t index = (uint32_t)tree->node_count;
	struct lab_node *grown;

	node.place = take_token(p);
	node.key = p->key;
	node.key_place = p->key_place;
	node.next = LAB_NO_NODE;
	if (index == LAB_VALUES_MAX) {
		lab_error_at(p->error, p->file, node.place,
			     "too many values, expected at most %u",
			     LAB_VALUES_MAX);
		return stop(p, -EINVAL);
	}
	grown = lab_grow(tree->nodes, index, sizeof(*grown));
	if (!grown)
		return stop(p, -ENOMEM);
	tree->nodes = grown;
	tree->nodes[index] = node;
	tree->node_count++;
	if (parent && parent->last == LAB_NO_NODE)
		tree->nodes[parent->node].child = index;
	else if (parent)
		tree->nodes[parent->last].next = index;
	if (parent)
		parent->last = index;
	p->key = LAB_NO_NODE;
	return 1;
}

static int on_null(void *ctx)
{
	return add(ctx, (struct lab_node){.kind = LAB_NODE_NULL});
}

static int on_bool(void *ctx, int truth)
{
	return add(ctx, (struct lab_node){.kind = LAB_NODE_BOOL,
					  .truth = truth != 0});
}

static int on_number(void *ctx, const char *bytes, size_t length)
{
	struct lab_node node = {.kind = LAB_NODE_OVERFLOW};
	char digits[24];

	/* 64 bits are at most 20 characters with their sign. */
	if (memchr(bytes, '.', length) || memchr(bytes, 'e', length) ||
	    memchr(bytes, 'E', length)) {
		node.kind = LAB_NODE_REAL;
	} else if (length < sizeof(digits)) {
		memcpy(digits, bytes, length);
		digits[length] = '\0';
		errno = 0;
		node.integer = strtoll(digits, NULL, 10);
		if (errno == 0)
			node.kind = LAB_NODE_INTEGER;
	}
	return add(ctx, node);
}

/* Names are C strings from here on: one that holds a NUL would be cut. */
static int check_string(struct lab_parse *p, const unsigned char *bytes,
			size_t length)
{
	bool separated;

	if (length == 0 || !memchr(bytes, '\0', length))
		return 1;
	lab_error_at(p->error, p->file,
		     lab_parse_place(p, lab_parse_token(p, &separated)),
		     "a string holds the character \\u0000, expected text");
	return stop(p, -EINVAL);
}

static int on_string(void *ctx, const unsigned char *bytes, size_t length)
{
	struct lab_parse *p = ctx;
	struct lab_node node = {.kind = LAB_NODE_STRING};
	int r;

	if (!check_string(p, bytes, length))
		return 0;
	r = add_string(p, (const char *)bytes, length, &node.string);
	return r < 0 ? stop(p, r) : add(p, node);
}

static int on_key(void *ctx, const unsigned char *bytes, size_t length)
{
	struct lab_parse *p = ctx;
	uint32_t key;
	int r;

	if (!check_string(p, bytes, length))
		return 0;
	r = add_string(p, (const char *)bytes, length, &key);
	if (r < 0)
		return stop(p, r);
	p->key_place = take_token(p);
	p->key = key;
	return 1;
}

/* The pre-pass has bounded the depth. */
static int on_open(struct lab_parse *p, enum lab_node_kind kind)
{
	uint32_t index = (uint32_t)p->tree.node_count;

	if (!add(p, (struct lab_node){.kind = kind, .child = LAB_NO_NODE}))
		return 0;
	p->open[p->depth++] =
		(struct lab_open){.node = index, .last = LAB_NO_NODE};
	return 1;
}

static int on_object(void *ctx)
{
	return on_open(ctx, LAB_NODE_OBJECT);
}

static int on_array(void *ctx)
{
	return on_open(ctx, LAB_NODE_ARRAY);
}

static int on_close(void *ctx)
{
	struct lab_parse *p = ctx;

	take_token(p);
	p->depth--;
	return 1;
}

const yajl_callbacks lab_parse_events = {
	.yajl_null = on_null,
	.yajl_boolean = on_bool,
	.yajl_number = on_number,
	.yajl_string = on_string,
	.yajl_start_map = on_object,
	.yajl_map_key = on_key,
	.yajl_end_map = on_close,
	.yajl_start_array = on_array,
	.yajl_end_array = on_close,
};

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From text to tree: feeds yajl, and says what was wrong.
 *
 * Insertions.  yajl takes its text in pieces: after a bare "suspend" it is
 * handed ":null" of its own, and the next piece goes on in the file.  `base` is
 * where the present piece begins, so that offsets never shift.
 *
 * Memory.  yajl uses what its allocator returns without a look, so ours never
 * returns without memory: it leaves by longjmp.  All blocks hang on one ring,
 * which is what makes that safe; yajl owns nothing else.
 */
#include "lab/grammar/parse.h"

#include <errno.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "lab/grammar/lenient.h"
#include "lab/grammar/message.h"

/* A block of yajl's, before its bytes. */
struct block {
	_Alignas(max_align_t) struct block *next;
	struct block *previous;
};

struct memory {
	struct block ring; /* the head */
	jmp_buf refused;
};

static struct block *block_of(void *bytes)
{
	return (struct block *)bytes - 1;
}

/* Moves `old`, or NULL for a new block, to `bytes` bytes; or does not return. */
static void *block_resize(struct memory *memory, struct block *old,
			  size_t bytes)
{
	struct block *block = realloc(old, sizeof(*block) + bytes);

	if (!block)
		longjmp(memory->refused, 1);
	if (!old) {
		block->previous = &memory->ring;
		block->next = memory->ring.next;
	}
	block->previous->next = block;
	block->next->previous = block;
	return block + 1;
}

static void *on_malloc(void *ctx, size_t bytes)
{
	return block_resize(ctx, NULL, bytes);
}

static void *on_realloc(void *ctx, void *old, size_t bytes)
{
	return block_resize(ctx, old ? block_of(old) : NULL, bytes);
}

static void on_free(void *ctx, void *bytes)
{
	struct block *block;

	(void)ctx;
	if (!bytes)
		return;
	block = block_of(bytes);
	block->previous->next = block->next;
	block->next->previous = block->previous;
	free(block);
}

static void free_all(struct memory *memory)
{
	struct block *block = memory->ring.next;

	while (block != &memory->ring) {
		struct block *next = block->next;

		free(block);
		block = next;
	}
}

/* What the grammar of JSON allows where the next token stands. */
static const char *expected(const struct lab_parse *p, bool separated)
{
	const struct lab_open *open;
	bool in_object;

	if (p->depth == 0)
		return p->tree.node_count == 0 ? "an object"
					       : "the end of the file";
	open = &p->open[p->depth - 1];
	in_object = p->tree.nodes[open->node].kind == LAB_NODE_OBJECT;
	if (p->key != LAB_NO_NODE)
		return separated ? "a value" : "\":\"";
	if (separated)
		return in_object ? "a key in quotes" : "a value";
	if (open->last == LAB_NO_NODE)
		return in_object ? "a key in quotes or \"}\""
				 : "a value or \"]\"";
	return in_object ? "\",\" or \"}\"" : "\",\" or \"]\"";
}

/* The token at `start`, as far as it can be told where one ends. */
static struct lab_quoted token(const struct lab_parse *p, size_t start)
{
	const char *text = p->text + start;
	size_t length = p->length - start;
	size_t end = 0;

	if (text[0] == '"')
		return lab_quote_bytes(text + 1, strcspn(text + 1, "\"\n"));
	while (end < length && text[end] &&
	       !strchr(" \t\r\n,:{}[]\"", text[end]))
		end++;
	return lab_quote_bytes(text, end > 0 ? end : 1);
}

/* The text was refused: says what stands there and what should. */
static void complain(struct lab_parse *p, const char *why)
{
	static const char lexical[] = "lexical error: ";
	bool separated;
	size_t start = lab_parse_token(p, &separated);
	struct lab_place place = lab_parse_place(p, start);
	const char *wanted = expected(p, separated);

	if (start >= p->length)
		lab_error_at(p->error, p->file, place,
			     "the file ends, expected %s", wanted);
	else if (p->text[start] == '"' && strstr(why, "premature"))
		lab_error_at(p->error, p->file, place,
			     "a string without end, expected '\"'");
	else if (strncmp(why, lexical, strlen(lexical)) == 0)
		lab_error_at(p->error, p->file, place, "%.*s, expected %s",
			     (int)strcspn(why + strlen(lexical), ".\n"),
			     why + strlen(lexical), wanted);
	else
		lab_error_at(p->error, p->file, place, "found %s, expected %s",
			     token(p, start).text, wanted);
}

static yajl_status feed(struct lab_parse *p, size_t from, size_t to)
{
	p->base = from;
	return yajl_parse(p->yajl, (const unsigned char *)p->text + from,
			  to - from);
}

static yajl_status feed_all(struct lab_parse *p, const struct lab_bare *bare)
{
	static const unsigned char missing[] = ":null";
	yajl_status status = yajl_status_ok;
	size_t from = 0;

	for (size_t i = 0; i < bare->count && status == yajl_status_ok; i++) {
		status = feed(p, from, bare->ends[i]);
		from = bare->ends[i];
		if (status != yajl_status_ok)
			break;
		p->inserted = true;
		status = yajl_parse(p->yajl, missing, sizeof(missing) - 1);
		p->inserted = false;
	}
	if (status == yajl_status_ok)
		status = feed(p, from, p->length);
	if (status == yajl_status_ok) {
		/* Here yajl reads a blank of its own, that ends a number. */
		p->base = p->length;
		status = yajl_complete_parse(p->yajl);
	}
	return status;
}

/* 0, -EINVAL or -ENOMEM; leaves yajl's memory to the caller. */
static int run(struct lab_parse *p, struct memory *memory,
	       const struct lab_bare *bare)
{
	yajl_alloc_funcs functions = {.malloc = on_malloc,
				      .realloc = on_realloc,
				      .free = on_free,
				      .ctx = memory};
	unsigned char *why;

	if (setjmp(memory->refused))
		return -ENOMEM;
	p->yajl = yajl_alloc(&lab_parse_events, &functions, p);
	switch (feed_all(p, bare)) {
	case yajl_status_ok:
		return 0;
	case yajl_status_client_canceled:
		return p->status;
	default:
		why = yajl_get_error(p->yajl, 0, NULL, 0);
		complain(p, (const char *)why);
		return -EINVAL;
	}
}

int lab_tree_build(char *text, size_t length, const char *file,
		   struct lab_tree *ret_tree, struct lab_error *error)
{
	struct lab_parse p = {.text = text,
			      .length = length,
			      .line = 1,
			      .key = LAB_NO_NODE,
			      .file = file,
			      .error = error};
	struct memory memory;
	struct lab_bare bare;
	struct lab_fault fault;
	int r;

	r = lab_lenient(text, length, &bare, &fault);
	if (r == -EINVAL)
		lab_error_at(error, file, lab_place_of(text, fault.offset),
			     "%s", fault.what);
	if (r < 0)
		return r;
	memory.ring.next = memory.ring.previous = &memory.ring;
	r = run(&p, &memory, &bare);
	free_all(&memory);
	free(bare.ends);
	if (r < 0) {
		lab_tree_free(&p.tree);
		return r;
	}
	*ret_tree = p.tree;
	return 0;
}

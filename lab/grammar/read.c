/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader's top: text, tree, program; and the plain values and messages
 * that its other files share.
 *
 * "global" is read before "tasks" wherever it stands, since tasks take defaults
 * from it.  "resources" is what rt-app's first files declared their locks in:
 * names are enough since, and it is passed over.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/grammar/grow.h"
#include "lab/grammar/reader.h"
#include "lab/grammar/text.h"

int lab_refuse(struct lab_reader *r, struct lab_place place, const char *format,
	       ...)
{
	char what[LAB_ERROR_WHAT_BYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	lab_error_at(r->error, r->program->file, place, "%s", what);
	return -EINVAL;
}

int lab_warn(struct lab_reader *r, struct lab_place place, const char *format,
	     ...)
{
	struct lab_program *program = r->program;
	struct lab_warning *grown;
	va_list args;
	char *text;
	int length;

	grown = lab_grow(program->warnings, program->warning_count,
			 sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	program->warnings = grown;
	va_start(args, format);
	length = vasprintf(&text, format, args);
	va_end(args);
	if (length < 0)
		return -ENOMEM;
	grown[program->warning_count++] = (struct lab_warning){place, text};
	return 0;
}

int lab_unknown_key(struct lab_reader *r, const struct lab_node *node)
{
	const char *key = lab_tree_key(&r->tree, node);

	for (size_t i = 0; i < r->unknown_count; i++)
		if (strcmp(r->unknown[i], key) == 0)
			return 0;
	if (r->unknown_count == LAB_UNKNOWN_MAX) {
		if (r->unknown_more++ == 0)
			r->unknown_more_place = node->key_place;
		return 0;
	}
	r->unknown[r->unknown_count++] = key;
	return lab_warn(r, node->key_place, "unknown key %s, passed over",
			lab_quote(key).text);
}

static int compare_places(struct lab_place a, struct lab_place b)
{
	if (a.line != b.line)
		return a.line < b.line ? -1 : 1;
	return a.column < b.column ? -1 : a.column > b.column;
}

/* "global" is read first wherever it stands, so the list is kept in order. */
void lab_leave_out(struct lab_reader *r, const char *word,
		   struct lab_place place)
{
	size_t at = r->left_out_count;

	for (size_t i = 0; i < r->left_out_count; i++)
		if (strcmp(r->left_out[i].word, word) == 0)
			return;
	for (; at > 0 && compare_places(r->left_out[at - 1].place, place) > 0;
	     at--)
		r->left_out[at] = r->left_out[at - 1];
	r->left_out[at] = (struct lab_left_out){word, place};
	r->left_out_count++;
}

int lab_expect(struct lab_reader *r, const struct lab_node *node,
	       enum lab_node_kind kind, const char *expected)
{
	const char *key = lab_tree_key(&r->tree, node);

	if (node->kind == kind)
		return 0;
	if (node->key == UINT32_MAX)
		return lab_refuse(r, node->place, "%s stands here, expected %s",
				  lab_node_kind_name(node->kind), expected);
	return lab_refuse(r, node->place, "%s is %s, expected %s",
			  lab_quote(key).text, lab_node_kind_name(node->kind),
			  expected);
}

/* "at least 0", "-20 to 99": what a range allows. */
static void print_range(char *text, size_t size, const struct lab_range *range)
{
	if (range->max == INT64_MAX)
		snprintf(text, size, "at least %lld", (long long)range->min);
	else if (range->min == INT64_MIN)
		snprintf(text, size, "at most %lld", (long long)range->max);
	else
		snprintf(text, size, "%lld to %lld", (long long)range->min,
			 (long long)range->max);
}

int lab_integer(struct lab_reader *r, const struct lab_node *node,
		const struct lab_range *range, int64_t *ret_value)
{
	const char *key = lab_tree_key(&r->tree, node);
	struct lab_quoted what = lab_quote(key);
	char expected[64];
	int error;

	snprintf(expected, sizeof(expected), "an integer (%s)", range->of);
	error = lab_expect(r, node, LAB_NODE_INTEGER, expected);
	if (error < 0)
		return error;
	print_range(expected, sizeof(expected), range);
	if (node->integer < range->min || node->integer > range->max)
		return lab_refuse(r, node->place,
				  "%s is %lld, expected %s (%s)",
				  key[0] ? what.text : "a number",
				  (long long)node->integer, expected,
				  range->of);
	*ret_value = node->integer;
	return 0;
}

int lab_name(struct lab_reader *r, const struct lab_node *node,
	     const char **ret_name)
{
	const char *name;
	int error = lab_expect(r, node, LAB_NODE_STRING, "a name in quotes");

	if (error < 0)
		return error;
	name = lab_tree_string(&r->tree, node);
	if (name[0] == '\0')
		return lab_refuse(r, node->place,
				  "%s is empty, expected a name",
				  lab_quote(lab_tree_key(&r->tree, node)).text);
	*ret_name = name;
	return 0;
}

int lab_bool(struct lab_reader *r, const struct lab_node *node, bool *ret_truth)
{
	int error = lab_expect(r, node, LAB_NODE_BOOL, "true or false");

	if (error < 0)
		return error;
	*ret_truth = node->truth;
	return 0;
}

/* The warnings that could only be written at the end. */
static int end_warnings(struct lab_reader *r)
{
	char list[1024];
	size_t used = 0;
	int error = 0;

	for (size_t i = 0; i < r->left_out_count; i++)
		used += (size_t)snprintf(list + used, sizeof(list) - used,
					 "%s%s (line %u)", i > 0 ? ", " : "",
					 r->left_out[i].word,
					 r->left_out[i].place.line);
	if (r->left_out_count > 0)
		error = lab_warn(r, r->left_out[0].place,
				 "not done in this version and left out: %s",
				 list);
	if (r->unknown_more > 0 && error == 0)
		error = lab_warn(r, r->unknown_more_place,
				 "%zu more unknown keys, passed over",
				 r->unknown_more);
	return error;
}

static int compare_warnings(const void *left, const void *right)
{
	return compare_places(((const struct lab_warning *)left)->place,
			      ((const struct lab_warning *)right)->place);
}

/* Reads every member of the root that is called `word`; counts them. */
static int read_members(struct lab_reader *r, const char *word,
			int (*read)(struct lab_reader *r,
				    const struct lab_node *node),
			unsigned *ret_found)
{
	const struct lab_node *node = lab_tree_child(&r->tree, r->tree.nodes);
	int error = 0;

	*ret_found = 0;
	for (; node && error == 0; node = lab_tree_next(&r->tree, node)) {
		if (strcmp(lab_tree_key(&r->tree, node), word) != 0)
			continue;
		++*ret_found;
		error = read(r, node);
	}
	return error;
}

/* Members of the root that are none of the three. */
static int read_others(struct lab_reader *r)
{
	const struct lab_node *node = lab_tree_child(&r->tree, r->tree.nodes);
	int error = 0;

	for (; node && error == 0; node = lab_tree_next(&r->tree, node)) {
		const char *key = lab_tree_key(&r->tree, node);

		if (strcmp(key, "tasks") != 0 && strcmp(key, "global") != 0 &&
		    strcmp(key, "resources") != 0)
			error = lab_unknown_key(r, node);
	}
	return error;
}

static int read_root(struct lab_reader *r)
{
	const struct lab_node *root = r->tree.nodes;
	unsigned found = 0;
	int error;

	error = lab_expect(r, root, LAB_NODE_OBJECT,
			   "an object with \"tasks\"");
	if (error == 0)
		error = read_members(r, "global", lab_global, &found);
	if (error == 0)
		error = read_members(r, "tasks", lab_tasks, &found);
	if (error < 0)
		return error;
	if (found == 0)
		return lab_refuse(r, root->place,
				  "there is no \"tasks\", expected an object "
				  "of tasks");
	if (r->program->task_count == 0)
		return lab_refuse(
			r, root->place,
			"there is no task to start, expected at least "
			"one in \"tasks\"");
	error = read_others(r);
	if (error == 0)
		error = lab_check(r);
	return error < 0 ? error : end_warnings(r);
}

static struct lab_program *new_program(const char *file)
{
	struct lab_program *program = calloc(1, sizeof(*program));

	if (!program)
		return NULL;
	program->file = strdup(lab_text_name(file));
	if (!program->file) {
		free(program);
		return NULL;
	}
	program->duration_us = LAB_FOREVER;
	program->mem_buffer_bytes = 4u << 20; /* rt-app's default */
	program->default_policy = LAB_POLICY_OTHER;
	program->calibration = LAB_CALIBRATE_ON_CPU;
	program->lock_pages = true;
	return program;
}

/* What a text of no values is called: yajl would only say that it ends. */
static bool is_blank(const struct lab_text *text)
{
	return strspn(text->bytes, " \t\r\n") == text->length;
}

/* As lab_program_parse(), on a text that may be changed. */
static int parse(struct lab_text *text, const char *file,
		 struct lab_program **ret_program, struct lab_error *error)
{
	struct lab_reader r = {.error = error};
	int status;

	if (is_blank(text)) {
		lab_error_at(error, lab_text_name(file),
			     (struct lab_place){1, 1},
			     "the file is empty, expected an object with "
			     "\"tasks\"");
		return -EINVAL;
	}
	r.program = new_program(file);
	if (!r.program)
		return -ENOMEM;
	status = lab_tree_build(text->bytes, text->length, r.program->file,
				&r.tree, error);
	if (status == 0) {
		status = read_root(&r);
		lab_names_fini(&r);
		free(r.forks);
		free(r.uses);
		free(r.meets);
		lab_tree_free(&r.tree);
	}
	if (status < 0) {
		lab_program_free(r.program);
		return status;
	}
	if (r.program->warning_count > 0)
		qsort(r.program->warnings, r.program->warning_count,
		      sizeof(*r.program->warnings), compare_warnings);
	*ret_program = r.program;
	return 0;
}

/* Memory is refused anywhere, and said here. */
static int end(int status, const char *file, struct lab_error *error)
{
	if (status == -ENOMEM)
		lab_error_at(error, lab_text_name(file),
			     (struct lab_place){0, 0}, "no memory to read it");
	return status;
}

int lab_program_parse(const char *text, size_t length, const char *file,
		      struct lab_program **ret_program, struct lab_error *error)
{
	struct lab_text copy = {.length = length};
	int status = -ENOMEM;

	copy.bytes = malloc(length + 1);
	if (copy.bytes) {
		if (length > 0)
			memcpy(copy.bytes, text, length);
		copy.bytes[length] = '\0';
		status = parse(&copy, file, ret_program, error);
		free(copy.bytes);
	}
	return end(status, file, error);
}

int lab_program_read(const char *file, struct lab_program **ret_program,
		     struct lab_error *error)
{
	struct lab_text text;
	int status = lab_text_read(file, &text, error);

	if (status == 0) {
		status = parse(&text, file, ret_program, error);
		free(text.bytes);
	}
	return end(status, file, error);
}

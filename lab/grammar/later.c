/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events that this version leaves out: their values are looked at as if it did
 * them, so that no file is refused by a later version that this one took.
 */
#include <string.h>

#include "lab/grammar/reader.h"

/* What a memrun can't be without. */
struct seen {
	bool type;
	bool size;
	bool count;
};

static const struct lab_range counts = {0, INT64_MAX, "a count"};
static const struct lab_range sizes = {1, INT64_MAX, "bytes"};

int lab_later_count(struct lab_reader *r, const struct lab_node *node)
{
	int64_t count;

	return lab_integer(r, node, &counts, &count);
}

/* One of two or three words. */
static int check_choice(struct lab_reader *r, const struct lab_node *node,
			const char *const *choices)
{
	const char *word;
	int error = lab_name(r, node, &word);

	if (error < 0)
		return error;
	for (size_t i = 0; choices[i]; i++)
		if (strcmp(word, choices[i]) == 0)
			return 0;
	return lab_refuse(r, node->place,
			  "%s is %s, expected one of \"%s\", "
			  "\"%s\"%s",
			  lab_quote(lab_tree_key(&r->tree, node)).text,
			  lab_quote(word).text, choices[0], choices[1],
			  choices[2] ? ", \"chase\"" : "");
}

/* One member of a memrun; the three that it needs are marked in *seen. */
static int check_member(struct lab_reader *r, const struct lab_node *node,
			struct seen *seen)
{
	static const char *const types[] = {"read", "write", "chase", NULL};
	static const char *const patterns[] = {"random", "sequential", NULL};
	const char *key = lab_tree_key(&r->tree, node);
	const char *name;
	int64_t value;

	if (strcmp(key, "type") == 0) {
		seen->type = true;
		return check_choice(r, node, types);
	}
	if (strcmp(key, "size") == 0) {
		seen->size = true;
		return lab_integer(r, node, &sizes, &value);
	}
	if (strcmp(key, "count") == 0) {
		seen->count = true;
		return lab_integer(r, node, &counts, &value);
	}
	if (strcmp(key, "stride") == 0)
		return lab_integer(r, node, &sizes, &value);
	if (strcmp(key, "pattern") == 0)
		return check_choice(r, node, patterns);
	if (strcmp(key, "ref") == 0)
		return lab_name(r, node, &name);
	return lab_unknown_key(r, node);
}

int lab_later_memrun(struct lab_reader *r, const struct lab_node *node)
{
	const struct lab_node *item;
	struct seen seen = {false, false, false};
	int error;

	error = lab_expect(r, node, LAB_NODE_OBJECT,
			   "an object with \"type\", \"size\" and \"count\"");
	for (item = lab_tree_child(&r->tree, node); item && error == 0;
	     item = lab_tree_next(&r->tree, item))
		error = check_member(r, item, &seen);
	if (error < 0 || (seen.type && seen.size && seen.count))
		return error;
	return lab_refuse(r, node->place,
			  "\"memrun\" lacks \"%s\", expected \"type\", "
			  "\"size\" and \"count\"",
			  !seen.type   ? "type"
			  : !seen.size ? "size"
				       : "count");
}

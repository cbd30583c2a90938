/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events that this version leaves out: their values are looked at as if it did
 * them, so that no file is refused by a later version that this one took.
 */
#include <errno.h>
#include <string.h>

#include "lab/grammar/grow.h"
#include "lab/grammar/reader.h"

static const struct lab_range counts = {0, INT64_MAX, "a count"};
static const struct lab_range sizes = {1, INT64_MAX, "bytes"};

int lab_later_count(struct lab_reader *r, const struct lab_node *node)
{
	int64_t count;

	return lab_integer(r, node, &counts, &count);
}

int lab_later_name(struct lab_reader *r, const struct lab_node *node)
{
	const char *name;

	return lab_name(r, node, &name);
}

int lab_later_fork(struct lab_reader *r, const struct lab_node *node)
{
	struct lab_fork *grown;
	const char *target;
	int error = lab_name(r, node, &target);

	if (error < 0)
		return error;
	grown = lab_grow(r->forks, r->fork_count, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	r->forks = grown;
	r->forks[r->fork_count++] = (struct lab_fork){target, node->place};
	return 0;
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

int lab_later_memrun(struct lab_reader *r, const struct lab_node *node)
{
	static const char *const types[] = {"read", "write", "chase", NULL};
	static const char *const patterns[] = {"random", "sequential", NULL};
	const struct lab_node *item;
	bool type = false, size = false, count = false;
	int64_t value;
	int error;

	error = lab_expect(r, node, LAB_NODE_OBJECT,
			   "an object with \"type\", \"size\" and \"count\"");
	for (item = lab_tree_child(&r->tree, node); item && error == 0;
	     item = lab_tree_next(&r->tree, item)) {
		const char *key = lab_tree_key(&r->tree, item);

		if (strcmp(key, "type") == 0) {
			type = true;
			error = check_choice(r, item, types);
		} else if (strcmp(key, "size") == 0) {
			size = true;
			error = lab_integer(r, item, &sizes, &value);
		} else if (strcmp(key, "count") == 0) {
			count = true;
			error = lab_integer(r, item, &counts, &value);
		} else if (strcmp(key, "stride") == 0) {
			error = lab_integer(r, item, &sizes, &value);
		} else if (strcmp(key, "pattern") == 0) {
			error = check_choice(r, item, patterns);
		} else if (strcmp(key, "ref") == 0) {
			error = lab_later_name(r, item);
		} else {
			error = lab_unknown_key(r, item);
		}
	}
	if (error < 0 || (type && size && count))
		return error;
	return lab_refuse(r, node->place,
			  "\"memrun\" lacks \"%s\", expected "
			  "\"type\", \"size\" and \"count\"",
			  !type   ? "type"
			  : !size ? "size"
				  : "count");
}

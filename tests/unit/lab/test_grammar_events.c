/* SPDX-License-Identifier: Apache-2.0 */
/* From events to nodes: values, places, bounds. */
#include <stdlib.h>

#include "lab/grammar/tree.h"
#include "unit/lab/grammar.h"

static void build(const char *text, struct lab_tree *tree)
{
	struct lab_error error = {{0, 0}, ""};
	char *copy = strdup(text);
	int r;

	CHECK(copy);
	r = lab_tree_build(copy, strlen(copy), "f", tree, &error);
	free(copy);
	if (r != 0)
		FAIL("%d (%s) for %s", r, error.text, text);
}

TEST(numbers_keep_their_kind)
{
	static const struct {
		const char *text;
		enum lab_node_kind kind;
		int64_t value;
	} numbers[] = {
		{"0", LAB_NODE_INTEGER, 0},
		{"-1", LAB_NODE_INTEGER, -1},
		{"12", LAB_NODE_INTEGER, 12},
		{"9223372036854775807", LAB_NODE_INTEGER, INT64_MAX},
		{"-9223372036854775808", LAB_NODE_INTEGER, INT64_MIN},
		{"9223372036854775808", LAB_NODE_OVERFLOW, 0},
		{"-9223372036854775809", LAB_NODE_OVERFLOW, 0},
		{"1000000000000000000000000000", LAB_NODE_OVERFLOW, 0},
		{"1.0", LAB_NODE_REAL, 0},
		{"1e3", LAB_NODE_REAL, 0},
		{"1E3", LAB_NODE_REAL, 0},
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		struct lab_tree tree;

		build(numbers[i].text, &tree);
		CHECK_EQ(tree.nodes[0].kind, numbers[i].kind);
		if (numbers[i].kind == LAB_NODE_INTEGER)
			CHECK_EQ(tree.nodes[0].integer, numbers[i].value);
		lab_tree_free(&tree);
	}
}

TEST(values_know_where_they_begin)
{
	struct lab_tree tree;

	build("{ \"a\" :1, \"b\":\n\t\"\\u0041\\n\",\"\\\\\":[[],true,\n\n"
	      "null]}",
	      &tree);
	CHECK_EQ(tree.node_count, 7);
	CHECK_EQ(tree.nodes[2].place.line, 2);
	CHECK_EQ(tree.nodes[2].place.column, 2);
	CHECK_EQ(tree.nodes[2].key_place.line, 1);
	CHECK_EQ(tree.nodes[2].key_place.column, 11);
	CHECK_EQ(tree.nodes[0].place.column, 1);
	CHECK_EQ(tree.nodes[1].place.column, 8);
	CHECK_EQ(tree.nodes[3].place.column, 18);
	CHECK_EQ(tree.nodes[3].key_place.column, 13);
	CHECK_EQ(tree.nodes[4].place.column, 19);
	CHECK_EQ(tree.nodes[5].place.column, 22);
	CHECK_EQ(tree.nodes[6].place.line, 4);
	CHECK_EQ(tree.nodes[6].place.column, 1);
	lab_tree_free(&tree);
}

TEST(a_bare_suspend_becomes_null_at_its_key)
{
	struct lab_tree tree;

	build("{\"run\":1,\n \"suspend\", \"suspend2\"}", &tree);
	CHECK_EQ(tree.node_count, 4);
	CHECK_EQ(tree.nodes[2].kind, LAB_NODE_NULL);
	CHECK_STR(lab_tree_key(&tree, &tree.nodes[2]), "suspend");
	CHECK_EQ(tree.nodes[2].place.line, 2);
	CHECK_EQ(tree.nodes[2].place.column, 2);
	CHECK_EQ(tree.nodes[3].place.column, 13);
	lab_tree_free(&tree);
}

/* "[1,1,…]" of so many values, the array included. */
static char *many_values(size_t count)
{
	char *text = malloc(2 * count + 2);
	size_t used = 0;

	CHECK(text);
	text[used++] = '[';
	for (size_t i = 1; i < count; i++) {
		text[used++] = '1';
		text[used++] = ',';
	}
	text[used - 1] = ']';
	text[used] = '\0';
	return text;
}

TEST(values_are_bounded)
{
	struct lab_error error = {{0, 0}, ""};
	struct lab_tree tree;
	char *text = many_values(LAB_VALUES_MAX);

	build(text, &tree);
	CHECK_EQ(tree.node_count, LAB_VALUES_MAX);
	lab_tree_free(&tree);
	free(text);
	text = many_values(LAB_VALUES_MAX + 1);
	CHECK_EQ(lab_tree_build(text, strlen(text), "f", &tree, &error), -22);
	CHECK_STR(error.text,
		  "f:1:2000000: too many values, expected at most 1000000");
	free(text);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Walking a tree: order, repeated keys, kinds. */
#include "lab/grammar/tree.h"
#include "unit/lab/grammar.h"

TEST(members_keep_their_order_and_repeat)
{
	char text[] = "{\"run\":1,\"sleep\":2,\"run\":3}";
	struct lab_error error;
	struct lab_tree tree;
	const struct lab_node *node;

	CHECK_EQ(lab_tree_build(text, strlen(text), "f", &tree, &error), 0);
	node = lab_tree_child(&tree, tree.nodes);
	CHECK_STR(lab_tree_key(&tree, node), "run");
	CHECK_EQ(node->integer, 1);
	node = lab_tree_next(&tree, node);
	CHECK_STR(lab_tree_key(&tree, node), "sleep");
	node = lab_tree_next(&tree, node);
	CHECK_STR(lab_tree_key(&tree, node), "run");
	CHECK_EQ(node->integer, 3);
	CHECK(!lab_tree_next(&tree, node));
	CHECK(!lab_tree_child(&tree, node));
	lab_tree_free(&tree);
}

TEST(elements_have_no_key)
{
	char text[] = "[[\"a\",\"\"],{}]";
	struct lab_error error;
	struct lab_tree tree;
	const struct lab_node *inner;
	const struct lab_node *node;

	CHECK_EQ(lab_tree_build(text, strlen(text), "f", &tree, &error), 0);
	CHECK_STR(lab_tree_key(&tree, tree.nodes), "");
	inner = lab_tree_child(&tree, tree.nodes);
	CHECK_EQ(inner->kind, LAB_NODE_ARRAY);
	node = lab_tree_child(&tree, inner);
	CHECK_STR(lab_tree_key(&tree, node), "");
	CHECK_STR(lab_tree_string(&tree, node), "a");
	node = lab_tree_next(&tree, node);
	CHECK_STR(lab_tree_string(&tree, node), "");
	CHECK(!lab_tree_next(&tree, node));
	node = lab_tree_next(&tree, inner);
	CHECK_EQ(node->kind, LAB_NODE_OBJECT);
	CHECK(!lab_tree_child(&tree, node));
	lab_tree_free(&tree);
}

TEST(kinds_have_names)
{
	CHECK_STR(lab_node_kind_name(LAB_NODE_OBJECT), "an object");
	CHECK_STR(lab_node_kind_name(LAB_NODE_ARRAY), "an array");
	CHECK_STR(lab_node_kind_name(LAB_NODE_STRING), "a string");
	CHECK_STR(lab_node_kind_name(LAB_NODE_INTEGER), "an integer");
	CHECK_STR(lab_node_kind_name(LAB_NODE_OVERFLOW), "beyond 64 bits");
	CHECK_STR(lab_node_kind_name(LAB_NODE_REAL), "not a whole number");
	CHECK_STR(lab_node_kind_name(LAB_NODE_BOOL), "true or false");
	CHECK_STR(lab_node_kind_name(LAB_NODE_NULL), "null");
}

# SPDX-License-Identifier: Apache-2.0
# The first member is passed over.
s/return at\(tree, node->child\);/return at(tree, tree->nodes[node->child].next);/

# SPDX-License-Identifier: Apache-2.0
# A name alone makes an object, whatever its kind.
s/return a->kind < b->kind \? -1 : 1;/return strcmp(a->name, b->name);/

/* SPDX-License-Identifier: Apache-2.0 */
/* The tree of groups: creation, look-up, life and death. */
#include "acct/group.h"

#include <errno.h>
#include <string.h>

#include "os/mem.h"

#define MOST_GROUPS (1u << 24)
#define CHUNK_SHIFT 6

uint64_t acct_group_id(const struct acct_group *group)
{
	/* relaxed: the caller keeps the group alive */
	return (uint64_t)a32_load_relaxed(&group->generation) << 32 |
	       (group->number + 1);
}

struct acct_group *acct_group_get(const struct acct_tree *tree, uint64_t id)
{
	struct acct_group *group;

	if (!(uint32_t)id)
		return NULL;
	group = table_at(&tree->groups, (uint32_t)id - 1);
	/* order: group.look pairs group.live: all that is immutable, and
	 * the generation */
	if (!group || a32_load_acquire(&group->life) != ACCT_LIVE)
		return NULL;
	/* relaxed: a handle is right at some moment of the call or never */
	return a32_load_relaxed(&group->generation) == id >> 32 ? group : NULL;
}

/* Under the lock: an entry with slots, all zero. */
static struct acct_group *group_alloc(struct acct_tree *tree)
{
	struct acct_group *group = tree->free;
	uint32_t number;

	if (!group) {
		if (table_add(&tree->groups, &number))
			return NULL;
		group = table_at(&tree->groups, number);
		group->number = number;
		tree->free = group;
	}
	if (!group->slot)
		group->slot =
			os_alloc_aligned(CACHE_LINE,
					 tree->cpus * sizeof(*group->slot));
	if (!group->slot)
		return NULL;
	tree->free = group->link;
	return group;
}

/* Children stand in the order of their creation. */
static void child_append(struct acct_group *parent, struct acct_group *child)
{
	struct acct_group **link = &parent->child;

	while (*link)
		link = &(*link)->sibling;
	*link = child;
}

static void group_attach(struct acct_tree *tree, struct acct_group *group,
			 struct acct_group *parent, const char *name)
{
	group->parent = parent;
	group->depth = parent ? parent->depth + 1 : 1;
	group->child = NULL;
	strcpy(group->name, name);
	for (unsigned i = 0; i < tree->cpus; i++) {
		group->slot[i].parent =
			parent ? &parent->slot[i] : &tree->cpu[i]->outside;
		group->slot[i].depth = group->depth;
		group->slot[i].group = group;
	}
	group->sibling = NULL;
	if (parent)
		child_append(parent, group);
	/* order: group.live pairs group.look, dump.group: all of the above */
	a32_store_release(&group->life, ACCT_LIVE);
}

int acct_tree_init(struct acct_tree *tree, struct acct_cpu **cpu, unsigned cpus)
{
	int error;

	memset(tree, 0, sizeof(*tree));
	tree->cpu = cpu;
	tree->cpus = cpus;
	error = table_init(&tree->groups, sizeof(struct acct_group),
			   MOST_GROUPS, CHUNK_SHIFT);
	if (error)
		return error;
	tree->grace = os_alloc(cpus * sizeof(*tree->grace));
	tree->root = group_alloc(tree);
	if (!tree->root || !tree->grace) {
		acct_tree_fini(tree);
		return -ENOMEM;
	}
	group_attach(tree, tree->root, NULL, "");
	for (unsigned i = 0; i < cpus; i++) {
		cpu[i]->index = i;
		cpu[i]->slot = &cpu[i]->outside;
	}
	return 0;
}

void acct_tree_fini(struct acct_tree *tree)
{
	struct acct_group *group;

	for (uint32_t i = 0; (group = table_at(&tree->groups, i)); i++)
		os_free(group->slot);
	table_fini(&tree->groups);
	os_free(tree->grace);
	tree->grace = NULL;
}

static bool name_valid(const char *name)
{
	size_t length = strlen(name);

	if (!length || length > ACCT_NAME_MAX || !strcmp(name, ".") ||
	    !strcmp(name, ".."))
		return false;
	for (; *name; name++)
		if (*name == '/' || (unsigned char)*name < ' ' || *name == 0x7f)
			return false;
	return true;
}

/* Under the lock. */
static bool lives(const struct acct_group *group)
{
	/* relaxed: changes under the lock */
	return a32_load_relaxed(&group->life) == ACCT_LIVE;
}

static struct acct_group *child_find(struct acct_group *parent,
				     const char *name, size_t length)
{
	struct acct_group *child = parent->child;

	while (child &&
	       (!lives(child) || strncmp(child->name, name, length) != 0 ||
		child->name[length] != '\0'))
		child = child->sibling;
	return child;
}

static bool has_children(const struct acct_group *group)
{
	struct acct_group *child = group->child;

	while (child && !lives(child))
		child = child->sibling;
	return child != NULL;
}

int acct_group_create(struct acct_tree *tree, uint64_t parent_id,
		      const char *name, uint64_t *ret_id)
{
	struct acct_group *parent;
	struct acct_group *group;
	int error = 0;

	if (!name || !name_valid(name))
		return -EINVAL;
	acct_group_reap(tree);
	lock_acquire(&tree->lock, LOCK_TREE);
	parent = acct_group_get(tree, parent_id);
	if (!parent)
		error = -ESRCH;
	else if (parent->depth > ACCT_DEPTH_MAX)
		error = -ELOOP;
	else if (child_find(parent, name, strlen(name)))
		error = -EEXIST;
	if (!error) {
		group = group_alloc(tree);
		if (group)
			group_attach(tree, group, parent, name);
		else
			error = -ENOMEM;
	}
	if (!error)
		*ret_id = acct_group_id(group);
	lock_release(&tree->lock, LOCK_TREE);
	return error;
}

int acct_group_find(struct acct_tree *tree, const char *path, uint64_t *ret_id)
{
	struct acct_group *group = tree->root;

	if (!path || path[0] != '/')
		return -EINVAL;
	lock_acquire(&tree->lock, LOCK_TREE);
	for (path++; group && *path; path += *path == '/') {
		size_t length = strcspn(path, "/");

		group = child_find(group, path, length);
		path += length;
	}
	if (group)
		*ret_id = acct_group_id(group);
	lock_release(&tree->lock, LOCK_TREE);
	return group ? 0 : -ENOENT;
}

int acct_group_path(struct acct_tree *tree, uint64_t id, char *ret_path,
		    size_t size)
{
	char path[ACCT_PATH_MAX + 2];
	char *start = path + sizeof(path) - 1;
	struct acct_group *group;

	*start = '\0';
	lock_acquire(&tree->lock, LOCK_TREE);
	group = acct_group_get(tree, id);
	for (struct acct_group *g = group; g && g->parent; g = g->parent) {
		size_t length = strlen(g->name);

		start -= length;
		memcpy(start, g->name, length);
		*--start = '/';
	}
	lock_release(&tree->lock, LOCK_TREE);
	if (!group)
		return -ESRCH;
	if (!*start)
		*--start = '/';
	if (strlen(start) >= size)
		return -ERANGE;
	strcpy(ret_path, start);
	return 0;
}

int acct_group_destroy(struct acct_tree *tree, uint64_t id)
{
	struct acct_group *group;
	int error = 0;

	lock_acquire(&tree->lock, LOCK_TREE);
	group = acct_group_get(tree, id);
	if (!group)
		error = -ESRCH;
	else if (has_children(group) || !group->parent)
		error = -EBUSY;
	if (!error) {
		/* order: group.dying pairs group.enter, group.enter-look:
		 * whoever enters later sees it, whoever entered before is
		 * counted */
		a32_exchange_seq_cst(&group->life, ACCT_DYING);
		group->link = tree->dying;
		tree->dying = group;
	}
	lock_release(&tree->lock, LOCK_TREE);
	if (!error)
		acct_group_reap(tree);
	return error;
}

int acct_group_enter(struct acct_group *group)
{
	/* order: group.enter pairs group.dying, group.inside-in: counted
	 * before we look */
	a64_add_seq_cst(&group->arrived, 1);
	/* order: group.enter-look pairs group.dying: as above */
	if (a32_load_seq_cst(&group->life) == ACCT_LIVE)
		return 0;
	/* order: group.withdraw pairs group.inside: as any departure */
	a64_add_release(&group->departed, 1);
	return -ESRCH;
}

void acct_group_leave(struct acct_tree *tree, struct acct_group *group)
{
	/* order: group.leave pairs group.inside: its last press is there for
	 * whoever sees it gone */
	a64_add_release(&group->departed, 1);
	/* relaxed: a late look only delays the reaping */
	if (a32_load_relaxed(&group->life) == ACCT_DYING)
		acct_group_reap(tree);
}

void acct_group_created(struct acct_group *group)
{
	/* relaxed: counts */
	a64_add_relaxed(&group->created_own, 1);
	for (; group; group = group->parent)
		/* relaxed: counts */
		a64_add_relaxed(&group->created, 1);
}

struct acct_group *acct_group_next(struct acct_group *group)
{
	if (group->child)
		return group->child;
	while (group && !group->sibling)
		group = group->parent;
	return group ? group->sibling : NULL;
}

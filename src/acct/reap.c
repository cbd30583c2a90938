/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of destroyed groups: empty, quiet, a grace period, still so, free.
 * See group.h.
 */
#include "acct/group.h"
#include "os/clock.h"

#define GRACE_OVER UINT64_MAX

static void child_remove(struct acct_group *parent, struct acct_group *child)
{
	struct acct_group **link = &parent->child;

	while (*link != child)
		link = &(*link)->sibling;
	*link = child->sibling;
}

/* Nobody is inside: departures are read before arrivals. */
static bool empty(struct acct_tree *tree, struct acct_group *group)
{
	/* order: group.inside pairs group.leave, group.withdraw: see above */
	uint64_t departed = a64_load_acquire(&group->departed);
	uint64_t arrived;

	for (unsigned i = 0; i < tree->cpus; i++)
		/* order: group.inside-cpu pairs group.died: see above */
		departed += a64_load_acquire(&group->slot[i].departed);
	/* order: group.inside-in pairs group.enter: see above */
	arrived = a64_load_seq_cst(&group->arrived);
	for (unsigned i = 0; i < tree->cpus; i++)
		/* relaxed: not older than the departures that we have seen;
		 * a newer one is not departed yet */
		arrived += a64_load_relaxed(&group->slot[i].arrived);
	return arrived == departed;
}

/* No CPU charges it: its last press was out of it. */
static bool quiet(struct acct_tree *tree, struct acct_group *group)
{
	for (unsigned i = 0; i < tree->cpus; i++)
		/* order: group.quiet pairs mark.own: the slot's last words */
		if (a64_load_acquire(&group->slot[i].start[ACCT_EXEC]))
			return false;
	return true;
}

/* Word by word, for a stale handle's reader may be at it. */
static void slot_clear(struct acct_slot *slot)
{
	for (unsigned m = 0; m < ACCT_METERS; m++) {
		a64_own_set(&slot->base[m], 0);
		a64_own_set(&slot->start[m], 0);
		a64_own_set(&slot->own[m], 0);
	}
	for (unsigned c = 0; c < ACCT_COUNTS; c++) {
		a64_own_set(&slot->count[c], 0);
		a64_own_set(&slot->own_count[c], 0);
	}
	a64_own_set(&slot->arrived, 0);
	a64_own_set(&slot->departed, 0);
}

/* Its own usage passes to its parent's; the entry is as new. */
static void group_free(struct acct_tree *tree, struct acct_group *group)
{
	struct acct_group *parent = group->parent;

	child_remove(parent, group);
	for (unsigned m = 0; m < ACCT_METERS; m++) {
		/* relaxed: under the lock; nobody else writes it any more */
		uint64_t sum = a64_load_relaxed(&group->inherited[m]);

		for (unsigned i = 0; i < tree->cpus; i++)
			sum += a64_own(&group->slot[i].own[m]);
		a64_own_add(&parent->inherited[m], sum);
	}
	for (unsigned c = 0; c < ACCT_COUNTS; c++) {
		/* relaxed: as above */
		uint64_t sum = a64_load_relaxed(&group->inherited_count[c]);

		for (unsigned i = 0; i < tree->cpus; i++)
			sum += a64_own(&group->slot[i].own_count[c]);
		if (c == ACCT_CREATED)
			/* relaxed: as above */
			sum += a64_load_relaxed(&group->created_own);
		a64_own_add(&parent->inherited_count[c], sum);
	}
	for (unsigned i = 0; i < tree->cpus; i++)
		slot_clear(&group->slot[i]);
	/* relaxed: under the lock; the next life publishes them */
	a64_store_relaxed(&group->arrived, 0);
	a64_store_relaxed(&group->departed, 0);
	a64_store_relaxed(&group->created, 0);
	a64_store_relaxed(&group->created_own, 0);
	for (unsigned m = 0; m < ACCT_METERS; m++)
		/* relaxed: as above */
		a64_store_relaxed(&group->inherited[m], 0);
	for (unsigned c = 0; c < ACCT_COUNTS; c++)
		/* relaxed: as above */
		a64_store_relaxed(&group->inherited_count[c], 0);
	a32_own_set(&group->generation, a32_own(&group->generation) + 1);
	/* relaxed: the next life publishes it and its generation */
	a32_store_relaxed(&group->life, ACCT_FREE);
	group->link = tree->free;
	tree->free = group;
}

static bool may_go(struct acct_tree *tree, struct acct_group *group)
{
	return !group->child && empty(tree, group) && quiet(tree, group);
}

/* Every dying group that may go enters a new grace period. */
static void grace_begin(struct acct_tree *tree)
{
	struct acct_group **link = &tree->dying;

	while (*link) {
		struct acct_group *group = *link;

		if (!may_go(tree, group)) {
			link = &group->link;
			continue;
		}
		*link = group->link;
		group->link = tree->leaving;
		tree->leaving = group;
	}
	for (unsigned i = 0; i < tree->cpus; i++)
		tree->grace[i] = 0;
	tree->grace_counted = false;
	tree->grace_ns = os_monotonic_ns();
}

static bool grace_visible(const struct acct_tree *tree)
{
	return os_monotonic_ns() - tree->grace_ns > ACCT_GRACE_NS;
}

static bool grace_over(struct acct_tree *tree)
{
	bool counts = !tree->grace_counted && grace_visible(tree);
	bool over = true;

	for (unsigned i = 0; i < tree->cpus; i++) {
		struct acct_cpu *cpu = tree->cpu[i];
		uint64_t switches;

		if (tree->grace[i] == GRACE_OVER)
			continue;
		/* order: grace.again pairs grace.switch: see group.h */
		switches = a64_load_acquire(&cpu->switches);
		/* order: grace.look pairs grace.sleep, grace.rise: what it
		 * pressed before; and, as a swap of the same word, what it
		 * looks at when it has risen is not older than our looks */
		if (a32_add_acq_rel(&cpu->asleep, 0) ||
		    (tree->grace_counted && switches != tree->grace[i])) {
			tree->grace[i] = GRACE_OVER;
			continue;
		}
		if (counts)
			tree->grace[i] = switches;
		over = false;
	}
	tree->grace_counted |= counts;
	return over;
}

/* The grace period is over: what may still go is freed, and then perhaps its
 * parent may. */
static void grace_end(struct acct_tree *tree)
{
	while (tree->leaving) {
		struct acct_group *group = tree->leaving;

		tree->leaving = group->link;
		if (may_go(tree, group)) {
			group_free(tree, group);
			continue;
		}
		group->link = tree->dying;
		tree->dying = group;
	}
}

void acct_group_reap(struct acct_tree *tree)
{
	lock_acquire(&tree->lock, LOCK_TREE);
	do {
		if (!tree->leaving)
			grace_begin(tree);
		if (!tree->leaving || !grace_over(tree))
			break;
		grace_end(tree);
	} while (tree->dying);
	lock_release(&tree->lock, LOCK_TREE);
}

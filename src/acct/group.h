/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tree of groups.
 *
 * Structure (parents, children, names) changes under the tree's lock, which is
 * never taken on a switch.  Look-up of a handle is lock-free and safe in signal
 * handlers: groups live in a table of stable entries and keep their slots for
 * the next that gets the entry, so a stale handle reads at worst the books of
 * another group, and its generation tells.
 *
 * Membership.  Every slot counts the tasks that came into its group and left it
 * on its CPU by owner operations; those that others move are counted in the
 * group's own pair of atomics.  Both only grow, so a sum of departures read
 * before the arrivals that equals them proves that nobody was inside in
 * between.
 *
 * Life.  LIVE -> DYING when destroyed (the handle and the name are free at
 * once; tasks inside go on) -> FREE when nobody is inside and no CPU charges it
 * any more.  What it used stays in its ancestors, whose slots ran all along;
 * its own part is added to its parent's `inherited`, so that the groups' own
 * still add up to the tasks'.  A task that is inside keeps its group from
 * becoming free, and a child its parent; one that has ended is inside until it
 * is joined.
 *
 * Grace.  A CPU looks at a task's group and then presses into its slot; in
 * between somebody may move the task away and the group look empty and quiet.
 * So such a group waits until every CPU has slept or has counted one more switch
 * (the count follows the press), and must then still be empty and quiet.  The
 * count from which on is read a while after it was found empty: a CPU's looks
 * overtake its own stores, and only when those it made before such a look are
 * visible is the switch that the look belongs to the next that is counted.  By
 * then a task is also seen that its own CPU has let in (born), and whose look
 * whether the group lives came too early to see that it did no longer.  One
 * grace period at a time, as in read-copy-update (McKenney and Slingwine, 1998).
 */
#ifndef ACCT_GROUP_H
#define ACCT_GROUP_H

#include "acct/books.h"
#include "conc/lock.h"
#include "conc/table.h"

#define ACCT_NAME_MAX  31
#define ACCT_PATH_MAX  1024
#define ACCT_DEPTH_MAX 32
#define ACCT_ROOT_ID   1
/* Within it what a CPU has stored is visible: more than ten times what was seen
 * at worst (press.h). */
#define ACCT_GRACE_NS 200000

enum acct_life {
	ACCT_FREE = 0,
	ACCT_LIVE,
	ACCT_DYING,
};

struct acct_group {
	/* immutable while the group lives */
	struct acct_slot *slot; /* one a CPU; kept when the entry is reused */
	struct acct_group *parent;
	uint32_t depth; /* root 1 */
	uint32_t number;
	char name[ACCT_NAME_MAX + 1];
	/* under the tree's lock; read by anyone */
	struct a32 life;
	struct a32 generation;
	/* under the tree's lock */
	struct acct_group *child;
	struct acct_group *sibling;
	struct acct_group *link; /* free or dying */
	/* anyone, atomically: what foreign threads did */
	struct a64 arrived cache_aligned;
	struct a64 departed;
	struct a64 created;
	struct a64 created_own;
	/* under the tree's lock: own usage of destroyed children */
	struct a64 inherited[ACCT_METERS];
	struct a64 inherited_count[ACCT_COUNTS];
} cache_aligned;

struct acct_tree {
	struct lock lock;
	struct table groups;
	unsigned cpus;
	struct acct_cpu **cpu; /* the CPUs' books, to see what they charge */
	struct acct_group *root;
	struct acct_group *free;
	struct acct_group *dying;   /* destroyed */
	struct acct_group *leaving; /* empty and quiet, in the grace period */
	/* the grace period */
	uint64_t grace_ns;  /* its start */
	bool grace_counted; /* ... and it was long enough ago then to count */
	uint64_t *grace;    /* switches that each CPU had counted; GRACE_OVER */
};

/* 0 or -ENOMEM.  `cpu` is an array of `cpus` pointers that stays the caller's;
 * every CPU's outside slot becomes the parent of the root's. */
int acct_tree_init(struct acct_tree *tree, struct acct_cpu **cpu,
		   unsigned cpus);
void acct_tree_fini(struct acct_tree *tree);

/* As the public calls; see mete/group.h. */
int acct_group_create(struct acct_tree *tree, uint64_t parent_id,
		      const char *name, uint64_t *ret_id);
int acct_group_find(struct acct_tree *tree, const char *path, uint64_t *ret_id);
int acct_group_path(struct acct_tree *tree, uint64_t id, char *ret_path,
		    size_t size);
int acct_group_destroy(struct acct_tree *tree, uint64_t id);

/* The live group of a handle, NULL when stale.  Lock-free. */
struct acct_group *acct_group_get(const struct acct_tree *tree, uint64_t id);
uint64_t acct_group_id(const struct acct_group *group);

/* A task from elsewhere comes in, by anyone: 0 or -ESRCH when the group does
 * not live any more. */
int acct_group_enter(struct acct_group *group);
/* A task leaves, by anyone. */
void acct_group_leave(struct acct_tree *tree, struct acct_group *group);
/* A foreign thread created a task in the group. */
void acct_group_created(struct acct_group *group);

/* The owner of `cpu` creates a task beside one that is inside. */
static inline void acct_group_born(struct acct_group *group, unsigned cpu)
{
	/* Before the one that is inside can be seen to leave. */
	a64_own_add(&group->slot[cpu].arrived, 1);
}

/* Free what nobody uses any more. */
void acct_group_reap(struct acct_tree *tree);

/* The owner of `cpu` lets a task go. */
static inline void acct_group_died(struct acct_tree *tree,
				   struct acct_group *group, unsigned cpu)
{
	/* order: group.died pairs group.inside-cpu: its last press is there for
	 * whoever sees it gone */
	a64_own_add(&group->slot[cpu].departed, 1);
	/* relaxed: a late look only delays the reaping */
	if (unlikely(a32_load_relaxed(&group->life) == ACCT_DYING))
		acct_group_reap(tree);
}

/* Walk in depth-first order, dying groups included; under the lock. */
struct acct_group *acct_group_next(struct acct_group *group);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file group.h
 * Groups: the tree of those who pay.
 *
 * A task is in exactly one group; what it uses is charged to that group and to
 * every group above it.  The usage of a group therefore includes its subtree
 * and every task that ever ran in it, dead or alive.
 *
 * The calls are thread-safe, may be made from tasks and foreign threads, and
 * do not switch; not from signal handlers.
 */
#ifndef METE_GROUP_H
#define METE_GROUP_H

#include <mete/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Attributes of a new group; reserved for weights and limits. */
struct mete_group_attr {
	size_t size; /**< sizeof(struct mete_group_attr) */
};

#define METE_GROUP_ATTR_INIT     \
 {                               \
  sizeof(struct mete_group_attr) \
 }

/**
 * Create a group below `parent`.
 *
 * @param name  1 … METE_NAME_MAX bytes, printable, no '/', not "." or "..".
 * @param attr  NULL for the defaults.
 * @return 0; -EINVAL; -EEXIST; -ESRCH (parent); -ELOOP beyond METE_DEPTH_MAX;
 *         -ENOMEM; -ENOSYS.
 * Cost: one allocation of 192 bytes a CPU, touched where the group runs.
 * Since 0.1.
 */
METE_API METE_NODISCARD int mete_group_create(
	mete_group *ret_group, mete_group parent, const char *name,
	const struct mete_group_attr *attr);

/** Find a group by its path, "/" or "/web/tenant42".  0; -ENOENT; -EINVAL.
 *  O(children a level).  Since 0.1. */
METE_API METE_NODISCARD int mete_group_find(mete_group *ret_group,
					    const char *path);

/** Copy a group's path into `ret_path`.  -ESRCH; -ERANGE.  Since 0.1. */
METE_API int mete_group_path(mete_group group, char *ret_path, size_t size);

/**
 * Destroy a group without children: its handle and name are free at once.
 * Tasks in it go on and are charged to it, and so to its ancestors, until the
 * last has left; what it used stays in its ancestors, its own (exclusive)
 * usage passes to its parent's own.  Nothing is lost or counted twice.
 * 0; -ESRCH; -EBUSY while it has children or for the root.  Since 0.1.
 */
METE_API int mete_group_destroy(mete_group group);

/** The group that pays for the calling task; the root outside of tasks. */
METE_API mete_group mete_group_self(void);

/**
 * From here on `group` pays for the calling task.
 *
 * @return the group that paid before, to be given back with the next call;
 *         the group unchanged when `group` is stale or the caller is no task.
 * Cost: one press, about a time stamp and 2 ns for each level that differs.
 * Since 0.1.
 */
METE_API mete_group mete_charge(mete_group group);

#ifdef __cplusplus
}
#endif

#endif

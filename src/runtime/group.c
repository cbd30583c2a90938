/* SPDX-License-Identifier: Apache-2.0 */
/* The public face of groups. */
#include <errno.h>

#include <mete/group.h>

#include "runtime/runtime.h"

_Static_assert(METE_DEPTH_MAX == ACCT_DEPTH_MAX, "one depth");
_Static_assert(METE_PATH_MAX == ACCT_PATH_MAX, "one length of paths");
_Static_assert(METE_NAME_MAX == ACCT_NAME_MAX, "one length of names");

int mete_group_create(mete_group *ret_group, mete_group parent,
		      const char *name, const struct mete_group_attr *attr)
{
	if (!runtime_runs())
		return -ENOSYS;
	if (!ret_group || (attr && attr->size < sizeof(attr->size)))
		return -EINVAL;
	return acct_group_create(&sched.tree, parent.id, name, &ret_group->id);
}

int mete_group_find(mete_group *ret_group, const char *path)
{
	if (!runtime_runs())
		return -ENOSYS;
	return acct_group_find(&sched.tree, path, &ret_group->id);
}

int mete_group_path(mete_group group, char *ret_path, size_t size)
{
	if (!runtime_runs())
		return -ENOSYS;
	return acct_group_path(&sched.tree, group.id, ret_path, size);
}

int mete_group_destroy(mete_group group)
{
	if (!runtime_runs())
		return -ENOSYS;
	return acct_group_destroy(&sched.tree, group.id);
}

mete_group mete_group_self(void)
{
	struct task *task = sched_current();

	return (mete_group){task ? acct_group_id(task_group(task))
				 : ACCT_ROOT_ID};
}

mete_group mete_charge(mete_group group)
{
	return (mete_group){sched_charge(group.id)};
}

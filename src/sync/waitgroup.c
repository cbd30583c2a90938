/* SPDX-License-Identifier: Apache-2.0 */
/* Wait group: units are work that is not done. */
#include <errno.h>

#include "sync/units.h"

void mete_waitgroup_init(struct mete_waitgroup *group, unsigned count)
{
	*group = (struct mete_waitgroup)METE_WAITGROUP_INIT(count);
}

int mete_waitgroup_add(struct mete_waitgroup *group, unsigned count)
{
	return units_add(units_of(&group->units), &rule_waitgroup, count);
}

int mete_waitgroup_done(struct mete_waitgroup *group)
{
	return units_post(units_of(&group->units), &rule_waitgroup, 1, 0);
}

int mete_waitgroup_wait(struct mete_waitgroup *group, uint64_t deadline_ns)
{
	struct units *units = units_of(&group->units);

	/* order: units.idle pairs units.set, units.leave: the work's effects */
	if (!a64_load_acquire(&units->word))
		return 0;
	return units_wait(units, &rule_waitgroup, 1, deadline_ns);
}

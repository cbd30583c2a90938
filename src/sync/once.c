/* SPDX-License-Identifier: Apache-2.0 */
/* Once: a latch that its first caller sets, when its function has returned. */
#include <errno.h>

#include "sync/units.h"

void mete_once_init(struct mete_once *once)
{
	*once = (struct mete_once)METE_ONCE_INIT;
}

static bool is_first(struct mete_once *once)
{
	struct a32 *begun = (struct a32 *)(void *)&once->begun;

	/* relaxed: who is second waits for the latch */
	return !a32_load_relaxed(begun) && !a32_add_relaxed(begun, 1);
}

int mete_once_call(struct mete_once *once, void (*fn)(void *), void *arg)
{
	struct units *units = units_of(&once->units);

	if (likely(units_latched(units)))
		return 0;
	if (!is_first(once))
		return units_wait(units, &rule_once, 1, METE_FOREVER);
	fn(arg);
	units_post(units, &rule_once, 0, UNITS_ALL | UNITS_LATCH);
	return 1;
}

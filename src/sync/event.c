/* SPDX-License-Identifier: Apache-2.0 */
/* Event: a latch; and once, which is a latch that its first caller sets. */
#include <errno.h>

#include "sync/units.h"

void mete_event_init(struct mete_event *event)
{
	*event = (struct mete_event)METE_EVENT_INIT;
}

int mete_event_wait(struct mete_event *event, uint64_t deadline_ns)
{
	struct units *units = units_of(&event->units);

	if (units_latched(units))
		return 0;
	return units_wait(units, &rule_event, 1, deadline_ns);
}

void mete_event_set(struct mete_event *event)
{
	units_post(units_of(&event->units), &rule_event, 0,
		   UNITS_ALL | UNITS_LATCH);
}

void mete_event_reset(struct mete_event *event)
{
	units_unlatch(units_of(&event->units));
}

bool mete_event_is_set(const struct mete_event *event)
{
	return units_latched(units_of_const(&event->units));
}

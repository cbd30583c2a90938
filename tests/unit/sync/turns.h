/* SPDX-License-Identifier: Apache-2.0 */
/* Units whose turn the test has, as if somebody were stopped in it. */
#ifndef UNIT_SYNC_TURNS_H
#define UNIT_SYNC_TURNS_H

#include <string.h>

#include "harness/test.h"
#include "sync/rule.h"

static struct units units;

/* As if somebody had the turn and were stopped in it. */
static inline void begin_turn(void)
{
	memset(&units, 0, sizeof(units));
	a64_store_release(&units.word, UNITS_WAITED | UNITS_BUSY);
}

/* And goes on. */
static inline void end_turn(const struct rule *rule)
{
	struct wait_woken woken;
	struct turn turn = {.units = &units, .rule = rule, .woken = &woken};

	wait_woken_init(&woken);
	turn_serve(&turn);
	wait_release(&woken);
}

static inline uint64_t word(void)
{
	return a64_load_acquire(&units.word);
}

#endif

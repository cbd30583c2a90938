/* SPDX-License-Identifier: Apache-2.0 */
/* COUNT, SIGNAL, LATCH, DOWN, MEET: see units.h. */
#include "sync/rule.h"

#include <errno.h>

uint64_t rule_left(const struct rule *rule, uint64_t word)
{
	return rule->capacity ? rule->capacity - (word >> 1) : word >> 1;
}

static uint64_t most(const struct rule *rule)
{
	return rule->capacity ? rule->capacity : UNITS_MOST;
}

/* The inverse of rule_left(). */
static uint64_t word_of(const struct rule *rule, uint64_t left)
{
	return (rule->capacity ? rule->capacity - left : left) << 1;
}

enum rule_pass rule_pass(const struct rule *rule,
			 const struct mete_waiter *waiter, uint64_t word)
{
	uint64_t left = rule_left(rule, word);
	bool only = waiter->own && waiter->want == 1;

	switch (rule->law) {
	case RULE_COUNT:
		if (left >= waiter->want)
			return RULE_PASSES;
		break;
	case RULE_LATCH:
		if (left)
			return RULE_PASSES;
		break;
	case RULE_DOWN:
		return left ? RULE_TURN : RULE_PASSES;
	case RULE_MEET:
		only = false;
		break;
	case RULE_SIGNAL:
		break;
	}
	if (left)
		return RULE_TURN;
	return only ? RULE_ONLY : RULE_WAITS;
}

uint64_t rule_taken(const struct rule *rule, const struct mete_waiter *waiter,
		    uint64_t word)
{
	if (rule->law != RULE_COUNT)
		return word;
	return word_of(rule, rule_left(rule, word) - waiter->want);
}

int rule_post(const struct rule *rule, uint64_t count, uint64_t flags,
	      uint64_t *word)
{
	uint64_t left = rule_left(rule, *word);

	switch (rule->law) {
	case RULE_COUNT:
		if (count > most(rule) - left)
			return -EOVERFLOW;
		*word = word_of(rule, left + count);
		break;
	case RULE_LATCH:
		if (flags & UNITS_LATCH)
			*word = UNITS_LATCHED;
		break;
	case RULE_DOWN:
		if (count > left)
			return -EINVAL;
		*word = word_of(rule, left - count);
		break;
	case RULE_SIGNAL:
	case RULE_MEET:
		break;
	}
	return 0;
}

uint64_t rule_post_only(const struct rule *rule, uint64_t count, uint64_t flags)
{
	if (rule->law == RULE_COUNT)
		return word_of(rule, count - 1);
	return flags & UNITS_LATCH ? UNITS_LATCHED : 0;
}

void turn_append(struct turn *turn, struct mete_waiter *waiter)
{
	struct units *units = turn->units;

	waiter->next = NULL;
	waiter->prev = units->tail;
	waiter->listed = true;
	if (units->tail)
		units->tail->next = waiter;
	else
		units->head = waiter;
	units->tail = waiter;
	units->listed++;
}

void turn_unlist(struct turn *turn, struct mete_waiter *waiter)
{
	struct units *units = turn->units;

	if (!waiter->listed)
		return;
	if (waiter->prev)
		waiter->prev->next = waiter->next;
	else
		units->head = waiter->next;
	if (waiter->next)
		waiter->next->prev = waiter->prev;
	else
		units->tail = waiter->prev;
	waiter->listed = false;
	units->listed--;
}

/* False: the time of the oldest was over. */
static bool wake_oldest(struct turn *turn)
{
	struct mete_waiter *waiter = turn->units->head;

	turn_unlist(turn, waiter);
	return wait_take(waiter, turn->woken);
}

static void wake_all(struct turn *turn)
{
	while (turn->units->head)
		wake_oldest(turn);
}

uint64_t rule_debt(const struct rule *rule, uint64_t count)
{
	return rule->law == RULE_DOWN ? -count : count;
}

void rule_given(struct turn *turn, uint64_t count, uint64_t flags)
{
	struct units *units = turn->units;

	turn->all |= (flags & UNITS_ALL) != 0;
	units->left += rule_debt(turn->rule, count);
	if (flags & UNITS_OWED)
		/* order: units.settle pairs units.owe: what was
		 * done before */
		units->left += a64_exchange_acquire(&units->owed, 0);
}

static void grant_units(struct turn *turn)
{
	struct units *units = turn->units;

	while (units->head && units->left >= units->head->want) {
		uint64_t want = units->head->want;

		if (wake_oldest(turn))
			units->left -= want;
	}
}

/* As many as the oldest wants pass together, and the youngest of them is told.
 * One whose time is just over, but who was counted, passes as well. */
static void grant_meeting(struct turn *turn)
{
	struct units *units = turn->units;

	while (units->head && units->listed >= units->head->want) {
		uint64_t missing = units->head->want;

		while (missing--) {
			units->head->met = missing ? MET : MET_LAST;
			wake_oldest(turn);
		}
	}
}

void rule_grant(struct turn *turn)
{
	struct units *units = turn->units;
	bool all = turn->all;

	turn->all = false;
	switch (turn->rule->law) {
	case RULE_COUNT:
		grant_units(turn);
		break;
	case RULE_SIGNAL:
		if (all)
			wake_all(turn);
		grant_units(turn);
		units->left = 0;
		break;
	case RULE_LATCH:
		if (all)
			wake_all(turn);
		break;
	case RULE_DOWN:
		if (!units->left)
			wake_all(turn);
		break;
	case RULE_MEET:
		grant_meeting(turn);
		break;
	}
}

uint64_t rule_rest(const struct turn *turn)
{
	const struct units *units = turn->units;
	const struct rule *rule = turn->rule;
	uint64_t left = units->left;

	if (units->head)
		return UNITS_WAITED | UNITS_LISTED;
	if (rule->law != RULE_COUNT && rule->law != RULE_DOWN)
		return 0;
	return word_of(rule, left < most(rule) ? left : most(rule));
}

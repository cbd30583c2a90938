/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules by which units are given and taken: what units.c leaves open.
 *
 * Half of these functions look at a word in which nobody waits and say what a
 * swap would make of it; the other half run under the turn.
 */
#ifndef SYNC_RULE_H
#define SYNC_RULE_H

#include "sync/units.h"

enum rule_pass {
	RULE_PASSES, /* it need not wait */
	RULE_ONLY,   /* it waits, and can be served by one swap */
	RULE_WAITS,  /* it waits, and there are no units */
	RULE_TURN,   /* it waits, and there are units to be kept */
};

static inline struct mete_waiter *units_newest(uint64_t word)
{
	return (struct mete_waiter *)(uintptr_t)(word & UNITS_ADDRESS);
}

/* What whoever has the turn knows. */
struct turn {
	struct units *units;
	const struct rule *rule;
	struct wait_woken *woken;
	bool all; /* everybody who is listed is to be woken */
};

/* Nobody waits: how many units are there? */
uint64_t rule_left(const struct rule *rule, uint64_t word);
/* Nobody waits: may this one pass, and what is left then? */
enum rule_pass rule_pass(const struct rule *rule,
			 const struct mete_waiter *waiter, uint64_t word);
uint64_t rule_taken(const struct rule *rule, const struct mete_waiter *waiter,
		    uint64_t word);
/* Nobody waits: the word with `count` more units, or -EOVERFLOW, -EINVAL. */
int rule_post(const struct rule *rule, uint64_t count, uint64_t flags,
	      uint64_t *word);
/* The one waiter there is gets its unit: what is left of `count`. */
uint64_t rule_post_only(const struct rule *rule, uint64_t count,
			uint64_t flags);
/* What `count` units add to what is left. */
uint64_t rule_debt(const struct rule *rule, uint64_t count);

/* Under the turn: the list, ... */
void turn_append(struct turn *turn, struct mete_waiter *waiter);
void turn_unlist(struct turn *turn, struct mete_waiter *waiter);
/* ... units that have come (DOWN: work that was done), and what is owed, */
void rule_given(struct turn *turn, uint64_t count, uint64_t flags);
/* ... who is served now, */
void rule_grant(struct turn *turn);
/* ... and the word to leave behind, but for the latch. */
uint64_t rule_rest(const struct turn *turn);

/* In units.c: take the turn, which nobody has, whether or not somebody waits;
 * `word` is what was seen.  Arrivals are in the list then. */
bool turn_take(struct turn *turn, uint64_t *word, uint64_t flags);
/* All of the above until nothing new has come, then leave. */
void turn_serve(struct turn *turn);

#endif

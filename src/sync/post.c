/* SPDX-License-Identifier: Apache-2.0 */
/* Giving units: into the word, to the only waiter, under the turn, or as a
 * deposit for whoever has it; see units.h. */
#include <errno.h>

#include "sync/rule.h"

/* What is to be given, and where those go who get it. */
struct post {
	const struct rule *rule;
	uint64_t count;
	uint64_t flags;
	struct wait_woken *woken;
};

/* Nobody waits: true when the post is done, or refused. */
static bool post_word(struct units *units, const struct post *post,
		      uint64_t *word, int *result)
{
	uint64_t to = *word;

	*result = rule_post(post->rule, post->count, post->flags, &to);
	/* order: units.set pairs units.passed, units.pass, bias.swap,
	 * units.idle: what we did before */
	return *result || a64_guest_cas_release(&units->word, word, to);
}

static bool post_only(struct units *units, const struct post *post,
		      uint64_t *word)
{
	struct mete_waiter *waiter = units_newest(*word);

	/* order: units.only pairs units.first, units.passed, units.pass,
	 * bias.swap: the waiter's contents; what we did before */
	if (!a64_guest_cas_acq_rel(&units->word, word,
				   rule_post_only(post->rule, post->count,
						  post->flags)))
		return false;
	if (post->woken)
		wait_take_own(waiter, post->woken);
	else
		wait_wake_own(waiter);
	return true;
}

static bool post_serving(struct units *units, const struct post *post,
			 uint64_t *word)
{
	struct wait_woken own;
	struct turn turn = {
		.units = units,
		.rule = post->rule,
		.woken = post->woken ? post->woken : &own,
	};

	wait_woken_init(&own);
	if (!turn_take(&turn, word, post->flags))
		return false;
	rule_given(&turn, post->count, post->flags);
	turn_serve(&turn);
	wait_release(&own);
	return true;
}

/* Somebody else has the turn. */
static bool deposit(struct units *units, struct post *post, uint64_t *word)
{
	if (post->count <= UNITS_DEPOSIT_MOST - (*word >> UNITS_SHIFT))
		/* order: units.deposit pairs units.collect, units.passed,
		 * units.pass: what we did before */
		return a64_guest_cas_release(
			&units->word, word,
			(*word | post->flags) + (post->count << UNITS_SHIFT));
	/* order: units.owe pairs units.settle: what we did before */
	a64_add_acq_rel(&units->owed, rule_debt(post->rule, post->count));
	post->count = 0;
	post->flags |= UNITS_OWED;
	return false;
}

int units_post_to(struct units *units, const struct rule *rule, uint64_t count,
		  uint64_t flags, struct wait_woken *woken)
{
	struct post post = {rule, count, flags, woken};
	uint64_t word;
	bool done = false;
	int result = 0;

	/* relaxed: the swap validates it */
	word = a64_load_relaxed(&units->word);
	while (!done) {
		bool owes = post.flags & UNITS_OWED;

		if (!(word & UNITS_WAITED) && !owes)
			done = post_word(units, &post, &word, &result);
		else if (word & UNITS_WAITED && word & UNITS_ONLY && !owes)
			done = post_only(units, &post, &word);
		else if (word & UNITS_WAITED && word & UNITS_BUSY)
			done = deposit(units, &post, &word);
		else
			done = post_serving(units, &post, &word);
	}
	return result;
}

int units_add(struct units *units, const struct rule *rule, uint64_t count)
{
	uint64_t word;

	/* relaxed: the swap validates it */
	word = a64_load_relaxed(&units->word);
	while (!(word & UNITS_WAITED)) {
		if (count > UNITS_MOST - (word >> 1))
			return -EOVERFLOW;
		/* relaxed effects: nothing but the count is told */
		/* relaxed: nothing but the count is told */
		if (a64_guest_cas_relaxed(&units->word, &word,
					  word + (count << 1)))
			return 0;
	}
	/* relaxed: the post below tells of it */
	a64_add_relaxed(&units->owed, count);
	return units_post(units, rule, 0, UNITS_OWED);
}

void units_unlatch(struct units *units)
{
	uint64_t word;
	uint64_t to;

	/* relaxed: the swap validates it */
	word = a64_load_relaxed(&units->word);
	do {
		to = word & UNITS_WAITED ? word & ~UNITS_LATCH : 0;
		/* relaxed: nothing but the latch is told */
	} while (!a64_guest_cas_relaxed(&units->word, &word, to));
}

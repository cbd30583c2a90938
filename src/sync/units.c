/* SPDX-License-Identifier: Apache-2.0 */
/* Arrivals, the turn, leaving: see units.h.  What is granted is in rule.c. */
#include "sync/units.h"

#include <errno.h>

#include "os/thread.h"
#include "sync/rule.h"

/* What whoever leaves must see to first. */
#define NEWS (UNITS_ADDRESS | UNITS_DEPOSITS | UNITS_OWED | UNITS_ALL)

/* Arrivals, newest first, go into the list, oldest first; those who came to
 * take somebody out have it done. */
static void admit(struct turn *turn, struct mete_waiter *arrival)
{
	struct mete_waiter *oldest = NULL;

	while (arrival) {
		struct mete_waiter *next = arrival->next;

		arrival->next = oldest;
		oldest = arrival;
		arrival = next;
	}
	while (oldest) {
		struct mete_waiter *next = oldest->next;

		if (!oldest->leaver) {
			turn_append(turn, oldest);
		} else {
			turn_unlist(turn, oldest->leaver);
			wait_take(oldest, turn->woken);
		}
		oldest = next;
	}
}

/* What has come since we have the turn; false: nothing. */
static bool collect(struct turn *turn)
{
	struct units *units = turn->units;
	/* relaxed: the swap validates it */
	uint64_t word = a64_load_relaxed(&units->word);

	do {
		if (!(word & NEWS))
			return false;
		/* order: units.collect pairs units.arrive, units.wish,
		 * units.deposit: the arrivals' contents, what was done before a
		 * deposit */
	} while (!a64_guest_cas_acquire(&units->word, &word,
					UNITS_WAITED | UNITS_BUSY |
						(word & UNITS_LATCH)));
	admit(turn, units_newest(word));
	rule_given(turn, word >> UNITS_SHIFT, word);
	return true;
}

/* Give the turn away; false: something new has come. */
static bool leave(struct turn *turn)
{
	struct units *units = turn->units;
	uint64_t left = units->left;
	uint64_t to = rule_rest(turn);
	/* relaxed: the swap validates it */
	uint64_t word = a64_load_relaxed(&units->word);

	/* Where nobody waits they stand in the word. */
	if (!(to & UNITS_WAITED))
		units->left = 0;
	while (!(word & NEWS)) {
		if (word & UNITS_LATCH)
			to |= to & UNITS_WAITED ? UNITS_LATCH : UNITS_LATCHED;
		/* order: units.leave pairs bias.swap, units.turn, units.pass,
		 * units.passed, units.gone, units.idle: the list, and what was
		 * done before the units were given */
		if (a64_guest_cas_release(&units->word, &word, to))
			return true;
		to = rule_rest(turn);
	}
	units->left = left;
	return false;
}

/* Whether or not somebody waits: take the turn, which nobody has. */
bool turn_take(struct turn *turn, uint64_t *word, uint64_t flags)
{
	struct units *units = turn->units;
	uint64_t found = *word;
	uint64_t latch = found & UNITS_WAITED ? found : 0;

	/* order: units.turn pairs units.leave, units.arrive, units.first,
	 * units.passed, bias.swap: the list, the arrivals' contents;
	 * with the latch, what we did before */
	if (!a64_guest_cas_acq_rel(&units->word, word,
				   UNITS_WAITED | UNITS_BUSY |
					   ((latch | flags) & UNITS_LATCH)))
		return false;
	if (found & UNITS_WAITED)
		admit(turn, units_newest(found));
	else
		units->left = rule_left(turn->rule, found);
	return true;
}

void turn_serve(struct turn *turn)
{
	do {
		rule_grant(turn);
	} while (collect(turn) || !leave(turn));
}

/* The first to wait, where units must be kept. */
static bool serve_first(struct units *units, const struct rule *rule,
			struct mete_waiter *waiter, uint64_t *word)
{
	struct wait_woken woken;
	struct turn turn = {.units = units, .rule = rule, .woken = &woken};

	if (!turn_take(&turn, word, 0))
		return false;
	wait_woken_init(&woken);
	turn_append(&turn, waiter);
	turn_serve(&turn);
	wait_release(&woken);
	return true;
}

/* Nobody waits.  1: the waiter stands or was served, 0: it may pass, -EAGAIN:
 * the word has changed. */
static int arrive_first(struct units *units, const struct rule *rule,
			struct mete_waiter *waiter, uint64_t *word)
{
	enum rule_pass pass = rule_pass(rule, waiter, *word);
	bool done;

	waiter->next = NULL;
	if (pass == RULE_PASSES) {
		/* order: units.pass pairs bias.swap, units.leave, units.set,
		 * units.only, units.deposit: what those did who gave */
		done = a64_guest_cas_acquire(&units->word, word,
					     rule_taken(rule, waiter, *word));
		return done ? 0 : -EAGAIN;
	}
	if (pass == RULE_TURN)
		return serve_first(units, rule, waiter, word) ? 1 : -EAGAIN;
	/* order: units.first pairs units.turn, units.only, units.signal: the
	 * waiter's contents */
	done = a64_guest_cas_release(&units->word, word,
				     (uintptr_t)waiter | UNITS_WAITED |
					     (pass == RULE_ONLY ? UNITS_ONLY
								: 0));
	return done ? 1 : -EAGAIN;
}

bool units_arrive(struct units *units, const struct rule *rule,
		  struct mete_waiter *waiter)
{
	uint64_t word;
	int stands = -EAGAIN;

	/* relaxed: the swap validates it */
	word = a64_load_relaxed(&units->word);
	waiter->leaver = NULL;
	waiter->met = NOT_MET;
	while (stands == -EAGAIN) {
		if (!(word & UNITS_WAITED)) {
			stands = arrive_first(units, rule, waiter, &word);
			continue;
		}
		if (word & UNITS_LATCH && units_latched(units))
			return false;
		waiter->next = units_newest(word);
		/* order: units.arrive pairs units.turn, units.collect,
		 * units.signal: the waiter's contents */
		if (a64_guest_cas_release(&units->word, &word,
					  (uintptr_t)waiter |
						  (word & ~(UNITS_ADDRESS |
							    UNITS_ONLY))))
			stands = 1;
	}
	/* Only under the turn can those be counted that have come. */
	if (stands && rule->law == RULE_MEET)
		units_post(units, rule, 0, 0);
	return stands;
}

/* Somebody else has the turn: have ourselves taken out.  False: not any more. */
static bool send_wish(struct units *units, struct mete_waiter *leaver)
{
	struct mete_waiter wish;
	uint64_t word;

	wait_prepare(&wish, WAIT_OTHER, units, METE_FOREVER);
	wish.leaver = leaver;
	/* relaxed: the swap validates it */
	word = a64_load_relaxed(&units->word);
	while (word & UNITS_WAITED && word & UNITS_BUSY) {
		wish.next = units_newest(word);
		/* order: units.wish pairs units.collect: the wish's contents */
		if (a64_guest_cas_release(&units->word, &word,
					  (uintptr_t)&wish |
						  (word & ~UNITS_ADDRESS))) {
			wait_sleep(&wish, METE_FOREVER);
			return true;
		}
	}
	wait_cancel(&wish);
	return false;
}

void units_withdraw(struct units *units, const struct rule *rule,
		    struct mete_waiter *waiter)
{
	struct wait_woken woken;
	struct turn turn = {.units = units, .rule = rule, .woken = &woken};

	wait_woken_init(&woken);
	while (true) {
		/* order: units.gone pairs units.leave: the turn that took it
		 * out is over */
		uint64_t word = a64_load_acquire(&units->word);

		if (!(word & UNITS_WAITED))
			return;
		if (word & UNITS_BUSY) {
			if (send_wish(units, waiter))
				return;
		} else if (turn_take(&turn, &word, 0)) {
			turn_unlist(&turn, waiter);
			turn_serve(&turn);
			wait_release(&woken);
			return;
		}
	}
}

int units_wait_prepared(struct units *units, const struct rule *rule,
			struct mete_waiter *waiter, uint64_t deadline_ns)
{
	int result;

	if (!units_arrive(units, rule, waiter)) {
		wait_cancel(waiter);
		return 0;
	}
	result = wait_sleep(waiter, deadline_ns);
	if (result) {
		units_withdraw(units, rule, waiter);
		if (WAIT_CANCELLABLE >> rule->kind & 1)
			wait_cancel_point();
	}
	return result;
}

int units_wait(struct units *units, const struct rule *rule, uint64_t want,
	       uint64_t deadline_ns)
{
	struct mete_waiter spare;
	struct mete_waiter *waiter;

	if (!deadline_ns)
		return -ETIMEDOUT;
	waiter = wait_prepare_own(&spare, rule->kind, units, deadline_ns);
	waiter->want = want;
	return units_wait_prepared(units, rule, waiter, deadline_ns);
}

uint64_t units_thread(void)
{
	return os_thread_mark() | UINT64_C(1) << 63;
}

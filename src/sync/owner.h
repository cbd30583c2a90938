/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All units of a lock, and who has them: the mutex, and the writer of a
 * reader-writer lock.
 *
 * The owner is written by the holder alone, after it has the units and before it
 * gives them away; others read it only to find out that they are not it.
 */
#ifndef SYNC_OWNER_H
#define SYNC_OWNER_H

#include <errno.h>

#include "sync/units.h"

static inline struct a64 *owner_word(uint64_t *owner)
{
	_Static_assert(sizeof(struct a64) == sizeof(*owner), "owner");
	return (struct a64 *)(void *)owner;
}

static inline bool owner_is(uint64_t *owner, uint64_t caller)
{
	/* relaxed: only the caller can have written its own name */
	return a64_load_relaxed(owner_word(owner)) == caller;
}

/* The word was `word` just now. */
int owner_wait(struct units *units, const struct rule *rule, uint64_t *owner,
	       uint64_t word, uint64_t deadline_ns);
int owner_post(struct units *units, const struct rule *rule);

/* 0, -ETIMEDOUT, -EDEADLK. */
static always_inline int owner_lock(struct units *units,
				    const struct rule *rule, uint64_t *owner,
				    uint64_t deadline_ns)
{
	uint64_t word;

	/* One transfer instead of two: to look, and to swap. */
	arch_prefetch_write(&units->word);
	/* relaxed: the swap validates it */
	word = a64_load_relaxed(&units->word);
	if (unlikely(word) ||
	    unlikely(!bias_swap(&units->word, &word, rule->empty)))
		return owner_wait(units, rule, owner, word, deadline_ns);
	/* relaxed: for ourselves */
	a64_store_relaxed(owner_word(owner), units_caller());
	return 0;
}

/* 0, -EPERM. */
static always_inline int owner_unlock(struct units *units,
				      const struct rule *rule, uint64_t *owner)
{
	uint64_t word;

	if (unlikely(!owner_is(owner, units_caller())))
		return -EPERM;
	/* relaxed: for ourselves */
	a64_store_relaxed(owner_word(owner), 0);
	/* relaxed: the swap validates it.  The line is ours, unless somebody
	 * waits. */
	word = a64_load_relaxed(&units->word);
	if (likely(word == rule->empty) &&
	    likely(bias_swap(&units->word, &word, 0)))
		return 0;
	return owner_post(units, rule);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Locks that somebody waits for: see owner.h. */
#include "sync/owner.h"

int owner_wait(struct units *units, const struct rule *rule, uint64_t *owner,
	       uint64_t word, uint64_t deadline_ns)
{
	uint64_t caller = units_caller();
	int result;

	if (owner_is(owner, caller))
		return -EDEADLK;
	result = rule->capacity == 1
			 ? units_wait_one(units, rule, word, deadline_ns)
			 : units_wait(units, rule, rule->capacity, deadline_ns);
	if (!result)
		/* relaxed: for ourselves */
		a64_store_relaxed(owner_word(owner), caller);
	return result;
}

int owner_post(struct units *units, const struct rule *rule)
{
	return rule->capacity == 1 ? units_post_one(units, rule)
				   : units_post(units, rule, rule->capacity, 0);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Who has all units of a lock: told from everybody else, by either rule. */
#include "harness/test.h"
#include "sync/owner.h"

static void own(const struct rule *rule)
{
	struct units units = {0};
	uint64_t owner = 0;

	CHECK_EQ(owner_unlock(&units, rule, &owner), -EPERM);
	CHECK_EQ(owner_lock(&units, rule, &owner, 0), 0);
	CHECK(owner_is(&owner, units_caller()));
	CHECK_EQ(units.word.value, rule->empty);
	CHECK_EQ(owner_lock(&units, rule, &owner, 0), -EDEADLK);
	/* Another has it. */
	owner ^= 1;
	CHECK_EQ(owner_lock(&units, rule, &owner, 0), -ETIMEDOUT);
	CHECK_EQ(owner_lock(&units, rule, &owner, 1), -ETIMEDOUT);
	CHECK_EQ(owner_unlock(&units, rule, &owner), -EPERM);
	CHECK_EQ(units.word.value, rule->empty);
	owner ^= 1;
	CHECK_EQ(owner_unlock(&units, rule, &owner), 0);
	CHECK_EQ(owner, 0);
	CHECK_EQ(units.word.value, 0);
}

TEST(by_either_rule)
{
	own(&rule_mutex);
	own(&rule_rwlock);
}

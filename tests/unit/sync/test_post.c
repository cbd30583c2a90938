/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Giving: what a post leaves for whoever has the turn, of every size, and that it
 * never waits for it.
 */
#include "unit/sched/running.h"
#include "unit/sync/turns.h"

TEST(a_post_does_not_wait_for_the_turn)
{
	begin_turn();
	for (int i = 0; i < 10; i++)
		CHECK_EQ(units_post(&units, &rule_sem, 3, 0), 0);
	CHECK_EQ(word() >> UNITS_SHIFT, 30);
	CHECK_EQ(units_wait(&units, &rule_sem, 1, 0), -ETIMEDOUT);
	end_turn(&rule_sem);
	CHECK_EQ(word(), 30 << 1);
}

/* Deposits that do not fit into the word are owed. */
TEST(deposits_of_every_size)
{
	uint64_t given = 0;

	begin_turn();
	for (uint64_t count = 1; count < UINT64_C(1) << 40; count *= 3) {
		CHECK_EQ(units_post(&units, &rule_sem, count, 0), 0);
		given += count;
	}
	CHECK(word() & UNITS_OWED);
	end_turn(&rule_sem);
	CHECK_EQ(word(), given << 1);
	CHECK_EQ(units.owed.value, 0);
}

/* Work that is added and work that is done, while somebody has the turn. */
TEST(debts_of_work)
{
	begin_turn();
	units.left = 1;
	CHECK_EQ(units_add(&units, &rule_waitgroup, 70000), 0);
	CHECK_EQ(units_post(&units, &rule_waitgroup, 60000, 0), 0);
	CHECK_EQ(units_post(&units, &rule_waitgroup, 5, 0), 0);
	end_turn(&rule_waitgroup);
	CHECK_EQ(word(), 9996 << 1);
}

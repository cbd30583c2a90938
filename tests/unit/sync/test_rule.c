/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules as they stand in units.h: for each, who passes, what a post makes of
 * a word, and what is left behind.
 */
#include "sync/rule.h"
#include "unit/sched/running.h"

#define U(n) ((uint64_t)(n) << 1)

static enum rule_pass pass(const struct rule *rule, uint64_t want, bool timed,
			   uint64_t word)
{
	struct mete_waiter waiter = {.want = want, .own = !timed};

	return rule_pass(rule, &waiter, word);
}

TEST(who_passes)
{
	const uint64_t all = METE_RWLOCK_READERS;

	CHECK_EQ(pass(&rule_sem, 1, false, U(1)), RULE_PASSES);
	CHECK_EQ(pass(&rule_sem, 1, false, U(0)), RULE_ONLY);
	CHECK_EQ(pass(&rule_sem, 1, true, U(0)), RULE_WAITS);
	CHECK_EQ(pass(&rule_sem, 2, false, U(0)), RULE_WAITS);
	CHECK_EQ(pass(&rule_sem, 2, false, U(1)), RULE_TURN);
	CHECK_EQ(pass(&rule_mutex, 1, false, U(0)), RULE_PASSES);
	CHECK_EQ(pass(&rule_mutex, 1, false, U(1)), RULE_ONLY);
	CHECK_EQ(pass(&rule_rwlock, all, false, U(0)), RULE_PASSES);
	CHECK_EQ(pass(&rule_rwlock, all, false, U(1)), RULE_TURN);
	CHECK_EQ(pass(&rule_rwlock, 1, false, U(all - 1)), RULE_PASSES);
	CHECK_EQ(pass(&rule_rwlock, 1, false, U(all)), RULE_ONLY);
	CHECK_EQ(pass(&rule_cond, 1, false, 0), RULE_ONLY);
	CHECK_EQ(pass(&rule_cond, 1, true, 0), RULE_WAITS);
	CHECK_EQ(pass(&rule_event, 1, false, 0), RULE_ONLY);
	CHECK_EQ(pass(&rule_event, 1, false, UNITS_LATCHED), RULE_PASSES);
	CHECK_EQ(pass(&rule_once, 1, false, UNITS_LATCHED), RULE_PASSES);
	CHECK_EQ(pass(&rule_waitgroup, 1, false, 0), RULE_PASSES);
	CHECK_EQ(pass(&rule_waitgroup, 1, false, U(3)), RULE_TURN);
	CHECK_EQ(pass(&rule_barrier, 1, false, 0), RULE_WAITS);
}

static uint64_t taken(const struct rule *rule, uint64_t want, uint64_t word)
{
	struct mete_waiter waiter = {.want = want};

	return rule_taken(rule, &waiter, word);
}

TEST(what_passing_takes)
{
	CHECK_EQ(taken(&rule_sem, 2, U(5)), U(3));
	CHECK_EQ(taken(&rule_mutex, 1, U(0)), U(1));
	CHECK_EQ(taken(&rule_rwlock, 1, U(7)), U(8));
	CHECK_EQ(taken(&rule_event, 1, UNITS_LATCHED), UNITS_LATCHED);
	CHECK_EQ(taken(&rule_waitgroup, 1, 0), 0);
}

/* The word after a post, or its error. */
static int64_t post(const struct rule *rule, uint64_t count, uint64_t flags,
		    uint64_t word)
{
	int error = rule_post(rule, count, flags, &word);

	return error ? error : (int64_t)word;
}

TEST(posts_where_nobody_waits)
{
	const uint64_t most = UNITS_MOST;

	CHECK_EQ(post(&rule_sem, 3, 0, U(4)), U(7));
	CHECK_EQ(post(&rule_sem, 1, 0, U(most)), -EOVERFLOW);
	CHECK_EQ(post(&rule_sem, 2, 0, U(most - 1)), -EOVERFLOW);
	CHECK_EQ(post(&rule_mutex, 1, 0, U(1)), U(0));
	CHECK_EQ(post(&rule_mutex, 1, 0, U(0)), -EOVERFLOW);
	CHECK_EQ(post(&rule_cond, 5, 0, 0), 0);
	CHECK_EQ(post(&rule_cond, 0, UNITS_ALL, 0), 0);
	CHECK_EQ(post(&rule_event, 0, UNITS_ALL | UNITS_LATCH, 0),
		 UNITS_LATCHED);
	CHECK_EQ(post(&rule_event, 0, UNITS_ALL | UNITS_LATCH, UNITS_LATCHED),
		 UNITS_LATCHED);
	CHECK_EQ(post(&rule_waitgroup, 1, 0, U(3)), U(2));
	CHECK_EQ(post(&rule_waitgroup, 4, 0, U(3)), -EINVAL);
	CHECK_EQ(post(&rule_barrier, 0, 0, 0), 0);
}

TEST(posts_to_the_only_waiter)
{
	CHECK_EQ(rule_post_only(&rule_sem, 4, 0), U(3));
	CHECK_EQ(rule_post_only(&rule_mutex, 1, 0), U(1));
	CHECK_EQ(rule_post_only(&rule_cond, 4, 0), 0);
	CHECK_EQ(rule_post_only(&rule_event, 0, UNITS_ALL | UNITS_LATCH),
		 UNITS_LATCHED);
}

/* Under the turn: five listed, `count` units or a flag; how many are served. */
static unsigned served(const struct rule *rule, uint64_t want, uint64_t left,
		       uint64_t count, uint64_t flags)
{
	struct units units = {.left = left};
	struct wait_woken woken;
	struct turn turn = {.units = &units, .rule = rule, .woken = &woken};
	struct mete_waiter waiters[5];
	unsigned met = 0;

	wait_woken_init(&woken);
	for (int i = 0; i < 5; i++) {
		wait_prepare(&waiters[i], WAIT_OTHER, NULL, METE_FOREVER);
		waiters[i].want = want;
		waiters[i].met = NOT_MET;
		turn_append(&turn, &waiters[i]);
	}
	rule_given(&turn, count, flags);
	rule_grant(&turn);
	for (unsigned i = 0; i < 5; i++) {
		/* Always the oldest. */
		CHECK_EQ(waiters[i].listed, i >= 5 - units.listed);
		met += waiters[i].met == MET_LAST;
	}
	CHECK_EQ(met, rule == &rule_barrier ? (5 - units.listed) / want : 0);
	CHECK_EQ(rule_rest(&turn) & UNITS_WAITED, units.listed ? 1 : 0);
	return (unsigned)(5 - units.listed);
}

TEST(who_is_served)
{
	CHECK_EQ(served(&rule_sem, 1, 0, 3, 0), 3);
	CHECK_EQ(served(&rule_sem, 1, 2, 2, 0), 4);
	CHECK_EQ(served(&rule_sem, 3, 0, 8, 0), 2);
	CHECK_EQ(served(&rule_sem, 1, 0, 9, 0), 5);
	CHECK_EQ(served(&rule_cond, 1, 0, 2, 0), 2);
	CHECK_EQ(served(&rule_cond, 1, 0, 0, UNITS_ALL), 5);
	CHECK_EQ(served(&rule_event, 1, 0, 0, UNITS_ALL | UNITS_LATCH), 5);
	CHECK_EQ(served(&rule_event, 1, 0, 0, 0), 0);
	CHECK_EQ(served(&rule_waitgroup, 1, 3, 2, 0), 0);
	CHECK_EQ(served(&rule_waitgroup, 1, 3, 3, 0), 5);
	CHECK_EQ(served(&rule_barrier, 3, 0, 0, 0), 3);
	CHECK_EQ(served(&rule_barrier, 2, 0, 0, 0), 4);
	CHECK_EQ(served(&rule_barrier, 6, 0, 0, 0), 0);
}

TEST(what_is_left_behind)
{
	struct units units = {.left = 4};
	struct turn turn = {.units = &units};

	turn.rule = &rule_sem;
	CHECK_EQ(rule_rest(&turn), U(4));
	turn.rule = &rule_waitgroup;
	CHECK_EQ(rule_rest(&turn), U(4));
	turn.rule = &rule_rwlock;
	CHECK_EQ(rule_rest(&turn), U(METE_RWLOCK_READERS - 4));
	turn.rule = &rule_cond;
	CHECK_EQ(rule_rest(&turn), 0);
	/* More than fits is cut off. */
	units.left = UNITS_MOST + 5;
	turn.rule = &rule_sem;
	CHECK_EQ(rule_rest(&turn), U(UNITS_MOST));
}

TEST(the_list_in_every_order)
{
	struct units units = {0};
	struct turn turn = {.units = &units, .rule = &rule_sem};
	struct mete_waiter waiters[3];
	static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
					 {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

	for (int o = 0; o < 6; o++) {
		for (int i = 0; i < 3; i++) {
			turn_append(&turn, &waiters[i]);
			CHECK(units.tail == &waiters[i]);
		}
		CHECK(units.head == &waiters[0]);
		for (int i = 0; i < 3; i++) {
			struct mete_waiter *walk = units.head;
			uint64_t length = 0;

			turn_unlist(&turn, &waiters[orders[o][i]]);
			turn_unlist(&turn, &waiters[orders[o][i]]);
			for (walk = units.head; walk; walk = walk->next) {
				CHECK(!walk->next || walk->next->prev == walk);
				CHECK(walk->next || units.tail == walk);
				length++;
			}
			CHECK_EQ(length, 2 - i);
			CHECK_EQ(units.listed, length);
		}
		CHECK(units.head == NULL && units.tail == NULL);
	}
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Claims: one winner for each wait, nobody for a wait that is over.
 */
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "sched/claim.h"
#include "unit/sched/running.h"

static struct task *task_of_zero(void)
{
	static struct task task;

	memset(&task, 0, sizeof(task));
	task.state.value = TASK_RUNNING;
	return &task;
}

static unsigned state_of(const struct task *task)
{
	return a64_load_acquire(&task->state) & TASK_STATE_MASK;
}

TEST(a_waiting_task_is_the_claimers)
{
	struct task *task = task_of_zero();
	uint64_t state = claim_announce(task, WAIT_OTHER);

	CHECK_EQ(state_of(task), TASK_BLOCKED);
	CHECK(claim(task, state, 0));
	CHECK_EQ(state_of(task), TASK_READY);
	CHECK(!claim(task, state, 0));
	CHECK(!claim(task, state, TASK_LATE));
	CHECK(!claim_resume(task));
	CHECK_EQ(state_of(task), TASK_RUNNING);
}

TEST(the_kind_ends_with_the_wait)
{
	struct task *task = task_of_zero();
	uint64_t ticket = 0;

	for (unsigned kind = 0; kind < WAIT_KINDS; kind++) {
		uint64_t state = claim_announce(task, kind);

		CHECK_EQ(task->state.value, state);
		CHECK_EQ(state_of(task), TASK_BLOCKED);
		CHECK_EQ(state / TASK_KIND % (TASK_TICKET / TASK_KIND), kind);
		CHECK_EQ(claim_ticket(state), ticket + TASK_TICKET);
		ticket += TASK_TICKET;
		if (kind % 2)
			CHECK(claim(task, state, TASK_LATE));
		else
			claim_exclusive(task, state);
		CHECK_EQ(task->state.value & ~ticket & ~(uint64_t)TASK_LATE,
			 TASK_READY);
		CHECK_EQ(claim_resume(task), kind % 2);
		CHECK_EQ(task->state.value, ticket + TASK_RUNNING);
	}
}

TEST(a_task_is_settled_by_its_successor)
{
	struct task *task = task_of_zero();
	uint64_t state = claim_announce(task, WAIT_OTHER);

	/* Claimed while it still stands on its CPU. */
	CHECK(!claim_settled(task));
	CHECK(claim(task, state, 0));
	CHECK(!claim_settled(task));
	claim_settle(task);
	CHECK(claim_settled(task));
	CHECK_EQ(state_of(task), TASK_READY);
	claim_resume(task);
	/* The next wait begins anew. */
	claim_announce(task, WAIT_OTHER);
	CHECK(!claim_settled(task));
}

TEST(the_timers_claim_is_told_apart)
{
	struct task *task = task_of_zero();
	uint64_t state = claim_announce(task, WAIT_OTHER);

	CHECK(claim(task, state, TASK_LATE));
	CHECK(!claim(task, state, 0));
	CHECK(claim_resume(task));
	/* It does not stick to the next wait. */
	state = claim_announce(task, WAIT_OTHER);
	CHECK(claim(task, state, 0));
	CHECK(!claim_resume(task));
}

TEST(an_old_ticket_claims_nothing)
{
	struct task *task = task_of_zero();
	uint64_t old = claim_announce(task, WAIT_OTHER);
	uint64_t state;

	CHECK(claim(task, old, 0));
	claim_resume(task);
	CHECK(!claim(task, old, 0));
	state = claim_announce(task, WAIT_OTHER);
	CHECK_NE(old, state);
	CHECK(!claim(task, old, 0));
	CHECK(!claim(task, old, TASK_LATE));
	CHECK(claim(task, state, 0));
}

TEST(who_has_the_only_right_needs_no_swap)
{
	struct task *task = task_of_zero();
	uint64_t state = claim_announce(task, WAIT_OTHER);

	claim_exclusive(task, state);
	CHECK_EQ(state_of(task), TASK_READY);
	CHECK(!claim(task, state, 0));
	CHECK(!claim_resume(task));
	CHECK_NE(claim_announce(task, WAIT_OTHER), state);
}

enum {
	CLAIMERS = 3,
	ROUNDS = 10000,
};

static struct task *shared;
static _Atomic uint64_t offered;
static atomic_int won, done;

static void *claimer(void *unused)
{
	uint64_t seen = 0;

	while (seen != UINT64_MAX) {
		uint64_t state = offered;

		if (state == seen) {
			sched_yield();
			continue;
		}
		seen = state;
		if (state != UINT64_MAX && claim(shared, state, 0))
			won++;
		done++;
	}
	return unused;
}

TEST(each_wait_has_one_winner)
{
	int rounds = (int)test_rounds(ROUNDS);
	pthread_t threads[CLAIMERS];

	shared = task_of_zero();
	for (int i = 0; i < CLAIMERS; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, claimer, NULL), 0);
	for (int i = 0; i < rounds; i++) {
		won = done = 0;
		offered = claim_announce(shared, WAIT_OTHER);
		claim_settle(shared);
		while (done < CLAIMERS)
			sched_yield();
		CHECK_EQ(won, 1);
		CHECK_EQ(state_of(shared), TASK_READY);
		claim_resume(shared);
	}
	offered = UINT64_MAX;
	for (int i = 0; i < CLAIMERS; i++)
		pthread_join(threads[i], NULL);
}

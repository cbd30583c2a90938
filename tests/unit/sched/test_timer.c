/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The heap of timers against a plain list: order, removal, claims.
 */
#include <stdlib.h>

#include "sched/claim.h"
#include "sched/timer.h"
#include "unit/sched/running.h"

enum {
	TIMERS = 200
};

static struct timers timers;
static struct timer timer[TIMERS];
static struct task task[TIMERS];
static bool armed[TIMERS];

static void arm(int i, uint64_t deadline_ns)
{
	timer[i].deadline_ns = deadline_ns;
	timer[i].task = &task[i];
	task[i].state.value =
		(task[i].state.value & ~(uint64_t)(TASK_TICKET - 1)) |
		TASK_RUNNING;
	timer[i].state = claim_announce(&task[i], WAIT_OTHER);
	claim_settle(&task[i]);
	timer_add(&timers, &timer[i]);
	armed[i] = true;
}

static uint64_t earliest(void)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < TIMERS; i++)
		if (armed[i] && timer[i].deadline_ns < least)
			least = timer[i].deadline_ns;
	return least;
}

static unsigned state_of(int i)
{
	return task[i].state.value & (TASK_STATE_MASK | TASK_LATE);
}

/* Everything due is claimed, in the order of its deadlines, nothing else. */
static void expire(uint64_t now_ns)
{
	struct wakenode *node = timers_expire(&timers, now_ns);
	uint64_t before = 0;

	for (; node; node = node->next) {
		int i = (int)(container_of(node, struct task, node) - task);

		CHECK(armed[i]);
		CHECK(timer[i].deadline_ns <= now_ns);
		CHECK_GE(timer[i].deadline_ns, before);
		CHECK_EQ(state_of(i), TASK_READY | TASK_LATE);
		before = timer[i].deadline_ns;
		armed[i] = false;
		CHECK(!timer[i].armed);
	}
	CHECK(earliest() > now_ns);
}

TEST(against_a_plain_list)
{
	uint64_t state = test_seed();
	uint64_t rounds = test_rounds(50000);
	uint64_t now = 1000;

	timers_init(&timers);
	for (uint64_t r = 0; r < rounds; r++) {
		int i = (int)(test_random(&state) % TIMERS);

		if (!armed[i]) {
			arm(i, now + 1 + test_random(&state) % 100);
		} else if (test_random(&state) % 2) {
			timer_remove(&timer[i]);
			armed[i] = false;
		} else {
			now += test_random(&state) % 20;
			expire(now);
		}
		CHECK_EQ(timers_earliest(&timers), earliest());
	}
	expire(UINT64_MAX - 1);
	CHECK_EQ(timers_earliest(&timers), UINT64_MAX);
}

TEST(equal_deadlines_and_the_edge)
{
	timers_init(&timers);
	for (int i = 0; i < 10; i++)
		arm(i, 500);
	expire(499);
	CHECK_EQ(timers_earliest(&timers), 500);
	expire(500);
	CHECK_EQ(timers_earliest(&timers), UINT64_MAX);
	CHECK(timers_expire(&timers, UINT64_MAX) == NULL);
}

TEST(who_was_woken_is_left_alone)
{
	timers_init(&timers);
	arm(0, 10);
	arm(1, 10);
	CHECK(claim(&task[0], timer[0].state, 0));
	armed[0] = false;
	expire(10);
	CHECK_EQ(state_of(0), TASK_READY);
	CHECK_EQ(state_of(1), TASK_READY | TASK_LATE);
	/* It is out of the heap in any case. */
	CHECK_EQ(timers_earliest(&timers), UINT64_MAX);
	timer_remove(&timer[0]);
	timer_remove(&timer[0]);
}

static void *sleep_in_order(void *arg)
{
	uint64_t deadline = *(uint64_t *)arg;

	mete_task_sleep_until(deadline);
	CHECK_GE(now_ns(), deadline);
	return NULL;
}

/* Thousands at once, in the runtime. */
TEST(many_sleepers)
{
	enum {
		MANY = 2000
	};
	static mete_task tasks[MANY];
	static uint64_t deadlines[MANY];
	uint64_t state = test_seed();
	uint64_t begin;

	start_cpus(2);
	begin = now_ns();
	for (int i = 0; i < MANY; i++) {
		deadlines[i] = begin + test_random(&state) % (200 * MS);
		tasks[i] = spawn(sleep_in_order, &deadlines[i]);
	}
	for (int i = 0; i < MANY; i++)
		join(tasks[i]);
	CHECK_LT(now_ns() - begin, 5000 * MS * test_slow());
	stop();
}

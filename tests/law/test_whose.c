/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose time it is, by task: sums that balance may still stand in the wrong
 * place.  Each case does something for a known span and finds that span where
 * it belongs.
 */
#include "law/life.h"

static void *spinner(void *arg)
{
	struct life *life = arg;

	life->first_ns = os_monotonic_ns();
	spin(SPAN);
	life->last_ns = os_monotonic_ns();
	return NULL;
}

TEST(who_computes_holds_a_cpu)
{
	struct life a = {0};

	start(1, METE_BOOKS_TASK);
	begin_life(&a, METE_ROOT, spinner);
	end_life(&a);
	at_least(a.usage.held_ns, a.last_ns - a.first_ns);
	at_most(a.usage.held_ns, a.ended_ns - a.create_ns);
	at_most(a.usage.wait_ns, a.first_ns - a.create_ns);
	CHECK_EQ(a.usage.blocked_ns, 0);
	CHECK_EQ(a.usage.wakeups, 0);
	CHECK_EQ(a.usage.migrations, 0);
	CHECK_EQ(a.usage.voluntary, 1); /* its end */
	stop();
}

static void *sleeper(void *arg)
{
	struct life *life = arg;

	life->first_ns = os_monotonic_ns();
	mete_task_sleep(SPAN);
	life->last_ns = os_monotonic_ns();
	return NULL;
}

/* Asleep is neither computing nor waiting.  The only bound that load can break
 * is how soon it leaves and comes back; one try of many has to be good. */
TEST(who_sleeps_is_blocked)
{
	bool good = false;

	for (int i = 0; i < 20 && !good; i++) {
		struct life a = {0};

		start(1, METE_BOOKS_TASK);
		begin_life(&a, METE_ROOT, sleeper);
		end_life(&a);
		at_most(a.usage.blocked_ns, a.last_ns - a.first_ns);
		CHECK_EQ(a.usage.wakeups, 1);
		CHECK_EQ(a.usage.voluntary, 2);
		good = a.usage.blocked_ns > SPAN * 9 / 10 &&
		       a.usage.held_ns < SPAN / 10 &&
		       a.usage.wait_ns < SPAN / 10;
		stop();
	}
	CHECK(good);
}

TEST(who_stands_behind_waits)
{
	struct life a = {0};
	struct life b = {0};

	start(1, METE_BOOKS_TASK);
	begin_life(&a, METE_ROOT, spinner);
	begin_life(&b, METE_ROOT, spinner);
	end_life(&a);
	end_life(&b);
	/* No checkpoint: one after the other. */
	CHECK_GT(b.first_ns, a.last_ns);
	at_least(b.usage.wait_ns, a.last_ns - b.created_ns);
	at_most(b.usage.wait_ns, b.first_ns - b.create_ns);
	at_least(b.usage.held_ns, b.last_ns - b.first_ns);
	at_most(b.usage.held_ns, b.ended_ns - a.last_ns);
	CHECK_EQ(b.usage.blocked_ns, 0);
	stop();
}

static struct mete_sem gate = METE_SEM_INIT(0);
static uint64_t post_ns;
static uint64_t posted_ns;

static void *gate_waiter(void *arg)
{
	struct life *life = arg;

	life->first_ns = os_monotonic_ns();
	CHECK_EQ(mete_sem_wait(&gate, METE_FOREVER), 0);
	life->last_ns = os_monotonic_ns();
	return NULL;
}

/* Leaves the waiter blocked for a span, ready for another. */
static void *gate_keeper(void *arg)
{
	struct life *life = arg;

	life->first_ns = os_monotonic_ns();
	spin(SPAN);
	post_ns = os_monotonic_ns();
	CHECK_EQ(mete_sem_post(&gate, 1), 0);
	posted_ns = os_monotonic_ns();
	spin(SPAN);
	life->last_ns = os_monotonic_ns();
	return NULL;
}

TEST(blocked_ends_with_the_wake_up)
{
	struct life a = {0};
	struct life b = {0};

	start(1, METE_BOOKS_TASK);
	begin_life(&a, METE_ROOT, gate_waiter);
	begin_life(&b, METE_ROOT, gate_keeper);
	end_life(&a);
	end_life(&b);
	at_least(a.usage.blocked_ns, post_ns - b.first_ns);
	at_most(a.usage.blocked_ns, posted_ns - a.first_ns);
	at_least(a.usage.wait_ns, b.last_ns - posted_ns);
	at_most(a.usage.wait_ns,
		(a.last_ns - post_ns) + (a.first_ns - a.create_ns));
	CHECK_EQ(a.usage.wakeups, 1);
	stop();
}

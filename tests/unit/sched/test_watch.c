/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who looks whether descriptors are ready: a CPU that sleeps in the set, one
 * that polls, or the tick while all are busy; and nobody for longer than the
 * gap.
 */
#include "sched/watch.h"
#include "unit/io/descriptors.h"

static atomic_int over;

static void *spin(void *arg)
{
	while (!over)
		;
	return arg;
}

/* Waits with safe points, but never idle. */
static void *churn(void *arg)
{
	while (!over)
		mete_task_yield();
	return arg;
}

/* How long after the byte is there the task is told. */
static uint64_t told_after(int fds[2])
{
	struct fd_wait wait;
	mete_task task = start_wait(&wait, fds[0], METE_READ, soon());
	uint64_t begin;

	await_blocked(task);
	usleep(3000);
	begin = now_ns();
	put(fds[1]);
	await(&wait.over);
	begin = now_ns() - begin;
	join(task);
	CHECK_EQ(wait.result, 0);
	take(fds[0]);
	return begin;
}

static void check_told(void)
{
	int fds[2];

	connect_pair(fds);
	for (int i = 0; i < 10; i++)
		CHECK_LT(told_after(fds), 2000 * MS * test_slow());
}

TEST(an_idle_runtime_hears)
{
	start_cpus(2);
	check_told();
	stop();
}

/* The CPU that had watched runs a task that never rests; the other sleeps on
 * its futex until the tick has it watch. */
TEST(a_sleeping_cpu_takes_over_from_a_busy_one)
{
	mete_task busy;

	start_cpus(2);
	busy = spawn(spin, NULL);
	usleep(20000);
	check_told();
	over = 1;
	join(busy);
	stop();
}

/* Nobody is ever idle, and nobody passes by the carrier's loop. */
TEST(the_tick_looks_while_all_are_busy)
{
	mete_task busy[4];

	start_cpus(2);
	for (int i = 0; i < 4; i++)
		busy[i] = spawn(churn, NULL);
	check_told();
	over = 1;
	for (int i = 0; i < 4; i++)
		join(busy[i]);
	stop();
}

static int looks;
static int gifts;
static bool found;

static bool look(uint64_t deadline_ns)
{
	CHECK_EQ(deadline_ns, 0);
	looks++;
	return found;
}

static void deliver(void)
{
	gifts++;
}

static void no_ring(void)
{
}

static const struct watch_calls calls = {look, deliver, no_ring};

TEST(the_watch_is_kept_by_one)
{
	watch_wire(&calls);
	CHECK(!watch_take());
	CHECK(!watch_wanted());
	CHECK(!watch_poll());
	CHECK_EQ(looks, 0);
	watch_add();
	CHECK(watch_wanted());
	CHECK(watch_take());
	CHECK(!watch_take());
	CHECK(!watch_wanted());
	CHECK(!watch_poll());
	CHECK_EQ(looks, 0);
	watch_give();
	CHECK_GT(watch_due(), now_ns());
	CHECK(watch_wanted());
	CHECK(!watch_poll());
	CHECK_EQ(looks, 1);
	CHECK_EQ(gifts, 0);
	found = true;
	CHECK(watch_poll());
	CHECK_EQ(looks, 2);
	CHECK_EQ(gifts, 1);
	watch_drop();
	CHECK(!watch_wanted());
	CHECK(!watch_poll());
	CHECK_EQ(looks, 2);
}

/* Without CPUs that sleep the tick looks itself, when it is time. */
TEST(the_tick_looks_when_it_is_due)
{
	watch_wire(&calls);
	watch_mind(UINT64_MAX);
	CHECK_EQ(looks, 0);
	watch_add();
	watch_mind(watch_due() - 1);
	CHECK_EQ(looks, 0);
	watch_mind(watch_due());
	CHECK_EQ(looks, 1);
	CHECK_GT(watch_due(), now_ns());
	CHECK(watch_take());
	watch_mind(UINT64_MAX);
	CHECK_EQ(looks, 1);
}

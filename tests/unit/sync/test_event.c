/* SPDX-License-Identifier: Apache-2.0 */
/* Event: all pass while it is set, nobody while it is not, none is forgotten. */
#include "unit/sched/running.h"

static struct mete_event event;
static atomic_int passed;

static void *all_ends(void *arg)
{
	struct mete_event own = METE_EVENT_INIT;
	uint64_t begin = now_ns();

	CHECK_EQ(mete_event_wait(&own, 0), -ETIMEDOUT);
	CHECK_EQ(mete_event_wait(&own, 1), -ETIMEDOUT);
	CHECK_EQ(mete_event_wait(&own, begin + 2 * MS), -ETIMEDOUT);
	CHECK_GE(now_ns() - begin, 2 * MS);
	for (int i = 0; i < 3; i++) {
		CHECK(!mete_event_is_set(&own));
		mete_event_set(&own);
		mete_event_set(&own);
		CHECK(mete_event_is_set(&own));
		CHECK_EQ(mete_event_wait(&own, 0), 0);
		CHECK_EQ(mete_event_wait(&own, METE_FOREVER), 0);
		mete_event_reset(&own);
		mete_event_reset(&own);
	}
	mete_event_set(&own);
	mete_event_init(&own);
	CHECK(!mete_event_is_set(&own));
	return arg;
}

TEST(a_wait_has_its_ends)
{
	all_ends(NULL);
	start_cpus(2);
	all_ends(NULL);
	join(spawn(all_ends, NULL));
	stop();
}

static void *pass(void *arg)
{
	CHECK_EQ(mete_event_wait(&event, arg ? soon() : METE_FOREVER), 0);
	passed++;
	return NULL;
}

TEST(all_who_wait_pass)
{
	for (int waiters = 1; waiters < 6; waiters++) {
		mete_task tasks[6];

		start_cpus(2);
		for (intptr_t i = 0; i < waiters; i++)
			tasks[i] = spawn(pass, (void *)(i & 1));
		usleep(2000);
		CHECK_EQ(passed, 0);
		mete_event_set(&event);
		for (int i = 0; i < waiters; i++)
			join(tasks[i]);
		CHECK_EQ(passed, waiters);
		mete_event_reset(&event);
		passed = 0;
		stop();
	}
}

static void *tell(void *arg)
{
	mete_event_set(arg);
	return NULL;
}

/* The event goes as soon as the wait is granted. */
static void *on_the_stack(void *arg)
{
	for (uint64_t i = 0; i < test_rounds(3000); i++) {
		struct mete_event done = METE_EVENT_INIT;
		mete_task task = spawn(tell, &done);

		CHECK_EQ(mete_event_wait(&done, i & 1 ? soon() : METE_FOREVER),
			 0);
		memset(&done, 0xff, sizeof(done));
		join(task);
	}
	return arg;
}

TEST(an_event_on_the_stack)
{
	start_cpus(2);
	run_beside(4, on_the_stack);
	stop();
}

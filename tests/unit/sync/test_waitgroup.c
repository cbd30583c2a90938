/* SPDX-License-Identifier: Apache-2.0 */
/* Wait group: nobody passes while there is work, everybody when there is none. */
#include "unit/sched/running.h"

static struct mete_waitgroup group;
static atomic_int worked;

static void *all_ends(void *arg)
{
	struct mete_waitgroup own = METE_WAITGROUP_INIT(2);
	uint64_t begin = now_ns();

	CHECK_EQ(mete_waitgroup_wait(&own, 0), -ETIMEDOUT);
	CHECK_EQ(mete_waitgroup_wait(&own, begin + MS), -ETIMEDOUT);
	CHECK_GE(now_ns() - begin, MS);
	CHECK_EQ(mete_waitgroup_done(&own), 0);
	CHECK_EQ(mete_waitgroup_wait(&own, 1), -ETIMEDOUT);
	CHECK_EQ(mete_waitgroup_add(&own, 1), 0);
	CHECK_EQ(mete_waitgroup_done(&own), 0);
	CHECK_EQ(mete_waitgroup_done(&own), 0);
	CHECK_EQ(mete_waitgroup_wait(&own, 0), 0);
	CHECK_EQ(mete_waitgroup_done(&own), -EINVAL);
	CHECK_EQ(mete_waitgroup_wait(&own, METE_FOREVER), 0);
	mete_waitgroup_init(&own, 1);
	CHECK_EQ(mete_waitgroup_wait(&own, 0), -ETIMEDOUT);
	return arg;
}

TEST(a_wait_has_its_ends)
{
	all_ends(NULL);
	start_cpus(2);
	join(spawn(all_ends, NULL));
	stop();
}

static void *work(void *arg)
{
	mete_task_yield();
	worked++;
	CHECK_EQ(mete_waitgroup_done(&group), 0);
	return arg;
}

static void *pass(void *arg)
{
	CHECK_EQ(mete_waitgroup_wait(&group, arg ? soon() : METE_FOREVER), 0);
	CHECK_EQ(worked, 100);
	return NULL;
}

TEST(nobody_passes_early)
{
	for (uint64_t round = 0; round < test_rounds(100); round++) {
		mete_task waiters[3];
		mete_task workers[100];

		start_cpus(2);
		worked = 0;
		mete_waitgroup_init(&group, 1);
		for (intptr_t i = 0; i < 3; i++)
			waiters[i] = spawn(pass, (void *)(i & 1));
		for (int i = 0; i < 100; i++) {
			CHECK_EQ(mete_waitgroup_add(&group, 1), 0);
			workers[i] = spawn(work, NULL);
		}
		CHECK_EQ(mete_waitgroup_done(&group), 0);
		CHECK_EQ(mete_waitgroup_wait(&group, soon()), 0);
		CHECK_EQ(worked, 100);
		for (int i = 0; i < 3; i++)
			join(waiters[i]);
		for (int i = 0; i < 100; i++)
			join(workers[i]);
		stop();
	}
}

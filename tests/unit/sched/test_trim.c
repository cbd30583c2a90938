/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Free tasks go cold when they are not needed for a while, never while a load
 * comes and goes; and no handle names one in its next life.
 */
#include <stdlib.h>
#include <sys/mman.h>

#include "sched/pool.h"
#include "sched/sched.h"
#include "unit/sched/running.h"

/* More than a pool keeps.  Every stack takes the thread sanitizer a millisecond. */
#if TEST_TSAN
# define MANY 6500
#else
# define MANY 8000
#endif
#define KEPT (POOL_WARM + 1024)

static struct mete_sem gate;
static mete_task tasks[MANY];
static mete_task before[MANY];

static void *wait_at_gate(void *arg)
{
	CHECK_EQ(mete_sem_wait(&gate, METE_FOREVER), 0);
	return arg;
}

static void *nothing(void *arg)
{
	return arg;
}

static unsigned warm(void)
{
	unsigned count = 0;

	for (uint32_t i = 0; i < task_numbers(); i++)
		count += task_at(i) != NULL;
	return count;
}

static void live_and_die(void)
{
	for (int i = 0; i < MANY; i++)
		tasks[i] = spawn(wait_at_gate, NULL);
	CHECK_GE(warm(), MANY);
	CHECK_EQ(mete_sem_post(&gate, MANY), 0);
	for (int i = 0; i < MANY; i++)
		join(tasks[i]);
}

static void await_cold(void)
{
	for (uint64_t end = soon(); warm() > KEPT; usleep(10000))
		CHECK_LT(now_ns(), end);
}

static void check_gone(const mete_task *handles)
{
	enum mete_task_state state;
	struct mete_usage usage;

	for (int i = 0; i < MANY; i++) {
		CHECK_EQ(mete_task_state(handles[i], &state), -ESRCH);
		CHECK_EQ(mete_task_detach(handles[i]), -ESRCH);
		CHECK_EQ(mete_task_usage(handles[i], 0, &usage, sizeof(usage)),
			 -ESRCH);
	}
}

TEST_WITHIN(cold_after_a_while_and_then_used_again, 60)
{
	start_cpus(2);
	mete_sem_init(&gate, 0);
	for (int round = 0; round < 3; round++) {
		memcpy(before, tasks, sizeof(before));
		live_and_die();
		if (round)
			check_gone(before);
		check_gone(tasks);
		await_cold();
		CHECK_GE(warm(), POOL_WARM);
		check_gone(tasks);
	}
	/* Nothing was made anew. */
	CHECK_LE(sched.task_count, MANY + 2 * 1024);
	stop();
}

/* By numbers and generations, which a cold one must not lose. */
TEST_WITHIN(lives_are_told_apart, 60)
{
	static uint32_t latest[2 * MANY];

	if (TEST_TSAN)
		SKIP("too many stacks for the sanitizer");
	start_cpus(1);
	mete_sem_init(&gate, 0);
	for (int round = 0; round < 3; round++) {
		live_and_die();
		for (int i = 0; i < MANY; i++) {
			uint32_t number = (uint32_t)tasks[i].id;
			uint32_t life = (uint32_t)(tasks[i].id >> 32);

			CHECK_LT(number, 2 * MANY);
			CHECK_GT(life, latest[number]);
			latest[number] = life;
		}
		await_cold();
	}
	stop();
}

/* A slab whose tasks are all cold gives up its guards, and has them again. */
TEST_WITHIN(guards_come_back, 60)
{
	unsigned bare = 0;
	struct pool_slab *slab;

	if (TEST_TSAN)
		SKIP("too many stacks for the sanitizer");
	start_cpus(1);
	mete_sem_init(&gate, 0);
	live_and_die();
	await_cold();
	lock_acquire(&sched.lock, LOCK_POOL);
	for (uint32_t i = 0; (slab = table_at(&sched.slabs, i)); i++)
		bare += !slab->stacks.guarded;
	lock_release(&sched.lock, LOCK_POOL);
	CHECK_GE(bare, 1);
	for (int i = 0; i < MANY; i++)
		tasks[i] = spawn(wait_at_gate, NULL);
	for (int i = 0; i < MANY; i++) {
		struct task *task = sched_find(tasks[i].id);

		CHECK(task);
		CHECK_NE(task->stack.guard, OS_GUARD_NONE);
		CHECK(!(task->flags & TASK_CANARY));
	}
	lock_acquire(&sched.lock, LOCK_POOL);
	for (uint32_t i = 0; (slab = table_at(&sched.slabs, i)); i++)
		if (a64_load_acquire(&slab->born))
			CHECK_EQ(slab->stacks.guarded, slab->stacks.count);
	lock_release(&sched.lock, LOCK_POOL);
	CHECK_EQ(mete_sem_post(&gate, MANY), 0);
	for (int i = 0; i < MANY; i++)
		join(tasks[i]);
	stop();
}

/* As long as they are needed again soon, none goes cold. */
TEST_WITHIN(a_load_that_comes_and_goes_stays_warm, 60)
{
	uint64_t end = now_ns() + 1500 * MS;
	uint64_t last = now_ns();
	uint64_t longest = 0;
	unsigned count;

	start_cpus(2);
	mete_sem_init(&gate, 0);
	live_and_die();
	count = warm();
	while (now_ns() < end) {
		uint64_t now;

		live_and_die();
		now = now_ns();
		longest = now - last > longest ? now - last : longest;
		last = now;
	}
	if (longest > 200 * MS)
		SKIP("too slow to come back soon");
	CHECK_GE(warm(), count);
	stop();
}

/* Those that end by themselves on a CPU that goes idle. */
TEST_WITHIN(without_a_joiner, 60)
{
	struct mete_task_attr attr = METE_TASK_ATTR_INIT;

	start_cpus(1);
	mete_sem_init(&gate, 0);
	attr.detached = true;
	for (int i = 0; i < MANY; i++)
		CHECK_EQ(mete_task_create(NULL, &attr, wait_at_gate, NULL), 0);
	CHECK_GE(warm(), MANY);
	CHECK_EQ(mete_sem_post(&gate, MANY), 0);
	await_cold();
	join(spawn(nothing, NULL));
	stop();
}

static void *stay_busy(void *arg)
{
	uint64_t end = soon();
	unsigned many = warm();

	if (many < KEPT + 1000)
		SKIP("too slow: they were cold before");
	/* Ends that bring more to the list look it through. */
	while (warm() + 20 > many) {
		for (int i = 0; i < 1000; i++)
			tasks[i] = spawn(nothing, NULL);
		for (int i = 0; i < 1000; i++)
			join(tasks[i]);
		CHECK_LT(now_ns(), end);
	}
	return arg;
}

TEST_WITHIN(a_cpu_that_is_never_idle, 60)
{
	start_cpus(1);
	mete_sem_init(&gate, 0);
	live_and_die();
	join(spawn(stay_busy, NULL));
	stop();
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Woken in a batch, and placed by choice: in order, with few calls, and where the
 * option says.
 */
#include "sched/sched.h"
#include "unit/sched/running.h"

enum {
	TASKS = 64
};

static int order[TASKS];
static atomic_int came;

static void check_order(mete_task *tasks)
{
	for (int i = 0; i < TASKS; i++)
		join(tasks[i]);
	for (int i = 0; i < TASKS; i++)
		CHECK_EQ(order[i], i);
}

static struct mete_sem each[TASKS];

static void *wait_each(void *arg)
{
	CHECK_EQ(mete_sem_wait(&each[(intptr_t)arg], soon()), 0);
	order[came++] = (int)(intptr_t)arg;
	return arg;
}

static void *post_each(void *arg)
{
	struct mete_sem *sems[TASKS];

	for (int i = 0; i < TASKS; i++)
		sems[i] = &each[i];
	CHECK_EQ(mete_sem_post_each(sems, TASKS), 0);
	return arg;
}

/* A batch for another CPU: in order, and with few calls, whoever sends it. */
TEST(a_batch_is_sent_at_once)
{
	for (int from_task = 0; from_task < 2; from_task++) {
		mete_task tasks[TASKS];
		uint64_t before;

		start_cpus(2);
		memset(each, 0, sizeof(each));
		came = 0;
		for (intptr_t i = 0; i < TASKS; i++)
			tasks[i] = spawn_on(0, wait_each, (void *)i);
		for (int i = 0; i < TASKS; i++)
			await_blocked(tasks[i]);
		before = cpu_usage(0).notifications;
		if (from_task)
			join(spawn_on(1, post_each, NULL));
		else
			post_each(NULL);
		check_order(tasks);
		CHECK_LE(cpu_usage(0).notifications - before, TASKS / 4);
		stop();
	}
}

static atomic_int where[TASKS];

static void *tell_where(void *arg)
{
	int self = (int)(intptr_t)arg;

	mete_cpu_self();
	CHECK_EQ(mete_sem_wait(&each[self], soon()), 0);
	where[self] = mete_cpu_self();
	return arg;
}

static void *post_and_compute(void *arg)
{
	post_each(NULL);
	compute(5 * MS);
	return arg;
}

/* By `spread` a woken task does not wait behind its busy waker. */
TEST(spread_leaves_the_wakers_cpu)
{
	struct mete_options options = METE_OPTIONS_INIT;
	mete_task tasks[TASKS];
	int elsewhere = 0;

	options.cpus = 2;
	options.placement = METE_PLACE_SPREAD;
	options.flags = METE_IGNORE_ENV;
	CHECK_EQ(mete_start(&options), 0);
	memset(each, 0, sizeof(each));
	for (intptr_t i = 0; i < TASKS; i++)
		tasks[i] = spawn(tell_where, (void *)i);
	usleep(5000);
	join(spawn_on(1, post_and_compute, NULL));
	for (int i = 0; i < TASKS; i++) {
		join(tasks[i]);
		elsewhere += where[i] == 0;
	}
	CHECK_GT(elsewhere, 0);
	stop();
}

static void await_parked(unsigned cpu)
{
	uint64_t end = soon();

	while (!a32_load_acquire(&sched.cpu[cpu]->parked)) {
		CHECK_LT(now_ns(), end);
		usleep(1000);
	}
}

static void *post_few(void *arg)
{
	struct mete_sem *sems[] = {&each[0], &each[1], &each[2], &each[3]};

	CHECK_EQ(mete_sem_post_each(sems, 4), 0);
	return arg;
}

/* By `local` it does, and idle CPUs are not asked for help, but by a beat of the
 * tick that happens to fall into it. */
TEST(local_asks_no_idle_cpu)
{
	struct mete_options options = METE_OPTIONS_INIT;
	enum {
		ROUNDS = 32,
		FEW = 4
	};
	mete_task tasks[FEW];
	uint64_t asked = 0;

	if (TEST_SANITIZED)
		SKIP("many a beat falls into it");
	options.cpus = 2;
	options.placement = METE_PLACE_LOCAL;
	options.flags = METE_IGNORE_ENV;
	CHECK_EQ(mete_start(&options), 0);
	for (int round = 0; round < ROUNDS; round++) {
		memset(each, 0, sizeof(each));
		for (intptr_t i = 0; i < FEW; i++)
			tasks[i] = spawn(tell_where, (void *)i);
		await_parked(1);
		await_parked(0);
		asked -= cpu_usage(0).notifications;
		join(spawn_on(1, post_few, NULL));
		asked += cpu_usage(0).notifications;
		for (int i = 0; i < FEW; i++)
			join(tasks[i]);
	}
	NOTE("asked %d times", (int)asked);
	CHECK_LE(asked, ROUNDS / 2);
	stop();
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Yields yield: among N tasks the turns go round, on one CPU to the turn, on
 * several within what stealing may shift.
 */
#include "unit/sched/running.h"

enum {
	MOST = 1000
};

static _Atomic uint64_t turns[MOST];
static atomic_int ready, over;
static int count;

static void *yield_on(void *arg)
{
	_Atomic uint64_t *own = arg;

	ready++;
	while (ready < count)
		mete_task_yield();
	while (!over) {
		(*own)++;
		mete_task_yield();
	}
	return NULL;
}

static void compare(unsigned cpus, int tasks, uint64_t ms)
{
	static mete_task task[MOST];
	uint64_t least = UINT64_MAX, most = 0, sum = 0;

	start_cpus(cpus);
	ready = over = 0;
	count = tasks;
	for (int i = 0; i < tasks; i++) {
		turns[i] = 0;
		task[i] = spawn(yield_on, &turns[i]);
	}
	usleep((useconds_t)(ms * 1000));
	over = 1;
	for (int i = 0; i < tasks; i++)
		join(task[i]);
	for (int i = 0; i < tasks; i++) {
		least = turns[i] < least ? turns[i] : least;
		most = turns[i] > most ? turns[i] : most;
		sum += turns[i];
	}
	NOTE("%u cpus, %d tasks: %llu turns, each %llu to %llu", cpus, tasks,
	     (unsigned long long)sum, (unsigned long long)least,
	     (unsigned long long)most);
	CHECK_GT(least, 0);
	if (cpus == 1)
		CHECK_LE(most, least + 2);
	stop();
}

TEST(among_two)
{
	compare(1, 2, 100);
}

TEST(among_seven)
{
	compare(1, 7, 100);
}

TEST(among_a_thousand)
{
	compare(1, MOST, 300);
}

TEST(nobody_starves_on_two_cpus)
{
	compare(2, 16, 300);
	compare(2, 3, 300);
}

/* Two that hand over directly, and a third that only wants its turn. */
static struct mete_sem baton[2];

static void *hand_over(void *arg)
{
	int self = (int)(intptr_t)arg;

	while (!over) {
		mete_sem_post(&baton[!self], 1);
		mete_sem_wait(&baton[self], now_ns() + 50 * MS);
	}
	return NULL;
}

TEST(two_that_hand_over_starve_nobody)
{
	mete_task pair[2], third;

	start_cpus(1);
	count = 1;
	for (intptr_t i = 0; i < 2; i++)
		pair[i] = spawn(hand_over, (void *)i);
	third = spawn(yield_on, &turns[0]);
	for (uint64_t end = soon(); turns[0] < 1000;)
		CHECK_LT(now_ns(), end);
	over = 1;
	join(third);
	for (int i = 0; i < 2; i++)
		join(pair[i]);
	stop();
}

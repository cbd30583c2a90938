/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wake-ups under storm: none lost, none made up, none to a place where the
 * task must not be.
 */
#include <pthread.h>

#include "unit/sched/running.h"

/*
 * Two tasks, two CPUs, each waiting for what the other stores: a store of the
 * state that passed the load of the condition would leave both asleep.
 */
struct side {
	struct mete_sem sem;
	_Atomic uint64_t sent;
} __attribute__((aligned(64)));

static struct side sides[2];
static uint64_t rounds;

static void *ping(void *arg)
{
	int self = (int)(intptr_t)arg;

	for (uint64_t i = 1; i <= rounds; i++) {
		sides[!self].sent = i;
		mete_sem_post(&sides[!self].sem, 1);
		CHECK_EQ(mete_sem_wait(&sides[self].sem, soon()), 0);
		CHECK_GE(sides[self].sent, i);
	}
	return NULL;
}

static void ping_pong(unsigned cpus, bool bound)
{
	mete_task tasks[2];

	start_cpus(cpus);
	rounds = test_rounds(50000);
	for (int i = 0; i < 2; i++) {
		mete_sem_init(&sides[i].sem, 0);
		sides[i].sent = 0;
	}
	for (intptr_t i = 0; i < 2; i++) {
		tasks[i] = bound ? spawn_on((unsigned)i, ping, (void *)i)
				 : spawn(ping, (void *)i);
	}
	for (int i = 0; i < 2; i++)
		join(tasks[i]);
	for (int i = 0; i < 2; i++)
		CHECK_EQ(mete_sem_value(&sides[i].sem), 0);
	stop();
}

TEST(none_is_lost_between_two_cpus)
{
	ping_pong(2, true);
}

TEST(none_is_lost_on_one_cpu)
{
	ping_pong(1, false);
}

TEST(none_is_lost_on_more_cpus_than_there_are)
{
	ping_pong(4, false);
}

/* The same between threads and tasks: the foreign side sleeps on its own. */
static void *ping_thread(void *arg)
{
	return ping(arg);
}

TEST(none_is_lost_between_a_thread_and_a_task)
{
	pthread_t thread;
	mete_task task;

	start_cpus(1);
	rounds = test_rounds(20000);
	for (int i = 0; i < 2; i++)
		mete_sem_init(&sides[i].sem, 0);
	task = spawn(ping, (void *)1);
	CHECK_EQ(pthread_create(&thread, NULL, ping_thread, NULL), 0);
	pthread_join(thread, NULL);
	join(task);
	stop();
}

/* A wait whose condition may come true at any point of going to sleep. */
static atomic_int flag;
static struct mete_mutex mutex;
static struct mete_cond cond;

static void *raise_flag(void *arg)
{
	uint64_t state = test_seed() + 1;

	for (uint64_t i = 0; i < rounds; i++) {
		while (flag)
			mete_task_yield();
		for (uint64_t n = test_random(&state) % 300; n; n--)
			__asm__ volatile("");
		mete_mutex_lock(&mutex, METE_FOREVER);
		flag = 1;
		mete_cond_signal(&cond);
		mete_mutex_unlock(&mutex);
	}
	return arg;
}

static void *lower_flag(void *arg)
{
	for (uint64_t i = 0; i < rounds; i++) {
		mete_mutex_lock(&mutex, METE_FOREVER);
		while (!flag)
			CHECK_EQ(mete_cond_wait(&cond, &mutex, soon()), 0);
		flag = 0;
		mete_mutex_unlock(&mutex);
	}
	return arg;
}

TEST(a_condition_that_comes_true_meanwhile)
{
	mete_task tasks[2];

	start_cpus(2);
	rounds = test_rounds(20000);
	tasks[0] = spawn_on(0, raise_flag, NULL);
	tasks[1] = spawn_on(1, lower_flag, NULL);
	for (int i = 0; i < 2; i++)
		join(tasks[i]);
	stop();
}

/* A task that wakes itself, in every way, must not wait for itself. */
static void *wake_itself(void *arg)
{
	struct mete_sem own = METE_SEM_INIT(0);
	struct mete_barrier alone = METE_BARRIER_INIT(1);

	for (uint64_t i = 0; i < rounds; i++) {
		mete_sem_post(&own, 1);
		CHECK_EQ(mete_sem_wait(&own, METE_FOREVER), 0);
		CHECK_EQ(mete_barrier_wait(&alone, METE_FOREVER), 1);
		mete_task_sleep(1);
		mete_task_sleep_until(now_ns() + 1);
	}
	return arg;
}

TEST(a_task_that_wakes_itself)
{
	mete_task tasks[4];

	start_cpus(2);
	rounds = test_rounds(3000);
	for (int i = 0; i < 4; i++)
		tasks[i] = spawn(wake_itself, NULL);
	for (int i = 0; i < 4; i++)
		join(tasks[i]);
	stop();
}

/* Migrate and wake: whoever runs a task is a CPU of its set. */
enum {
	MOVERS = 8
};

static struct mete_sem gates[MOVERS];
static atomic_int ended;

static void *run_where_allowed(void *arg)
{
	struct mete_sem *gate = arg;

	for (uint64_t i = 0; i < rounds; i++) {
		CHECK_EQ(mete_sem_wait(gate, soon()), 0);
		/* It may be re-bound while it runs, so only what it says of
		 * itself can be checked: the call must have moved it. */
		CHECK_EQ(bind_to(mete_task_self(), (unsigned)i % 2), 0);
		CHECK_GE(mete_cpu_self(), 0);
	}
	ended++;
	return NULL;
}

static void *post_all_gates(void *arg)
{
	for (uint64_t i = 0; i < rounds; i++) {
		for (int g = 0; g < MOVERS; g++)
			mete_sem_post(&gates[g], 1);
		mete_task_yield();
	}
	return arg;
}

TEST(migrate_and_wake)
{
	mete_task tasks[MOVERS];
	mete_task poster;
	uint64_t state = test_seed();

	start_cpus(2);
	rounds = test_rounds(3000);
	for (int i = 0; i < MOVERS; i++) {
		mete_sem_init(&gates[i], 0);
		tasks[i] = spawn(run_where_allowed, &gates[i]);
	}
	poster = spawn(post_all_gates, NULL);
	while (ended < MOVERS) {
		mete_task task = tasks[test_random(&state) % MOVERS];

		CHECK_EQ(bind_to(task, (unsigned)test_random(&state) % 2), 0);
		usleep(50);
	}
	for (int i = 0; i < MOVERS; i++)
		join(tasks[i]);
	join(poster);
	stop();
}

/* Bound by others while it goes to sleep: at its next run it is there. */
static struct mete_sem gate;
static _Atomic unsigned wanted_cpu;

static void *check_cpu(void *arg)
{
	for (uint64_t i = 0; i < rounds; i++) {
		CHECK_EQ(mete_sem_wait(&gate, soon()), 0);
		/* Where the wait was over before it had left its CPU, this is
		 * the safe point at which it goes. */
		mete_checkpoint();
		CHECK_EQ(mete_cpu_self(), wanted_cpu);
		ended = 1;
	}
	return arg;
}

TEST(shrink_affinity_in_mid_switch)
{
	mete_task task;

	start_cpus(2);
	rounds = test_rounds(5000);
	task = spawn(check_cpu, NULL);
	for (uint64_t i = 0; i < rounds; i++) {
		uint64_t end = soon();

		wanted_cpu = (unsigned)i % 2;
		CHECK_EQ(bind_to(task, (unsigned)i % 2), 0);
		ended = 0;
		mete_sem_post(&gate, 1);
		/* Not waited for the switch to complete: that is the point. */
		while (!ended)
			CHECK_LT(now_ns(), end);
	}
	join(task);
	stop();
}

/* Every waker's wake-ups arrive in its order, to the least and most. */
enum {
	WAITERS = 16
};

static _Atomic uint64_t count[WAITERS];

static void *take_turns(void *arg)
{
	int self = (int)(intptr_t)arg;

	while (count[self] < rounds) {
		CHECK_EQ(mete_sem_wait(&gate, soon()), 0);
		count[self]++;
		mete_task_yield();
		mete_sem_post(&gate, 1);
		if (ended)
			break;
	}
	ended = 1;
	return NULL;
}

TEST(first_come_first_served)
{
	mete_task tasks[WAITERS];
	uint64_t least = UINT64_MAX, most = 0;

	start_cpus(1);
	rounds = test_rounds(3000);
	mete_sem_init(&gate, 0);
	for (intptr_t i = 0; i < WAITERS; i++) {
		tasks[i] = spawn(take_turns, (void *)i);
		await_blocked(tasks[i]);
	}
	mete_sem_post(&gate, 1);
	for (int i = 0; i < WAITERS; i++)
		join(tasks[i]);
	for (int i = 0; i < WAITERS; i++) {
		least = count[i] < least ? count[i] : least;
		most = count[i] > most ? count[i] : most;
	}
	NOTE("turns %llu to %llu", (unsigned long long)least,
	     (unsigned long long)most);
	CHECK_GE(most, rounds);
	CHECK_GE(least + 3 + rounds / 100, most);
	stop();
}

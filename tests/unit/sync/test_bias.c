/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bias: who has it, that foreign threads are let in, that the owner is alone
 * again when they have gone, and that no swap is lost at either.
 */
#include <errno.h>
#include <pthread.h>
#include <sys/syscall.h>

#include "harness/refuse.h"
#include "sync/bias.h"
#include "unit/sched/running.h"

static bool has(const struct cpu *cpu)
{
	return aptr_load_acquire(&bias.owner) == cpu;
}

static bool nobody_has(void)
{
	return aptr_load_acquire(&bias.owner) == BIAS_NOBODY;
}

/* The owner's swaps are plain. */
static bool shut(void)
{
	return a32_load_acquire(&bias.gate.state) == GATE_SHUT;
}

static struct mete_sem sem;

static void *use(void *arg)
{
	for (int i = 0; i < 3; i++) {
		CHECK_EQ(mete_sem_post(&sem, 1), 0);
		CHECK_EQ(mete_sem_wait(&sem, METE_FOREVER), 0);
	}
	return arg;
}

/* As long as it takes the owner to lose patience. */
static void *use_long(void *arg)
{
	uint64_t end = soon();

	while (!shut()) {
		use(NULL);
		CHECK_LT(now_ns(), end);
	}
	return arg;
}

TEST(one_cpu_has_it_but_for_guests)
{
	CHECK(nobody_has());
	start_cpus(1);
	CHECK(has(sched.cpu[0]) && shut());
	join(spawn(use, NULL));
	CHECK(shut());
	use(NULL);
	CHECK(has(sched.cpu[0]) && !shut());
	join(spawn(use, NULL));
	CHECK(!shut());
	join(spawn(use_long, NULL));
	CHECK(shut());
	use(NULL);
	CHECK(!shut());
	stop();
	CHECK(nobody_has());
	start_cpus(1);
	CHECK(has(sched.cpu[0]) && shut());
	stop();
}

TEST(patience_grows)
{
	uint32_t patience = 0;

	start_cpus(1);
	for (int i = 0; i < 4; i++) {
		CHECK_GT(bias.patience, patience);
		patience = bias.patience;
		use(NULL);
		join(spawn(use_long, NULL));
	}
	stop();
}

/* A guest that is there is not shut out. */
TEST(not_while_a_guest_is_there)
{
	mete_task task;

	start_cpus(1);
	use(NULL);
	CHECK(bias_visit());
	task = spawn(use_long, NULL);
	usleep(50000);
	CHECK(!shut());
	gate_depart(&bias.gate);
	join(task);
	CHECK(shut());
	stop();
}

TEST(never_again_after_several)
{
	start_cpus(2);
	CHECK(nobody_has());
	join(spawn(use, NULL));
	CHECK(!bias_visit());
	stop();
	start_cpus(1);
	CHECK(nobody_has());
	use(NULL);
	join(spawn(use, NULL));
	stop();
	bias_forget();
	start_cpus(1);
	CHECK(has(sched.cpu[0]));
	stop();
}

TEST(nobody_has_it_without_a_fence)
{
	test_refuse(SYS_membarrier, EPERM);
	start_cpus(1);
	CHECK(nobody_has());
	use(NULL);
	join(spawn(use, NULL));
	stop();
}

/* Every use by a thread is that of a guest: waits, posts, everything. */
static void opened_by(void (*call)(void))
{
	start_cpus(1);
	CHECK(shut());
	call();
	CHECK(!shut());
	stop();
}

static void by_event(void)
{
	struct mete_event event = METE_EVENT_INIT;

	mete_event_reset(&event);
}

static void by_group(void)
{
	struct mete_waitgroup group = METE_WAITGROUP_INIT(0);

	CHECK_EQ(mete_waitgroup_add(&group, 1), 0);
}

static void by_mutex(void)
{
	struct mete_mutex mutex = METE_MUTEX_INIT;

	CHECK_EQ(mete_mutex_lock(&mutex, 0), 0);
}

static void by_barrier(void)
{
	struct mete_barrier barrier = METE_BARRIER_INIT(1);

	CHECK_EQ(mete_barrier_wait(&barrier, METE_FOREVER), 1);
}

static void by_late_wait(void)
{
	CHECK_EQ(mete_sem_wait(&sem, 1), -ETIMEDOUT);
}

TEST(opened_by_an_event)
{
	opened_by(by_event);
}

TEST(opened_by_a_wait_group)
{
	opened_by(by_group);
}

TEST(opened_by_a_mutex)
{
	opened_by(by_mutex);
}

TEST(opened_by_a_barrier)
{
	opened_by(by_barrier);
}

TEST(opened_by_a_wait)
{
	opened_by(by_late_wait);
}

static struct mete_mutex mutex;
static uint64_t sum;
static atomic_bool over;
static atomic_int arrived;

static void *add(void *arg)
{
	uint64_t *count = arg;

	arrived++;
	do {
		for (int i = 0; i < 100; i++) {
			CHECK_EQ(mete_mutex_lock(&mutex, METE_FOREVER), 0);
			sum++;
			CHECK_EQ(mete_mutex_unlock(&mutex), 0);
			++*count;
		}
		mete_task_yield();
	} while (!over);
	return NULL;
}

/* Threads come and go while two tasks lock and unlock: nothing is counted twice
 * or lost, whoever comes first and wherever the owner is. */
TEST(nothing_is_lost)
{
	for (uint64_t round = 0; round < test_rounds(300); round++) {
		const struct mete_mutex fresh = METE_MUTEX_INIT;
		uint64_t counts[4] = {0};
		pthread_t threads[2];
		mete_task tasks[2];

		mutex = fresh;
		sum = 0;
		over = false;
		arrived = 0;
		start_cpus(1);
		CHECK(has(sched.cpu[0]) && shut());
		/* Shuts it again in the gaps between the guests. */
		bias.patience = 1;
		for (int i = 0; i < 2; i++)
			tasks[i] = spawn(add, &counts[i]);
		while (!arrived)
			usleep(10);
		usleep((unsigned)(round % 50));
		for (int i = 0; i < 2; i++)
			CHECK_EQ(pthread_create(&threads[i], NULL, add,
						&counts[2 + i]),
				 0);
		while (arrived < 4)
			usleep(10);
		over = true;
		for (int i = 0; i < 2; i++) {
			pthread_join(threads[i], NULL);
			join(tasks[i]);
		}
		CHECK_EQ(sum, counts[0] + counts[1] + counts[2] + counts[3]);
		CHECK_EQ(mutex.units.word, 0);
		stop();
	}
}

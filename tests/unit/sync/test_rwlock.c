/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reader-writer lock: a writer is alone, readers are not, in the order of
 * arrival, and misuse is told.
 */
#include "unit/sched/running.h"

static struct mete_rwlock lock;
static atomic_int readers, writers;

static void *misuse(void *arg)
{
	struct mete_rwlock own = METE_RWLOCK_INIT;

	CHECK_EQ(mete_rwlock_read_unlock(&own), -EPERM);
	CHECK_EQ(mete_rwlock_write_unlock(&own), -EPERM);
	CHECK_EQ(mete_rwlock_write(&own, 0), 0);
	CHECK_EQ(mete_rwlock_write(&own, 0), -EDEADLK);
	CHECK_EQ(mete_rwlock_read(&own, METE_FOREVER), -EDEADLK);
	CHECK_EQ(mete_rwlock_write_unlock(&own), 0);
	CHECK_EQ(mete_rwlock_read(&own, 0), 0);
	CHECK_EQ(mete_rwlock_read(&own, METE_FOREVER), 0);
	CHECK_EQ(mete_rwlock_write(&own, 0), -ETIMEDOUT);
	CHECK_EQ(mete_rwlock_write(&own, now_ns() + MS), -ETIMEDOUT);
	CHECK_EQ(mete_rwlock_write_unlock(&own), -EPERM);
	CHECK_EQ(mete_rwlock_read_unlock(&own), 0);
	CHECK_EQ(mete_rwlock_read_unlock(&own), 0);
	CHECK_EQ(mete_rwlock_read_unlock(&own), -EPERM);
	mete_rwlock_init(&own);
	CHECK_EQ(mete_rwlock_write(&own, 0), 0);
	return arg;
}

TEST(misuse_is_told)
{
	misuse(NULL);
	start_cpus(1);
	join(spawn(misuse, NULL));
	stop();
}

static void *use(void *arg)
{
	uint64_t state = test_seed() + (uintptr_t)arg;
	uint64_t rounds = test_rounds(3000);

	for (uint64_t i = 0; i < rounds; i++) {
		uint64_t dice = test_random(&state) % 16;
		uint64_t deadline =
			dice & 1 ? METE_FOREVER : now_ns() + 20 * US;

		if (dice < 4) {
			if (mete_rwlock_write(&lock, deadline))
				continue;
			CHECK_EQ(writers++ + readers, 0);
			if (dice < 2)
				mete_task_yield();
			CHECK_EQ(--writers + readers, 0);
			CHECK_EQ(mete_rwlock_write_unlock(&lock), 0);
		} else {
			if (mete_rwlock_read(&lock, deadline))
				continue;
			readers++;
			CHECK_EQ(writers, 0);
			if (dice < 8)
				mete_task_yield();
			readers--;
			CHECK_EQ(mete_rwlock_read_unlock(&lock), 0);
		}
	}
	return NULL;
}

TEST(a_writer_is_alone)
{
	mete_task tasks[6];

	start_cpus(2);
	for (intptr_t i = 0; i < 6; i++)
		tasks[i] = spawn(use, (void *)(i + 1));
	use(NULL);
	for (int i = 0; i < 6; i++)
		join(tasks[i]);
	CHECK_EQ(lock.units.word, 0);
	stop();
}

static atomic_int together;

static void *read_with_others(void *arg)
{
	uint64_t end = soon();

	CHECK_EQ(mete_rwlock_read(&lock, METE_FOREVER), 0);
	together++;
	while (together < 3) {
		mete_task_yield();
		CHECK_LT(now_ns(), end);
	}
	CHECK_EQ(mete_rwlock_read_unlock(&lock), 0);
	return arg;
}

TEST(readers_are_not)
{
	start_cpus(2);
	run_beside(2, read_with_others);
	CHECK_EQ(lock.units.word, 0);
	stop();
}

static char came[8];
static atomic_int order;

static void *read_in_turn(void *arg)
{
	CHECK_EQ(mete_rwlock_read(&lock, soon()), 0);
	came[order++] = 'r';
	CHECK_EQ(mete_rwlock_read_unlock(&lock), 0);
	return arg;
}

static void *write_in_turn(void *arg)
{
	CHECK_EQ(mete_rwlock_write(&lock, soon()), 0);
	came[order++] = 'w';
	CHECK_EQ(mete_rwlock_write_unlock(&lock), 0);
	return arg;
}

TEST(in_the_order_of_arrival)
{
	static const char wanted[] = "rwrrwwr";
	mete_task tasks[7];

	start_cpus(1);
	CHECK_EQ(mete_rwlock_write(&lock, 0), 0);
	for (int i = 0; wanted[i]; i++) {
		tasks[i] =
			spawn(wanted[i] == 'r' ? read_in_turn : write_in_turn,
			      NULL);
		await_blocked(tasks[i]);
	}
	CHECK_EQ(mete_rwlock_write_unlock(&lock), 0);
	for (int i = 0; wanted[i]; i++)
		join(tasks[i]);
	came[7] = 0;
	CHECK_STR(came, wanted);
	stop();
}

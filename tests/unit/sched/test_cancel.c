/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cancellation: where it ends a task, what runs then, and what it leaves whole.
 */
#include "unit/sched/running.h"

static struct mete_sem sem;
static struct mete_mutex mutex;
static struct mete_cond cond;
static struct mete_event event;
static struct mete_waitgroup group;
static mete_task other;
static atomic_int reached, cleaned;

static mete_task spawn_cancellable(void *(*fn)(void *), void *arg)
{
	struct mete_task_attr attr = METE_TASK_ATTR_INIT;
	mete_task task;

	attr.cancellable = true;
	CHECK_EQ(mete_task_create(&task, &attr, fn, arg), 0);
	return task;
}

static void *by_sem(void *arg)
{
	reached++;
	mete_sem_wait(&sem, METE_FOREVER);
	return arg;
}

static void *by_timed_sem(void *arg)
{
	reached++;
	mete_sem_wait(&sem, soon());
	return arg;
}

static void unlock(void *arg)
{
	/* It holds the mutex again. */
	CHECK_EQ(mete_mutex_unlock(arg), 0);
	cleaned++;
}

static void *by_cond(void *arg)
{
	struct mete_cleanup cleanup;

	CHECK_EQ(mete_mutex_lock(&mutex, METE_FOREVER), 0);
	mete_cleanup_push(&cleanup, unlock, &mutex);
	reached++;
	mete_cond_wait(&cond, &mutex, METE_FOREVER);
	mete_cleanup_pop(&cleanup, true);
	return arg;
}

static void *by_event(void *arg)
{
	reached++;
	mete_event_wait(&event, METE_FOREVER);
	return arg;
}

static void *by_group(void *arg)
{
	reached++;
	mete_waitgroup_wait(&group, METE_FOREVER);
	return arg;
}

static void *by_sleep(void *arg)
{
	reached++;
	mete_task_sleep(100000 * MS);
	return arg;
}

static void *by_park(void *arg)
{
	reached++;
	mete_park(METE_FOREVER);
	return arg;
}

static void *by_join(void *arg)
{
	reached++;
	mete_task_join(other, METE_FOREVER, NULL);
	return arg;
}

static void *by_yield(void *arg)
{
	reached++;
	while (true)
		mete_task_yield();
	return arg;
}

static void *by_checkpoint(void *arg)
{
	reached++;
	while (true)
		mete_checkpoint();
	return arg;
}

static void end_by_cancel(mete_task task)
{
	void *value = NULL;

	CHECK_EQ(mete_task_cancel(task), 0);
	CHECK_EQ(mete_task_cancel(task), 0);
	CHECK_EQ(mete_task_join(task, soon(), &value), 0);
	CHECK(value == METE_CANCELED);
	CHECK_EQ(mete_task_cancel(task), -ESRCH);
}

/* Every wait, cancelled while it lasts, before it begins, and at any moment. */
TEST(every_safe_point)
{
	void *(*const points[])(void *) = {by_sem,       by_timed_sem, by_cond,
					   by_event,     by_group,     by_sleep,
					   by_park,      by_join,      by_yield,
					   by_checkpoint};

	for (unsigned cpus = 1; cpus < 3; cpus++) {
		start_cpus(cpus);
		mete_waitgroup_init(&group, 1);
		other = spawn(by_sem, NULL);
		for (uint64_t i = 0; i < 10 * test_rounds(40); i++) {
			uint64_t end = soon();
			mete_task task;

			reached = 0;
			task = spawn_cancellable(points[i % 10], NULL);
			while (i % 3 && !reached)
				CHECK_LT(now_ns(), end);
			if (i % 3 == 1)
				usleep(100);
			end_by_cancel(task);
		}
		/* Nothing was left behind. */
		CHECK_EQ(mete_sem_post(&sem, 1), 0);
		join(other);
		CHECK_EQ(sem.units.word, 0);
		CHECK_EQ(cond.units.word, 0);
		CHECK_EQ(event.units.word, 0);
		CHECK_EQ(mutex.units.word, 0);
		stop();
	}
	CHECK_GT(cleaned, 0);
}

static int order[4];
static int order_count;

static void note(void *arg)
{
	order[order_count++] = (int)(intptr_t)arg;
	/* A handler may wait, and is not cancelled again. */
	CHECK_EQ(mete_task_sleep(US), 0);
	mete_task_yield();
}

static void *with_handlers(void *arg)
{
	struct mete_cleanup handlers[4];

	for (intptr_t i = 0; i < 4; i++)
		mete_cleanup_push(&handlers[i], note, (void *)i);
	mete_cleanup_pop(&handlers[3], false);
	mete_sem_wait(&sem, METE_FOREVER);
	return arg;
}

TEST(handlers_run_last_first)
{
	mete_task task;

	start_cpus(1);
	task = spawn_cancellable(with_handlers, NULL);
	usleep(1000);
	end_by_cancel(task);
	CHECK_EQ(order_count, 3);
	for (int i = 0; i < 3; i++)
		CHECK_EQ(order[i], 2 - i);
	stop();
}

static void *by_mutex(void *arg)
{
	reached++;
	CHECK_EQ(mete_mutex_lock(&mutex, METE_FOREVER), 0);
	CHECK_EQ(mete_mutex_unlock(&mutex), 0);
	mete_task_sleep(1);
	return arg;
}

/* A mutex is waited for to the end; the next safe point ends the task. */
TEST(not_in_a_mutex)
{
	mete_task task;
	void *value;

	start_cpus(2);
	CHECK_EQ(mete_mutex_lock(&mutex, 0), 0);
	task = spawn_cancellable(by_mutex, NULL);
	while (!reached)
		usleep(100);
	usleep(1000);
	CHECK_EQ(mete_task_cancel(task), 0);
	CHECK_EQ(mete_task_join(task, now_ns() + 5 * MS, &value), -ETIMEDOUT);
	CHECK_EQ(mete_mutex_unlock(&mutex), 0);
	CHECK_EQ(mete_task_join(task, soon(), &value), 0);
	CHECK(value == METE_CANCELED);
	CHECK_EQ(mutex.units.word, 0);
	stop();
}

TEST(who_cannot_be_cancelled)
{
	mete_task task;

	CHECK_EQ(mete_task_cancel((mete_task){0}), -ENOSYS);
	start_cpus(1);
	task = spawn(by_sem, NULL);
	CHECK_EQ(mete_task_cancel(task), -ENOTSUP);
	CHECK_EQ(mete_task_cancel((mete_task){0}), -ESRCH);
	CHECK_EQ(mete_sem_post(&sem, 1), 0);
	join(task);
	stop();
}

/* A cancellation and a post at the same time: the unit is taken or left. */
TEST(no_unit_is_lost)
{
	unsigned taken = 0;

	start_cpus(2);
	for (uint64_t i = 0; i < test_rounds(3000); i++) {
		mete_task task = spawn_cancellable(by_sem, NULL);
		void *value = NULL;

		for (uint64_t n = i % 100; n; n--)
			atomic_signal_fence(memory_order_seq_cst);
		CHECK_EQ(mete_sem_post(&sem, 1), 0);
		CHECK_EQ(mete_task_cancel(task), 0);
		CHECK_EQ(mete_task_join(task, soon(), &value), 0);
		/* It may have the unit and end all the same. */
		if (mete_sem_wait(&sem, 0))
			taken++;
		CHECK_EQ(sem.units.word, 0);
	}
	NOTE("%u taken", taken);
	stop();
}

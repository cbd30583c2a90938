/* SPDX-License-Identifier: Apache-2.0 */
/* lab/engine_threads_sync.c: deadlines of locks and conditions. */
#include <errno.h>

#include "harness/test.h"
#include "lab/engine_threads.h"
#include "lab/work.h"

#define WAIT_NS UINT64_C(30000000)

static struct threads_engine engine;

static void *holder(void *arg)
{
	return (void *)(intptr_t)threads_lock(arg, lab_now_ns() + WAIT_NS);
}

static int lock_elsewhere(struct lab_lock *lock)
{
	pthread_t thread;
	void *value;

	CHECK_EQ(pthread_create(&thread, NULL, holder, lock), 0);
	pthread_join(thread, &value);
	return (int)(intptr_t)value;
}

static void lock_times_out(bool pi)
{
	struct lab_lock *lock;
	uint64_t start_ns;

	engine.pi = pi;
	CHECK_EQ(threads_lock_create(&engine.base, &lock), 0);
	CHECK_EQ(threads_lock(lock, 0), 0);
	CHECK_EQ(threads_lock(lock, 0), -ETIMEDOUT);
	start_ns = lab_now_ns();
	CHECK_EQ(lock_elsewhere(lock), -ETIMEDOUT);
	CHECK_GE(lab_now_ns() - start_ns, WAIT_NS - 2000000);
	CHECK_EQ(threads_unlock(lock), 0);
	CHECK_EQ(threads_lock(lock, lab_now_ns() + WAIT_NS), 0);
	CHECK_EQ(threads_unlock(lock), 0);
	threads_lock_free(lock);
}

TEST(a_lock_is_waited_for_until_the_deadline)
{
	lock_times_out(false);
}

TEST(a_lock_that_inherits_priorities_too)
{
	lock_times_out(true);
}

TEST(a_condition_is_waited_for_until_the_deadline)
{
	struct lab_lock *lock;
	struct lab_cond *cond;
	uint64_t start_ns = lab_now_ns();
	int rc;

	engine.pi = false;
	CHECK_EQ(threads_lock_create(&engine.base, &lock), 0);
	CHECK_EQ(threads_cond_create(&engine.base, &cond), 0);
	threads_cond_wake(cond, true); /* not remembered */
	CHECK_EQ(threads_lock(lock, 0), 0);
	do {
		rc = threads_cond_wait(cond, lock, start_ns + WAIT_NS);
	} while (rc == 0);
	CHECK_EQ(rc, -ETIMEDOUT);
	CHECK_GE(lab_now_ns() - start_ns, WAIT_NS);
	CHECK_EQ(threads_unlock(lock), 0);
	threads_cond_free(cond);
	threads_lock_free(lock);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The public calls of blocking regions: from foreign threads, from tasks, and
 * where they do not belong.
 */
#include "unit/io/descriptors.h"

TEST(foreign_threads_may_call_them)
{
	CHECK_EQ(mete_blocking_begin(), 0);
	CHECK_EQ(mete_blocking_end(), 0);
	start_cpus(1);
	CHECK_EQ(mete_blocking_end(), 0);
	CHECK_EQ(mete_blocking_begin(), 0);
	CHECK_EQ(mete_blocking_begin(), 0);
	CHECK_EQ(mete_blocking_end(), 0);
	stop();
}

static int fds[2];

/* A blocking read, for which another task of the same CPU writes. */
static void *read_blocking(void *arg)
{
	CHECK_EQ(mete_blocking_end(), -EPERM);
	for (int i = 0; i < 20; i++) {
		CHECK_EQ(mete_blocking_begin(), 0);
		CHECK_EQ(mete_blocking_begin(), 0);
		take(fds[0]);
		CHECK_EQ(mete_blocking_end(), 0);
		CHECK(!mete_task_self().id);
		CHECK_EQ(mete_fd_wait(fds[0], METE_WRITE, METE_FOREVER), 0);
		CHECK_EQ(mete_blocking_end(), 0);
		CHECK(mete_task_self().id);
		CHECK_EQ(mete_blocking_end(), -EPERM);
	}
	return arg;
}

static void *write_blocking(void *arg)
{
	for (int i = 0; i < 20; i++) {
		mete_task_sleep(2 * MS);
		put(fds[1]);
	}
	return arg;
}

TEST(a_blocking_read)
{
	mete_task reader, writer;

	start_cpus(1);
	CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	reader = spawn(read_blocking, NULL);
	writer = spawn(write_blocking, NULL);
	join(reader);
	join(writer);
	stop();
}

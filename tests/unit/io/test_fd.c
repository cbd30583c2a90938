/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The public calls: arguments, deadlines, foreign threads, what is always ready
 * and what is not there.
 */
#include <stdlib.h>

#include "unit/io/descriptors.h"

static void check_arguments(void)
{
	int fds[2];

	connect_pair(fds);
	CHECK_EQ(mete_fd_wait(fds[0], 0, 0), -EINVAL);
	CHECK_EQ(mete_fd_wait(fds[0], 8, 0), -EINVAL);
	CHECK_EQ(mete_fd_wait(fds[0], METE_READ | 1u << 31, 0), -EINVAL);
	CHECK_EQ(mete_fd_wait(-1, METE_READ, METE_FOREVER), -EBADF);
	CHECK_EQ(mete_fd_wait(-5, METE_READ, 0), -EBADF);
	CHECK_EQ(mete_fd_wait(1 << 20, METE_READ, 0), -EBADF);
	CHECK_EQ(mete_fd_wait(1 << 20, METE_READ, METE_FOREVER), -EBADF);
	CHECK_EQ(mete_fd_cancel(-1), -EBADF);
	CHECK_EQ(mete_fd_cancel(1 << 20), 0);
	close(fds[0]);
	close(fds[1]);
}

static void check_deadlines(void)
{
	uint64_t begin;
	int fds[2];

	connect_pair(fds);
	CHECK_EQ(mete_fd_wait(fds[0], METE_READ, 0), -ETIMEDOUT);
	CHECK_EQ(mete_fd_wait(fds[0], METE_WRITE, 0), 0);
	CHECK_EQ(mete_fd_wait(fds[0], METE_READ | METE_WRITE, 1), 0);
	begin = now_ns();
	CHECK_EQ(mete_fd_wait(fds[0], METE_READ, begin), -ETIMEDOUT);
	CHECK_EQ(mete_fd_wait(fds[0], METE_READ, begin + 3 * MS), -ETIMEDOUT);
	CHECK_GE(now_ns() - begin, 3 * MS);
	/* Huge ones are no deadline. */
	put(fds[1]);
	CHECK_EQ(mete_fd_wait(fds[0], METE_READ, METE_FOREVER - 1), 0);
	CHECK_EQ(mete_fd_wait(fds[0], METE_READ, METE_FOREVER), 0);
	CHECK_EQ(mete_fd_wait(fds[0], METE_READ, UINT64_C(1) << 63), 0);
	close(fds[1]);
	CHECK_EQ(mete_fd_wait(fds[0], METE_PRIORITY, METE_FOREVER), 0);
	close(fds[0]);
}

static void check_files(void)
{
	char path[] = "/tmp/mete-test-XXXXXX";
	int file = mkstemp(path);
	int directory = open("/", O_RDONLY | O_DIRECTORY);

	CHECK_GE(file, 0);
	unlink(path);
	CHECK_EQ(mete_fd_wait(file, METE_READ, METE_FOREVER), 0);
	CHECK_EQ(mete_fd_wait(file, METE_WRITE, 0), 0);
	CHECK_EQ(mete_fd_wait(directory, METE_READ, METE_FOREVER), 0);
	close(file);
	close(directory);
}

static void *check_all(void *arg)
{
	check_arguments();
	check_deadlines();
	check_files();
	return arg;
}

TEST(from_a_foreign_thread_without_a_runtime)
{
	check_all(NULL);
}

TEST(from_a_foreign_thread)
{
	start_cpus(1);
	check_all(NULL);
	stop();
}

TEST(from_tasks)
{
	start_cpus(2);
	for (int i = 0; i < 3; i++)
		join(spawn(check_all, NULL));
	stop();
}

static void *wait_to_be_cancelled(void *arg)
{
	mete_fd_wait(*(int *)arg, METE_READ, METE_FOREVER);
	FAIL("it goes on");
}

static atomic_int inside;
static atomic_int may_leave;

static void *region_to_be_cancelled(void *arg)
{
	mete_blocking_begin();
	inside = 1;
	while (!may_leave)
		usleep(1000);
	CHECK_EQ(mete_fd_wait(*(int *)arg, METE_READ, 0), -ETIMEDOUT);
	mete_blocking_end();
	FAIL("it goes on");
}

TEST(a_cancelled_task_ends)
{
	struct mete_task_attr attr = METE_TASK_ATTR_INIT;
	mete_task task;
	int fds[2];

	start_cpus(1);
	connect_pair(fds);
	attr.cancellable = true;
	CHECK_EQ(mete_task_create(&task, &attr, wait_to_be_cancelled, &fds[0]),
		 0);
	await_blocked(task);
	CHECK_EQ(mete_task_cancel(task), 0);
	CHECK(join(task) == METE_CANCELED);
	CHECK_EQ(mete_task_create(&task, &attr, region_to_be_cancelled,
				  &fds[0]),
		 0);
	await(&inside);
	usleep(5000);
	CHECK_EQ(mete_task_cancel(task), 0);
	may_leave = 1;
	CHECK(join(task) == METE_CANCELED);
	/* What the first has left behind harms nobody. */
	put(fds[1]);
	usleep(5000);
	stop();
}

static void *wait_and_leave(void *arg)
{
	CHECK_EQ(mete_fd_wait(*(int *)arg, METE_READ, now_ns() + 30 * MS),
		 -ETIMEDOUT);
	return NULL;
}

TEST(the_wait_is_booked_as_blocked)
{
	struct mete_usage usage;
	mete_task task;
	int fds[2];

	start_cpus(1);
	connect_pair(fds);
	task = spawn(wait_and_leave, &fds[0]);
	CHECK_EQ(mete_task_wait(task, soon()), 0);
	usage = usage_of(task);
	CHECK_GE(usage.blocked_ns, 29 * MS);
	CHECK_LT(usage.exec_ns, 20 * MS * test_slow());
	join(task);
	stop();
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks and their descriptors: who is woken, who waits on, and what is left
 * when a wait is over.
 */
#include "os/inject.h"
#include "unit/io/descriptors.h"

TEST(a_report_wakes_the_one_who_waits)
{
	struct fd_wait wait;
	int fds[2];
	mete_task task;

	start_cpus(2);
	connect_pair(fds);
	for (int i = 0; i < 100; i++) {
		task = start_wait(&wait, fds[0], METE_READ, METE_FOREVER);
		if (i % 2)
			await_blocked(task);
		put(fds[1]);
		join(task);
		CHECK_EQ(wait.result, 0);
		take(fds[0]);
	}
	stop();
}

static void fill(int fd)
{
	static const char block[4096];

	while (write(fd, block, sizeof(block)) > 0)
		;
}

TEST(readers_and_writers_of_one_descriptor)
{
	struct fd_wait reader;
	struct fd_wait writer;
	mete_task reads;
	mete_task writes;
	char block[4096];
	int fds[2];

	start_cpus(2);
	connect_pair(fds);
	fill(fds[0]);
	reads = start_wait(&reader, fds[0], METE_READ, METE_FOREVER);
	await_blocked(reads);
	writes = start_wait(&writer, fds[0], METE_WRITE, METE_FOREVER);
	await_blocked(writes);
	/* One is woken, the other waits on. */
	put(fds[1]);
	join(reads);
	CHECK_EQ(reader.result, 0);
	usleep(20000);
	CHECK(!writer.over);
	while (read(fds[1], block, sizeof(block)) > 0)
		;
	join(writes);
	CHECK_EQ(writer.result, 0);
	stop();
}

TEST(all_readers_of_one_descriptor_are_woken)
{
	struct fd_wait waits[8];
	mete_task tasks[8];
	int fds[2];

	start_cpus(2);
	connect_pair(fds);
	for (int i = 0; i < 8; i++)
		tasks[i] =
			start_wait(&waits[i], fds[0], METE_READ, METE_FOREVER);
	for (int i = 0; i < 8; i++)
		await_blocked(tasks[i]);
	put(fds[1]);
	for (int i = 0; i < 8; i++) {
		join(tasks[i]);
		CHECK_EQ(waits[i].result, 0);
	}
	stop();
}

/* Two numbers that fall into one bucket. */
TEST(neighbours_are_left_alone)
{
	struct fd_wait near, far;
	mete_task one, other;
	int fds[2], others[2];
	int distant;

	start_cpus(2);
	connect_pair(fds);
	connect_pair(others);
	distant = fcntl(others[0], F_DUPFD, fds[0] + 4096);
	if (distant != fds[0] + 4096)
		SKIP("descriptor %d is not to be had", fds[0] + 4096);
	one = start_wait(&near, fds[0], METE_READ, METE_FOREVER);
	await_blocked(one);
	other = start_wait(&far, distant, METE_READ, METE_FOREVER);
	await_blocked(other);
	put(others[1]);
	join(other);
	CHECK_EQ(far.result, 0);
	CHECK(!near.over);
	put(fds[1]);
	join(one);
	stop();
}

TEST(a_wait_times_out_and_another_begins)
{
	struct fd_wait wait;
	uint64_t deadline;
	int fds[2];

	start_cpus(1);
	connect_pair(fds);
	for (int i = 0; i < 5; i++) {
		deadline = now_ns() + 2 * MS;
		join(start_wait(&wait, fds[0], METE_READ, deadline));
		CHECK_EQ(wait.result, -ETIMEDOUT);
		CHECK_GE(now_ns(), deadline);
	}
	/* What was left armed wakes nobody. */
	put(fds[1]);
	usleep(10000);
	join(start_wait(&wait, fds[0], METE_READ, METE_FOREVER));
	CHECK_EQ(wait.result, 0);
	stop();
}

TEST(a_cancelled_wait_is_told_so)
{
	struct fd_wait waits[2];
	struct fd_wait other;
	mete_task tasks[2];
	mete_task stays;
	int fds[2], others[2];

	start_cpus(2);
	connect_pair(fds);
	connect_pair(others);
	CHECK_EQ(mete_fd_cancel(fds[0]), 0);
	stays = start_wait(&other, others[0], METE_READ, METE_FOREVER);
	for (int i = 0; i < 2; i++) {
		tasks[i] =
			start_wait(&waits[i], fds[0],
				   i ? METE_READ : METE_PRIORITY, METE_FOREVER);
		await_blocked(tasks[i]);
	}
	CHECK_EQ(mete_fd_cancel(fds[0]), 0);
	close(fds[0]);
	for (int i = 0; i < 2; i++) {
		join(tasks[i]);
		CHECK_EQ(waits[i].result, -ECANCELED);
	}
	CHECK(!other.over);
	put(others[1]);
	join(stays);
	CHECK_EQ(other.result, 0);
	stop();
}

/* The number of a closed descriptor comes to stand for another: who waits for
 * it now is woken, and who waited for the old one at the latest then. */
TEST(a_descriptor_closed_meanwhile)
{
	struct fd_wait before;
	struct fd_wait after;
	mete_task tasks[2];
	int fds[2], others[2];

	if (TEST_TSAN)
		SKIP("to the sanitizer a close is a race by itself");
	start_cpus(2);
	connect_pair(fds);
	connect_pair(others);
	tasks[0] = start_wait(&before, fds[0], METE_READ, METE_FOREVER);
	await_blocked(tasks[0]);
	CHECK_EQ(dup2(others[0], fds[0]), fds[0]);
	tasks[1] = start_wait(&after, fds[0], METE_READ, METE_FOREVER);
	await_blocked(tasks[1]);
	put(others[1]);
	join(tasks[1]);
	CHECK_EQ(after.result, 0);
	join(tasks[0]);
	CHECK_EQ(before.result, 0);
	/* Closed for good: the deadline ends it. */
	take(fds[0]);
	tasks[0] = start_wait(&before, fds[0], METE_READ, now_ns() + 50 * MS);
	await_blocked(tasks[0]);
	close(fds[0]);
	close(others[0]);
	join(tasks[0]);
	CHECK_EQ(before.result, -ETIMEDOUT);
	stop();
}

TEST(a_runtime_after_the_other_waits_anew)
{
	struct fd_wait wait;
	int next = dup(0);
	int fds[2];

	close(next);
	for (int i = 0; i < 3; i++) {
		start_cpus(2);
		connect_pair(fds);
		put(fds[1]);
		join(start_wait(&wait, fds[0], METE_READ, METE_FOREVER));
		CHECK_EQ(wait.result, 0);
		stop();
		close(fds[0]);
		close(fds[1]);
	}
	CHECK_EQ(dup(0), next);
}

#ifdef METE_FAULTS

TEST(each_call_of_a_wait_may_fail)
{
	struct fd_wait wait;
	mete_task task;
	int fds[2];

	start_cpus(1);
	connect_pair(fds);
	put(fds[1]);
	/* The set's memory, its three calls, the arming. */
	task = start_wait(&wait, fds[0], METE_READ, 0);
	join(task);
	CHECK_EQ(wait.result, 0);
	for (unsigned k = 1; k <= 5; k++) {
		os_fault_arm(k > 1 ? OS_CALL_EPOLL : OS_CALL_ALLOC,
			     k > 1 ? k - 1 : 1, false);
		task = start_wait(&wait, fds[0], METE_READ, soon());
		join(task);
		CHECK(wait.result == -ENOMEM || wait.result == -EMFILE ||
		      wait.result == -ENFILE);
	}
	/* A look that fails is made again. */
	os_fault_arm(OS_CALL_EPOLL, 2, false);
	join(start_wait(&wait, fds[0], METE_READ, soon()));
	CHECK_EQ(wait.result, 0);
	CHECK_GE(os_fault_count(OS_CALL_EPOLL), 3);
	os_fault_arm(OS_CALL_EPOLL, 0, false);
	stop();
}

/* Who cannot be armed for again is woken, too. */
TEST(an_arming_for_the_rest_may_fail)
{
	struct fd_wait waits[2];
	mete_task tasks[2];
	int fds[2];

	start_cpus(1);
	connect_pair(fds);
	fill(fds[0]);
	tasks[0] = start_wait(&waits[0], fds[0], METE_WRITE, METE_FOREVER);
	await_blocked(tasks[0]);
	tasks[1] = start_wait(&waits[1], fds[0], METE_READ, METE_FOREVER);
	await_blocked(tasks[1]);
	usleep(20000);
	/* The CPU sleeps in its look; the next call is the arming. */
	os_fault_arm(OS_CALL_EPOLL, 1, false);
	put(fds[1]);
	for (int i = 0; i < 2; i++) {
		join(tasks[i]);
		CHECK_EQ(waits[i].result, 0);
	}
	os_fault_arm(OS_CALL_EPOLL, 0, false);
	stop();
}

#endif

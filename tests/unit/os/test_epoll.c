/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The set of descriptors: one report for each arming, the bell, deadlines, and
 * what cannot be waited for.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "harness/refuse.h"
#include "harness/test.h"
#include "os/clock.h"
#include "os/epoll.h"
#include "os/inject.h"
#include "os/thread.h"

#define MS UINT64_C(1000000)

static struct os_epoll set;
static struct os_ready ready[4];

static unsigned look(void)
{
	return os_epoll_wait(&set, ready, 4, 0);
}

static void pair(int fds[2])
{
	CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
}

TEST(an_arming_is_reported_once)
{
	int fds[2];

	CHECK_EQ(os_epoll_init(&set), 0);
	pair(fds);
	CHECK_EQ(os_epoll_arm(&set, fds[0], OS_READ), 0);
	CHECK_EQ(look(), 0);
	CHECK_EQ(write(fds[1], "x", 1), 1);
	CHECK_EQ(look(), 1);
	CHECK_EQ(ready[0].fd, fds[0]);
	CHECK_EQ(ready[0].events, OS_READ);
	CHECK_EQ(look(), 0);
	/* It is ready still, and for writing, too. */
	CHECK_EQ(os_epoll_arm(&set, fds[0], OS_READ | OS_WRITE), 0);
	CHECK_EQ(look(), 1);
	CHECK_EQ(ready[0].events, OS_READ | OS_WRITE);
	CHECK_EQ(os_epoll_arm(&set, fds[0], OS_PRIORITY), 0);
	CHECK_EQ(look(), 0);
	close(fds[1]);
	CHECK_EQ(look(), 1);
	CHECK_EQ(ready[0].events, OS_EVENTS);
	os_epoll_fini(&set);
}

TEST(priority_is_out_of_band_data)
{
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	int client = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr address;
	socklen_t size = sizeof(address);
	int server;

	CHECK_EQ(os_epoll_init(&set), 0);
	CHECK_EQ(listen(listener, 1), 0);
	CHECK_EQ(getsockname(listener, &address, &size), 0);
	CHECK_EQ(connect(client, &address, size), 0);
	server = accept(listener, NULL, NULL);
	CHECK_GE(server, 0);
	CHECK_EQ(os_epoll_arm(&set, server, OS_PRIORITY), 0);
	CHECK_EQ(send(client, "x", 1, MSG_OOB), 1);
	CHECK_EQ(os_epoll_wait(&set, ready, 4, os_monotonic_ns() + 5000 * MS),
		 1);
	CHECK_EQ(ready[0].events, OS_PRIORITY);
	os_epoll_fini(&set);
}

TEST(what_cannot_be_waited_for_is_told)
{
	int file = open("/proc/self/exe", O_RDONLY);
	int other = epoll_create1(0);
	struct epoll_event event = {.events = EPOLLIN};

	CHECK_EQ(os_epoll_init(&set), 0);
	CHECK_EQ(os_epoll_arm(&set, file, OS_READ), -EPERM);
	CHECK_EQ(os_epoll_arm(&set, -1, OS_READ), -EBADF);
	CHECK_EQ(os_epoll_arm(&set, 1000, OS_READ), -EBADF);
	CHECK_EQ(os_epoll_arm(&set, set.fd, OS_READ), -EINVAL);
	CHECK_EQ(epoll_ctl(other, EPOLL_CTL_ADD, set.fd, &event), 0);
	CHECK_EQ(os_epoll_arm(&set, other, OS_READ), -ELOOP);
	os_epoll_fini(&set);
}

TEST(a_number_that_was_opened_anew_is_added)
{
	int fds[2];
	int others[2];

	CHECK_EQ(os_epoll_init(&set), 0);
	pair(fds);
	CHECK_EQ(os_epoll_arm(&set, fds[0], OS_READ), 0);
	pair(others);
	CHECK_EQ(dup2(others[0], fds[0]), fds[0]);
	CHECK_EQ(os_epoll_arm(&set, fds[0], OS_READ), 0);
	CHECK_EQ(write(others[1], "x", 1), 1);
	CHECK_EQ(look(), 1);
	CHECK_EQ(ready[0].fd, fds[0]);
	os_epoll_fini(&set);
}

TEST(no_more_than_room_and_the_rest_later)
{
	int fds[3][2];
	unsigned seen = 0;

	CHECK_EQ(os_epoll_init(&set), 0);
	for (int i = 0; i < 3; i++) {
		pair(fds[i]);
		CHECK_EQ(os_epoll_arm(&set, fds[i][0], OS_WRITE), 0);
	}
	CHECK_EQ(os_epoll_wait(&set, ready, 2, 0), 2);
	seen += ready[0].fd + ready[1].fd;
	CHECK_EQ(os_epoll_wait(&set, ready, 2, 0), 1);
	seen += ready[0].fd;
	CHECK_EQ(seen, fds[0][0] + fds[1][0] + fds[2][0]);
	os_epoll_fini(&set);
}

static void ring_soon(void *arg)
{
	usleep(20000);
	os_epoll_ring(arg);
}

TEST(the_bell_ends_a_wait_and_the_next)
{
	struct os_thread thread;
	uint64_t begin = os_monotonic_ns();

	CHECK_EQ(os_epoll_init(&set), 0);
	CHECK_EQ(os_thread_create(&thread, NULL, ring_soon, &set), 0);
	CHECK_EQ(os_epoll_wait(&set, ready, 4, OS_EPOLL_FOREVER), 0);
	CHECK_GE(os_monotonic_ns() - begin, 10 * MS);
	os_thread_join(&thread);
	for (int i = 0; i < 3; i++) {
		os_epoll_ring(&set);
		CHECK_EQ(os_epoll_wait(&set, ready, 4, OS_EPOLL_FOREVER), 0);
	}
	/* Heard once, it is silent. */
	begin = os_monotonic_ns();
	CHECK_EQ(os_epoll_wait(&set, ready, 4, begin + 20 * MS), 0);
	CHECK_GE(os_monotonic_ns() - begin, 20 * MS);
	os_epoll_fini(&set);
}

TEST(deadlines_are_absolute)
{
	uint64_t begin;

	CHECK_EQ(os_epoll_init(&set), 0);
	begin = os_monotonic_ns();
	CHECK_EQ(os_epoll_wait(&set, ready, 4, begin + 3 * MS / 2), 0);
	CHECK_GE(os_monotonic_ns() - begin, 3 * MS / 2);
	begin = os_monotonic_ns();
	CHECK_EQ(os_epoll_wait(&set, ready, 4, begin - 1), 0);
	CHECK_EQ(look(), 0);
	CHECK_LT(os_monotonic_ns() - begin, 2000 * MS);
	os_epoll_fini(&set);
}

TEST(a_thread_polls_for_one)
{
	uint64_t begin;
	int fds[2];

	pair(fds);
	CHECK_EQ(os_poll(fds[0], OS_WRITE, 0), 0);
	CHECK_EQ(os_poll(fds[0], OS_READ, 0), -ETIMEDOUT);
	begin = os_monotonic_ns();
	CHECK_EQ(os_poll(fds[0], OS_READ, begin + 5 * MS), -ETIMEDOUT);
	CHECK_GE(os_monotonic_ns() - begin, 5 * MS);
	CHECK_EQ(os_poll(fds[0], OS_READ, begin), -ETIMEDOUT);
	CHECK_EQ(write(fds[1], "x", 1), 1);
	CHECK_EQ(os_poll(fds[0], OS_READ, OS_EPOLL_FOREVER), 0);
	close(fds[1]);
	CHECK_EQ(os_poll(fds[0], OS_PRIORITY, OS_EPOLL_FOREVER), 0);
	CHECK_EQ(os_poll(1000, OS_READ, OS_EPOLL_FOREVER), -EBADF);
}

TEST(what_the_kernel_refuses_is_told)
{
	int next = dup(0);

	close(next);
	test_refuse_where(SYS_epoll_ctl, 1, EPOLL_CTL_ADD, ENOSPC);
	CHECK_EQ(os_epoll_init(&set), -ENOSPC);
	test_refuse(SYS_eventfd2, ENFILE);
	CHECK_EQ(os_epoll_init(&set), -ENFILE);
	test_refuse(SYS_epoll_create1, EMFILE);
	CHECK_EQ(os_epoll_init(&set), -EMFILE);
	/* Nothing was left open. */
	CHECK_EQ(dup(0), next);
}

/* As Linux before 5.11. */
TEST(kernels_that_count_milliseconds)
{
	struct os_thread thread;
	uint64_t begin;
	int fds[2];

#ifdef SYS_epoll_pwait2
	test_refuse(SYS_epoll_pwait2, ENOSYS);
#endif
	CHECK_EQ(os_epoll_init(&set), 0);
	pair(fds);
	CHECK_EQ(os_epoll_arm(&set, fds[0], OS_READ), 0);
	CHECK_EQ(look(), 0);
	/* Never early. */
	for (unsigned us = 1; us < 3000; us += 700) {
		begin = os_monotonic_ns();
		CHECK_EQ(os_epoll_wait(&set, ready, 4, begin + us * 1000), 0);
		CHECK_GE(os_monotonic_ns() - begin, us * 1000);
	}
	CHECK_EQ(write(fds[1], "x", 1), 1);
	CHECK_EQ(os_epoll_wait(&set, ready, 4, OS_EPOLL_FOREVER), 1);
	CHECK_EQ(ready[0].fd, fds[0]);
	/* More milliseconds than the call can count. */
	CHECK_EQ(os_thread_create(&thread, NULL, ring_soon, &set), 0);
	begin = os_monotonic_ns();
	CHECK_EQ(os_epoll_wait(&set, ready, 4, OS_EPOLL_FOREVER - 1), 0);
	CHECK_GE(os_monotonic_ns() - begin, 10 * MS);
	os_thread_join(&thread);
	os_epoll_fini(&set);
}

TEST(a_bell_that_cannot_be_rung)
{
	CHECK_EQ(os_epoll_init(&set), 0);
	test_refuse_where(SYS_write, 0, (uint32_t)set.bell, EAGAIN);
	os_epoll_ring(&set);
	CHECK_EQ(os_epoll_wait(&set, ready, 4, os_monotonic_ns() + MS), 0);
	os_epoll_fini(&set);
}

static volatile sig_atomic_t alarms;

static void alarmed(int number)
{
	(void)number;
	alarms++;
}

TEST(a_signal_ends_a_wait)
{
	const struct sigaction action = {.sa_handler = alarmed};

	CHECK_EQ(os_epoll_init(&set), 0);
	CHECK_EQ(sigaction(SIGALRM, &action, NULL), 0);
	ualarm(10000, 0);
	CHECK_EQ(os_epoll_wait(&set, ready, 4, OS_EPOLL_FOREVER), 0);
	CHECK_EQ(alarms, 1);
	os_epoll_fini(&set);
}

TEST(a_poll_goes_on_after_a_signal)
{
	const struct sigaction action = {.sa_handler = alarmed};
	uint64_t begin = os_monotonic_ns();
	int fds[2];

	pair(fds);
	CHECK_EQ(sigaction(SIGALRM, &action, NULL), 0);
	ualarm(10000, 0);
	CHECK_EQ(os_poll(fds[0], OS_READ, begin + 50 * MS), -ETIMEDOUT);
	CHECK_EQ(alarms, 1);
	CHECK_GE(os_monotonic_ns() - begin, 50 * MS);
	test_refuse(SYS_ppoll, ENOMEM);
	CHECK_EQ(os_poll(fds[0], OS_READ, begin), -ENOMEM);
}

#ifdef METE_FAULTS

TEST(each_call_may_fail)
{
	int next = dup(0);
	int fds[2];

	close(next);
	for (unsigned k = 1; k <= 3; k++) {
		os_fault_arm(OS_CALL_EPOLL, k, false);
		CHECK_LT(os_epoll_init(&set), 0);
	}
	/* Nothing was left open. */
	CHECK_EQ(dup(0), next);
	os_fault_arm(OS_CALL_EPOLL, 0, false);
	CHECK_EQ(os_epoll_init(&set), 0);
	pair(fds);
	os_fault_arm(OS_CALL_EPOLL, 1, true);
	CHECK_EQ(os_epoll_arm(&set, fds[0], OS_WRITE), -ENOMEM);
	CHECK_EQ(os_epoll_wait(&set, ready, 4, OS_EPOLL_FOREVER), 0);
	CHECK_EQ(os_poll(fds[0], OS_WRITE, 0), -ENOMEM);
	os_fault_arm(OS_CALL_EPOLL, 0, false);
	os_epoll_fini(&set);
}

#endif

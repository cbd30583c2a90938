/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors to wait for, and tasks that do. */
#ifndef UNIT_IO_DESCRIPTORS_H
#define UNIT_IO_DESCRIPTORS_H

#include <fcntl.h>
#include <sys/socket.h>

#include "unit/sched/running.h"

/* Two ends of a connection. */
static inline void connect_pair(int fds[2])
{
	CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
}

static inline void put(int fd)
{
	CHECK_EQ(write(fd, "x", 1), 1);
}

static inline void take(int fd)
{
	char byte;

	CHECK_EQ(read(fd, &byte, 1), 1);
}

/* A task's wait, and what came of it. */
struct fd_wait {
	int fd;
	unsigned events;
	uint64_t deadline_ns;
	int result;
	atomic_int over;
};

static inline void *wait_for_fd(void *arg)
{
	struct fd_wait *wait = arg;

	wait->result = mete_fd_wait(wait->fd, wait->events, wait->deadline_ns);
	wait->over = 1;
	return NULL;
}

static inline mete_task start_wait(struct fd_wait *wait, int fd,
				   unsigned events, uint64_t deadline_ns)
{
	*wait = (struct fd_wait){fd, events, deadline_ns, 1, 0};
	return spawn(wait_for_fd, wait);
}

#endif

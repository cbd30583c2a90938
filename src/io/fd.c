/* SPDX-License-Identifier: Apache-2.0 */
/* The public face of waiting for descriptors. */
#include <errno.h>

#include <mete/io.h>

#include "io/reactor.h"
#include "os/clock.h"
#include "os/epoll.h"
#include "sched/wait.h"

_Static_assert((int)METE_READ == (int)OS_READ &&
		       (int)METE_WRITE == (int)OS_WRITE &&
		       (int)METE_PRIORITY == (int)OS_PRIORITY,
	       "one set of events");

int mete_fd_wait(int fd, unsigned events, uint64_t deadline_ns)
{
	int error;

	if (!events || events & ~(unsigned)OS_EVENTS)
		return -EINVAL;
	if (fd < 0)
		return -EBADF;
	if (!sched_current())
		return os_poll(fd, events, deadline_ns);
	if (deadline_ns != METE_FOREVER && deadline_ns <= os_monotonic_ns())
		return os_poll(fd, events, 0);
	error = reactor_wait(fd, events, deadline_ns);
	if (error == -ETIMEDOUT)
		wait_cancel_point();
	/* What epoll does not take is always ready. */
	return error == -EPERM ? 0 : error;
}

int mete_fd_cancel(int fd)
{
	if (fd < 0)
		return -EBADF;
	reactor_cancel(fd);
	return 0;
}

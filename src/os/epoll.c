/* SPDX-License-Identifier: Apache-2.0 */
/*
 * epoll(7) with EPOLLONESHOT.  The bell is an eventfd that is reported at every
 * write (EPOLLET), so nobody has to read it.
 *
 * A descriptor is first taken to be known and then, if it is not, added: one
 * call where it is waited for again and again.  The kernel forgets it with the
 * last close of what it stands for, so that a number that comes to stand for
 * something else is unknown again.
 */
#include "os/epoll.h"

#include <errno.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/clock.h"
#include "os/inject.h"
#include "os/written.h"

/* Reports taken at a time. */
#define BATCH 64

#define NO_FD (-1)

/* The kernel's 64-bit timespec. */
struct span {
	int64_t seconds;
	int64_t ns;
};

static uint32_t to_epoll(unsigned events)
{
	return (events & OS_READ ? EPOLLIN | EPOLLRDHUP : 0u) |
	       (events & OS_WRITE ? EPOLLOUT : 0u) |
	       (events & OS_PRIORITY ? EPOLLPRI : 0u);
}

static unsigned from_epoll(uint32_t events)
{
	if (events & (EPOLLERR | EPOLLHUP))
		return OS_EVENTS;
	return (events & (EPOLLIN | EPOLLRDHUP) ? OS_READ : 0u) |
	       (events & EPOLLOUT ? OS_WRITE : 0u) |
	       (events & EPOLLPRI ? OS_PRIORITY : 0u);
}

int os_epoll_init(struct os_epoll *ret)
{
	struct epoll_event event = {.events = EPOLLIN | EPOLLET,
				    .data.fd = NO_FD};
	struct os_epoll epoll;
	int err;

	if (os_fault(OS_CALL_EPOLL))
		return -EMFILE;
	epoll.fd = epoll_create1(EPOLL_CLOEXEC);
	if (epoll.fd < 0)
		return -errno;
	epoll.bell = os_fault(OS_CALL_EPOLL)
			     ? (errno = ENFILE, -1)
			     : eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (epoll.bell < 0) {
		err = -errno;
		goto close_epoll;
	}
	err = os_fault(OS_CALL_EPOLL) ? -ENOMEM : 0;
	if (!err && epoll_ctl(epoll.fd, EPOLL_CTL_ADD, epoll.bell, &event))
		err = -errno;
	if (err)
		goto close_bell;
	*ret = epoll;
	return 0;
close_bell:
	close(epoll.bell);
close_epoll:
	close(epoll.fd);
	return err;
}

void os_epoll_fini(struct os_epoll *epoll)
{
	close(epoll->bell);
	close(epoll->fd);
}

int os_epoll_arm(struct os_epoll *epoll, int fd, unsigned events)
{
	struct epoll_event event = {.events = to_epoll(events) | EPOLLONESHOT,
				    .data.fd = fd};

	if (os_fault(OS_CALL_EPOLL))
		return -ENOMEM;
	if (!epoll_ctl(epoll->fd, EPOLL_CTL_MOD, fd, &event))
		return 0;
	if (errno != ENOENT)
		return -errno;
	if (!epoll_ctl(epoll->fd, EPOLL_CTL_ADD, fd, &event))
		return 0;
	return -errno;
}

/* What is left until the deadline. */
static struct span left(uint64_t deadline_ns)
{
	uint64_t now = deadline_ns ? os_monotonic_ns() : 0;
	uint64_t ns = deadline_ns > now ? deadline_ns - now : 0;

	return (struct span){(int64_t)(ns / 1000000000),
			     (int64_t)(ns % 1000000000)};
}

/* Before Linux 5.11 there are milliseconds alone: late by up to one. */
static int wait_coarsely(int epoll, struct epoll_event *events, unsigned most,
			 const struct span *span)
{
	int64_t ms = -1;

	if (span) {
		ms = span->seconds * 1000 + (span->ns + 999999) / 1000000;
		ms = ms < INT32_MAX ? ms : INT32_MAX;
	}
	return epoll_wait(epoll, events, (int)most, (int)ms);
}

static int wait_finely(int epoll, struct epoll_event *events, unsigned most,
		       const struct span *span)
{
#ifdef SYS_epoll_pwait2
	long n = syscall(SYS_epoll_pwait2, epoll, events, most, span, NULL, 0);

	if (n > 0)
		os_written(events, (size_t)n * sizeof(*events));
	if (n >= 0 || errno != ENOSYS)
		return (int)n;
#endif
	return wait_coarsely(epoll, events, most, span);
}

unsigned os_epoll_wait(struct os_epoll *epoll, struct os_ready *ret,
		       unsigned most, uint64_t deadline_ns)
{
	struct epoll_event events[BATCH];
	struct span span = left(deadline_ns);
	unsigned count = 0;
	int n;

	if (os_fault(OS_CALL_EPOLL))
		return 0;
	n = wait_finely(epoll->fd, events, most < BATCH ? most : BATCH,
			deadline_ns == OS_EPOLL_FOREVER ? NULL : &span);
	for (int i = 0; i < n; i++) {
		if (events[i].data.fd == NO_FD)
			continue;
		ret[count].fd = events[i].data.fd;
		ret[count].events = from_epoll(events[i].events);
		count++;
	}
	return count;
}

void os_epoll_ring(struct os_epoll *epoll)
{
	static const uint64_t once = 1;

	/* It overflows after 2^64 rings, and fails for no other reason. */
	if (write(epoll->bell, &once, sizeof(once)) < 0)
		return;
}

int os_poll(int fd, unsigned events, uint64_t deadline_ns)
{
	uint32_t wanted = to_epoll(events);
	struct pollfd poll = {.fd = fd, .events = (short)wanted};
	int n;

	do {
		struct span span = left(deadline_ns);
		struct timespec rest = {(time_t)span.seconds, (long)span.ns};

		if (os_fault(OS_CALL_EPOLL))
			return -ENOMEM;
		n = ppoll(&poll, 1,
			  deadline_ns == OS_EPOLL_FOREVER ? NULL : &rest, NULL);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	if (n == 0)
		return -ETIMEDOUT;
	return poll.revents & POLLNVAL ? -EBADF : 0;
}

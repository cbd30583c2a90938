/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waiting for descriptors: many at once, with a bell to be called away by; and
 * one, as a plain thread does.
 *
 * A descriptor is armed for one report: it is told once, then no more until it
 * is armed again.  Whoever arms and whoever waits may be different threads, at
 * the same time; waits are one thread's at a time.
 */
#ifndef OS_EPOLL_H
#define OS_EPOLL_H

#include <stdint.h>

/* What to wait for; the public enum's values.  Errors and hang-ups of a
 * descriptor count as all of them. */
enum os_event {
	OS_READ = 1u << 0,
	OS_WRITE = 1u << 1,
	OS_PRIORITY = 1u << 2,
	OS_EVENTS = OS_READ | OS_WRITE | OS_PRIORITY,
};

#define OS_EPOLL_FOREVER UINT64_MAX

/* A descriptor that was reported. */
struct os_ready {
	int fd;
	unsigned events;
};

struct os_epoll {
	int fd;
	int bell;
};

/* -EMFILE, -ENFILE, -ENOMEM. */
int os_epoll_init(struct os_epoll *ret);
void os_epoll_fini(struct os_epoll *epoll);

/*
 * Arms fd for its next report of any of `events`, in place of what it was armed
 * for before.  -EBADF: not open; -EPERM: of a kind that is always ready (a
 * regular file, a directory); -EINVAL, -ELOOP: an epoll that would wait for
 * itself; -ENOMEM, -ENOSPC: the system's limits.
 */
int os_epoll_arm(struct os_epoll *epoll, int fd, unsigned events);

/*
 * Waits until something is reported, the bell is rung, or CLOCK_MONOTONIC
 * reaches deadline_ns (0: not at all; OS_EPOLL_FOREVER: no end).  Gives how many
 * reports, up to `most`, stand in ret; 0 also when a signal came.
 */
unsigned os_epoll_wait(struct os_epoll *epoll, struct os_ready *ret,
		       unsigned most, uint64_t deadline_ns);

/* The wait that is under way, or else the next one, ends at once. */
void os_epoll_ring(struct os_epoll *epoll);

/* A thread waits for one descriptor.  0; -ETIMEDOUT; -EBADF; -ENOMEM. */
int os_poll(int fd, unsigned events, uint64_t deadline_ns);

#endif

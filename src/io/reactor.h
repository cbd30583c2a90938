/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reactor: which tasks wait for which descriptors.
 *
 * Waiters stand in buckets by descriptor number, each under its lock, on the
 * stacks of the tasks that wait: waiting allocates nothing.  A bucket's lock
 * also orders the arming of its descriptors: under it a descriptor is armed for
 * all that its waiters want together, or will soon be reported, or nobody waits
 * for it.  A report takes out everybody who wants any of it and arms the
 * descriptor anew for the rest.
 *
 * A waiter whose time is over leaves the descriptor armed: a report that nobody
 * waits for is ignored, and comes at most once.
 *
 * The set of descriptors is made when the first task waits and goes with the
 * runtime.  Who looks into it is decided by sched/watch.h.
 */
#ifndef IO_REACTOR_H
#define IO_REACTOR_H

#include <stdint.h>

/* Before the runtime starts. */
void reactor_wire(void);
/* After its last carrier has ended. */
void reactor_fini(void);

/* The calling task waits.  0; -ETIMEDOUT; -ECANCELED; as os_epoll_arm();
 * -EMFILE, -ENFILE, -ENOMEM when there could be no set. */
int reactor_wait(int fd, unsigned events, uint64_t deadline_ns);
/* All tasks that wait for it are told -ECANCELED: how many. */
unsigned reactor_cancel(int fd);

#endif

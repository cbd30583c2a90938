/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Descriptors of the machine, under the contract of src/os/epoll.h: each is a
 * level that sim_fd_set() changes.  There is one set at a time, as a process has
 * one runtime.  Between two steps nobody else acts, so a look and the falling
 * asleep after it are one.
 */
#include "os/epoll.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "sim/sleep.h"
#include "sim/step.h"

static unsigned level[SIM_FDS_MAX];

static struct {
	unsigned armed[SIM_FDS_MAX];
	bool rung;
	uint32_t news; /* a word to sleep on */
	uint64_t ready_ns[SIM_FDS_MAX];
} set;

/* Threads that wait for a single descriptor sleep here. */
static uint32_t changes;

static void tell(int fd)
{
	if (!set.ready_ns[fd])
		set.ready_ns[fd] = sim_clock_ns();
	set.news++;
	sleep_wake(&set.news, UINT32_MAX);
}

static bool open(int fd)
{
	return fd >= 0 && fd < SIM_FDS_MAX;
}

int os_epoll_init(struct os_epoll *ret)
{
	sim_step();
	memset(&set, 0, sizeof(set));
	*ret = (struct os_epoll){SIM_FDS_MAX, SIM_FDS_MAX + 1};
	return 0;
}

void os_epoll_fini(struct os_epoll *epoll)
{
	(void)epoll;
}

int os_epoll_arm(struct os_epoll *epoll, int fd, unsigned events)
{
	(void)epoll;
	sim_step();
	if (!open(fd))
		return -EBADF;
	set.armed[fd] = events;
	set.ready_ns[fd] = 0;
	if (events & level[fd])
		tell(fd);
	return 0;
}

static unsigned collect(struct os_ready *ret, unsigned most)
{
	unsigned count = 0;

	for (int fd = 0; fd < SIM_FDS_MAX && count < most; fd++) {
		unsigned events = set.armed[fd] & level[fd];

		if (!events)
			continue;
		set.armed[fd] = 0;
		set.ready_ns[fd] = 0;
		ret[count++] = (struct os_ready){fd, events};
	}
	return count;
}

unsigned os_epoll_wait(struct os_epoll *epoll, struct os_ready *ret,
		       unsigned most, uint64_t deadline_ns)
{
	unsigned count;

	(void)epoll;
	sim_step();
	count = collect(ret, most);
	if (!count && !set.rung && deadline_ns) {
		sleep_on(&set.news, set.news, deadline_ns,
			 __builtin_return_address(0));
		count = collect(ret, most);
	}
	set.rung = false;
	return count;
}

void os_epoll_ring(struct os_epoll *epoll)
{
	(void)epoll;
	sim_step();
	set.rung = true;
	set.news++;
	sleep_wake(&set.news, UINT32_MAX);
}

int os_poll(int fd, unsigned events, uint64_t deadline_ns)
{
	sim_step();
	if (!open(fd))
		return -EBADF;
	while (!(level[fd] & events)) {
		int error = deadline_ns
				    ? sleep_on(&changes, changes, deadline_ns,
					       __builtin_return_address(0))
				    : -ETIMEDOUT;

		if (error == -ETIMEDOUT)
			return level[fd] & events ? 0 : error;
	}
	return 0;
}

void sim_fd_set(int fd, unsigned events)
{
	sim_step();
	level[fd] = events;
	changes++;
	sleep_wake(&changes, UINT32_MAX);
	if (set.armed[fd] & events)
		tell(fd);
	else
		set.ready_ns[fd] = 0;
}

uint64_t sim_fd_ready_ns(void)
{
	uint64_t since = 0;

	for (int fd = 0; fd < SIM_FDS_MAX; fd++)
		if (set.ready_ns[fd] && (!since || set.ready_ns[fd] < since))
			since = set.ready_ns[fd];
	return since;
}

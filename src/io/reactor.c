/* SPDX-License-Identifier: Apache-2.0 */
/* Buckets of waiters, and what the watch brings home. */
#include "io/reactor.h"

#include <errno.h>
#include <stdbool.h>

#include "os/epoll.h"
#include "os/mem.h"
#include "sched/wait.h"
#include "sched/watch.h"

/* Descriptors are small numbers in a row: one or two to a bucket up to this. */
#define BUCKETS 4096
/* Reports that one look takes. */
#define REPORTS 64

struct fd_waiter {
	struct mete_waiter waiter;
	struct fd_waiter *next;
	struct fd_waiter **link; /* what points to this; NULL: not listed */
	int fd;
	unsigned events;
	int result;
};

struct bucket {
	struct lock lock;
	struct fd_waiter *head;
};

static struct {
	struct lock lock; /* held while it is made */
	struct a32 stands;
	struct os_epoll epoll;
	struct bucket *buckets;
	/* the keeper of the watch */
	struct os_ready reports[REPORTS];
	unsigned count;
} reactor;

static struct bucket *bucket_of(int fd)
{
	return &reactor.buckets[(unsigned)fd % BUCKETS];
}

static int make(void)
{
	int error;

	reactor.buckets = os_alloc(BUCKETS * sizeof(struct bucket));
	if (!reactor.buckets)
		return -ENOMEM;
	error = os_epoll_init(&reactor.epoll);
	if (error) {
		os_free(reactor.buckets);
		return error;
	}
	/* order: reactor.made pairs reactor.stands: all of the above */
	a32_store_release(&reactor.stands, 1);
	return 0;
}

static bool stands(void)
{
	/* order: reactor.stands pairs reactor.made: its parts */
	return a32_load_acquire(&reactor.stands);
}

static int ensure(void)
{
	int error;

	if (likely(stands()))
		return 0;
	lock_acquire(&reactor.lock, LOCK_OBJECT);
	error = stands() ? 0 : make();
	lock_release(&reactor.lock, LOCK_OBJECT);
	return error;
}

void reactor_fini(void)
{
	if (!stands())
		return;
	os_epoll_fini(&reactor.epoll);
	os_free(reactor.buckets);
	/* relaxed: nobody else uses it any more */
	a32_store_relaxed(&reactor.stands, 0);
}

static void append(struct bucket *bucket, struct fd_waiter *waiter)
{
	struct fd_waiter **link = &bucket->head;

	while (*link)
		link = &(*link)->next;
	waiter->next = NULL;
	waiter->link = link;
	*link = waiter;
}

static void take_out(struct fd_waiter *waiter)
{
	*waiter->link = waiter->next;
	if (waiter->next)
		waiter->next->link = waiter->link;
	waiter->link = NULL;
}

/* What those who wait for fd want together. */
static unsigned wanted(const struct bucket *bucket, int fd)
{
	unsigned events = 0;

	for (struct fd_waiter *w = bucket->head; w; w = w->next)
		if (w->fd == fd)
			events |= w->events;
	return events;
}

/* Take out those who wait for any of the events, oldest first: how many. */
static unsigned take_waiters(struct bucket *bucket,
			     const struct os_ready *ready, int result,
			     struct wait_woken *woken)
{
	struct fd_waiter *next;
	unsigned count = 0;

	for (struct fd_waiter *w = bucket->head; w; w = next) {
		next = w->next;
		if (w->fd != ready->fd || !(w->events & ready->events))
			continue;
		take_out(w);
		w->result = result;
		count += wait_take(&w->waiter, woken);
	}
	return count;
}

int reactor_wait(int fd, unsigned events, uint64_t deadline_ns)
{
	struct fd_waiter self = {.fd = fd, .events = events};
	struct bucket *bucket;
	int error = ensure();

	if (error)
		return error;
	bucket = bucket_of(fd);
	watch_add();
	lock_acquire(&bucket->lock, LOCK_OBJECT);
	error = os_epoll_arm(&reactor.epoll, fd, events | wanted(bucket, fd));
	if (error) {
		lock_release(&bucket->lock, LOCK_OBJECT);
		watch_drop();
		return error;
	}
	wait_prepare(&self.waiter, WAIT_FD, (void *)(uintptr_t)fd, deadline_ns);
	append(bucket, &self);
	lock_release(&bucket->lock, LOCK_OBJECT);
	error = wait_sleep(&self.waiter, deadline_ns);
	if (error) {
		lock_acquire(&bucket->lock, LOCK_OBJECT);
		if (self.link)
			take_out(&self);
		lock_release(&bucket->lock, LOCK_OBJECT);
	}
	watch_drop();
	return error ? error : self.result;
}

unsigned reactor_cancel(int fd)
{
	const struct os_ready all = {fd, OS_EVENTS};
	struct wait_woken woken;
	struct bucket *bucket;
	unsigned count;

	if (!stands())
		return 0;
	wait_woken_init(&woken);
	bucket = bucket_of(fd);
	lock_acquire(&bucket->lock, LOCK_OBJECT);
	count = take_waiters(bucket, &all, -ECANCELED, &woken);
	lock_release(&bucket->lock, LOCK_OBJECT);
	wait_release(&woken);
	return count;
}

static void deliver_one(const struct os_ready *ready, struct wait_woken *woken)
{
	struct bucket *bucket = bucket_of(ready->fd);
	const struct os_ready all = {ready->fd, OS_EVENTS};
	unsigned rest;

	lock_acquire(&bucket->lock, LOCK_OBJECT);
	take_waiters(bucket, ready, 0, woken);
	rest = wanted(bucket, ready->fd);
	/* Who cannot be told later is told now, and finds out by its call. */
	if (rest && os_epoll_arm(&reactor.epoll, ready->fd, rest))
		take_waiters(bucket, &all, 0, woken);
	lock_release(&bucket->lock, LOCK_OBJECT);
}

static bool look(uint64_t deadline_ns)
{
	reactor.count = os_epoll_wait(&reactor.epoll, reactor.reports, REPORTS,
				      deadline_ns);
	return reactor.count;
}

static void deliver(void)
{
	struct wait_woken woken;

	wait_woken_init(&woken);
	for (unsigned i = 0; i < reactor.count; i++)
		deliver_one(&reactor.reports[i], &woken);
	reactor.count = 0;
	wait_release(&woken);
}

static void ring(void)
{
	os_epoll_ring(&reactor.epoll);
}

void reactor_wire(void)
{
	static const struct watch_calls calls = {look, deliver, ring};

	watch_wire(&calls);
}

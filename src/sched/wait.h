/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waiting for something, as a task or as a foreign thread.
 *
 * A waiter stands on the stack of whoever waits:
 *
 *	wait_prepare(&w);        from here on it can be woken
 *	publish w where the waker will find it
 *	result = wait_sleep(&w, deadline);
 *	if (result) take w back from where it was published
 *
 * A waker that has found w calls wait_wake() at most once, while w cannot go
 * away (under the lock of the list it stood in, or the pin of a join word).
 * True means that w was still waiting and this call ended that; false, that
 * its time was over.  wait_sleep() gives 0 exactly if a wait_wake() gave true.
 */
#ifndef SCHED_WAIT_H
#define SCHED_WAIT_H

#include "sched/sched.h"

struct mete_waiter {
	struct mete_waiter *next;
	struct mete_waiter *prev;
	struct task *task; /* NULL: a foreign thread */
	uint64_t state;    /* task: which of its waits this is */
	struct a32 word;   /* thread: 0 waits, 1 woken, 2 given up */
	bool listed;
	uint64_t identity; /* free for the object waited for */
	void *object;
} __attribute__((aligned(16)));

void wait_prepare(struct mete_waiter *waiter);
/* It was not published after all. */
void wait_cancel(struct mete_waiter *waiter);
/* 0 or -ETIMEDOUT. */
int wait_sleep(struct mete_waiter *waiter, uint64_t deadline_ns);
bool wait_wake(struct mete_waiter *waiter);
/* As wait_wake(), but a task is appended at `*tail` instead of being made
 * ready, for sched_ready_chain() after the lock is released. */
bool wait_take(struct mete_waiter *waiter, struct wakenode ***tail);
/* Sleep until the deadline, wakeable by nobody. */
void wait_until(uint64_t deadline_ns);

#endif

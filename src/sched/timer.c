/* SPDX-License-Identifier: Apache-2.0 */
/* The pairing heap of a CPU's timers. */
#include "sched/timer.h"

#include "sched/claim.h"

void timers_init(struct timers *timers)
{
	timers->root = NULL;
	/* relaxed: nobody else knows them yet */
	a64_store_relaxed(&timers->earliest, UINT64_MAX);
}

/* The root of two heaps: the earlier one, the other its first child. */
static struct timer *meld(struct timer *a, struct timer *b)
{
	if (!a || !b)
		return a ? a : b;
	if (b->deadline_ns < a->deadline_ns) {
		struct timer *swap = a;

		a = b;
		b = swap;
	}
	b->sibling = a->child;
	if (a->child)
		a->child->prev = b;
	b->prev = a;
	a->child = b;
	a->sibling = NULL;
	return a;
}

/* One heap of a list of siblings: pairs from the left, then all from the
 * right. */
static struct timer *meld_siblings(struct timer *first)
{
	struct timer *pairs = NULL;
	struct timer *root = NULL;

	while (first) {
		struct timer *second = first->sibling;
		struct timer *rest = second ? second->sibling : NULL;
		struct timer *pair;

		first->sibling = NULL;
		if (second)
			second->sibling = NULL;
		pair = meld(first, second);
		pair->sibling = pairs;
		pairs = pair;
		first = rest;
	}
	while (pairs) {
		struct timer *rest = pairs->sibling;

		pairs->sibling = NULL;
		root = meld(root, pairs);
		pairs = rest;
	}
	return root;
}

static void root_set(struct timers *timers, struct timer *root)
{
	uint64_t deadline = root ? root->deadline_ns : UINT64_MAX;

	timers->root = root;
	if (root)
		root->prev = root;
	/* relaxed: changes under the lock; too early a time costs a look */
	if (deadline >= a64_load_relaxed(&timers->earliest))
		a64_store_relaxed(&timers->earliest, deadline);
	else
		/* order: timer.set pairs timer.look, tick.cover: either the
		 * tick sees the timer or the adder, afterwards, that it
		 * sleeps; and who sees it can find it */
		a64_exchange_seq_cst(&timers->earliest, deadline);
}

static void take_out(struct timers *timers, struct timer *timer)
{
	struct timer *rest = meld_siblings(timer->child);

	if (timers->root == timer) {
		root_set(timers, rest);
	} else {
		if (timer->prev->child == timer)
			timer->prev->child = timer->sibling;
		else
			timer->prev->sibling = timer->sibling;
		if (timer->sibling)
			timer->sibling->prev = timer->prev;
		root_set(timers, meld(timers->root, rest));
	}
	timer->armed = false;
}

void timer_add(struct timers *timers, struct timer *timer)
{
	timer->home = timers;
	timer->child = NULL;
	timer->sibling = NULL;
	timer->armed = true;
	lock_acquire(&timers->lock, LOCK_TIMERS);
	root_set(timers, meld(timers->root, timer));
	lock_release(&timers->lock, LOCK_TIMERS);
}

void timer_remove(struct timer *timer)
{
	struct timers *timers = timer->home;

	lock_acquire(&timers->lock, LOCK_TIMERS);
	if (timer->armed)
		take_out(timers, timer);
	lock_release(&timers->lock, LOCK_TIMERS);
}

struct wakenode *timers_expire(struct timers *timers, uint64_t now_ns)
{
	struct wakenode *head = NULL;
	struct wakenode **tail = &head;

	if (timers_earliest(timers) > now_ns)
		return NULL;
	lock_acquire(&timers->lock, LOCK_TIMERS);
	while (timers->root && timers->root->deadline_ns <= now_ns) {
		struct timer *timer = timers->root;
		struct task *task = timer->task;
		uint64_t state = timer->state;

		take_out(timers, timer);
		/* After the claim the timer's stack may be gone. */
		if (!claim(task, state, TASK_LATE))
			continue;
		task->node.next = NULL;
		*tail = &task->node;
		tail = &task->node.next;
	}
	lock_release(&timers->lock, LOCK_TIMERS);
	return head;
}

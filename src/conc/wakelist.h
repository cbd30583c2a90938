/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The wake list: many producers, consumers that take all of it at once.
 *
 * An intrusive stack: a producer links its chain first and publishes it by one
 * compare-and-swap, so one that is stopped in the act hides nothing that is
 * older (a queue that exchanges first and links later would).  A taker takes the
 * whole stack by one exchange and turns it round: arrival order.
 *
 *                 push        take        empty
 * push     against nothing    nothing     nothing      (lock-free)
 * take     against nothing    nothing     nothing      (wait-free)
 *
 * Linearisation points: the successful compare-and-swap; the exchange.  There
 * is no ABA: entries are never popped singly.  A node belongs to the list from
 * push to take and must not be pushed twice in between.
 *
 * The push is also the first half of the parking pair (sched/parking.h): it must be
 * globally visible before its producer looks whether the owner sleeps.
 */
#ifndef CONC_WAKELIST_H
#define CONC_WAKELIST_H

#include <stddef.h>

#include "conc/atomic.h"

struct wakenode {
	struct wakenode *next;
};

struct wakelist {
	struct aptr head;
};

static inline void wakelist_push_chain(struct wakelist *list,
				       struct wakenode *newest,
				       struct wakenode *oldest)
{
	/* relaxed: the compare-and-swap below validates it */
	void *head = aptr_load_relaxed(&list->head);

	do {
		oldest->next = (struct wakenode *)head;
		/* order: wakelist.push pairs wakelist.take, park.publish,
		 * park.again: the node's contents reach the taker; and the
		 * entry is visible before the producer looks at 'parked' */
	} while (!aptr_cas_seq_cst(&list->head, &head, newest));
}

static inline void wakelist_push(struct wakelist *list, struct wakenode *node)
{
	wakelist_push_chain(list, node, node);
}

static inline bool wakelist_empty(const struct wakelist *list)
{
	/* relaxed: a hint; the owner looks again before it sleeps */
	return aptr_load_relaxed(&list->head) == NULL;
}

/* Everything, oldest first. */
static inline struct wakenode *wakelist_take(struct wakelist *list)
{
	/* order: wakelist.take pairs wakelist.push: the nodes' contents */
	struct wakenode *node =
		(struct wakenode *)aptr_exchange_acquire(&list->head, NULL);
	struct wakenode *oldest = NULL;

	while (node) {
		struct wakenode *next = node->next;

		node->next = oldest;
		oldest = node;
		node = next;
	}
	return oldest;
}

#endif

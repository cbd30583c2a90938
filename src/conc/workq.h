/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The work queue of a CPU: first-in first-out, one owner, any thieves.
 *
 * A ring with two counters that only grow.  The owner pushes at the tail by
 * plain stores and takes from the head by one compare-and-swap, the same one by
 * which a thief takes up to half of what is there.  Nobody ever waits: a thief
 * that is stopped between its look and its swap loses the swap, and an owner
 * that is stopped, or whose task never ends, leaves everything behind the head
 * to thieves.  (The protocol is that of the Go scheduler's run queue; growing
 * follows Chase and Lev, "Dynamic circular work-stealing deque", 2005.)
 *
 *              push          take           steal
 * owner        plain         plain or CAS   -
 * thief        -             -              CAS on head
 *
 * The swap is half of what a yield costs, and thieves are rare: as long as none
 * comes the owner takes by plain loads and stores (gate.h); a thief that finds
 * the owner in the act of that goes away and comes again.
 *
 * push is wait-free but for growing, take lock-free (a failed swap means that a
 * thief succeeded), steal lock-free and never retried here.
 * Linearisation points: the store of the tail; the successful swap of the head.
 *
 * Growth: the owner copies what is queued into a ring of twice the size and
 * publishes that.  Old rings stay as they were until the queue is destroyed, so
 * a thief that still reads one finds right entries or loses its swap.  All
 * rings lie in one region that is reserved when the queue is made and touched
 * only as far as it is used: pushing cannot fail.
 */
#ifndef CONC_WORKQ_H
#define CONC_WORKQ_H

#include <stddef.h>

#include "base/base.h"
#include "conc/atomic.h"
#include "conc/gate.h"

/* A ring; its slots follow it. */
struct workring {
	uint64_t mask; /* immutable */
	struct aptr slot[];
};

struct workq {
	/* owner and thieves */
	struct a64 head cache_aligned;
	/* owner writes, thieves read */
	struct a64 tail cache_aligned;
	struct aptr ring;
	struct gate gate;
	/* owner only */
	unsigned char *region;
	size_t region_bytes;
	size_t region_used;
};

/* Make a queue that can hold `capacity` entries.  0 or -ENOMEM. */
int workq_init(struct workq *queue, uint64_t capacity);
void workq_fini(struct workq *queue);

/* Owner only: continue in a ring of twice the size. */
struct workring *workq_grow(struct workq *queue, uint64_t head, uint64_t tail);

/* Anyone: how many are queued, as a hint. */
static inline uint64_t workq_length(const struct workq *queue)
{
	/* relaxed: a hint */
	uint64_t head = a64_load_relaxed(&queue->head);
	uint64_t tail = a64_load_relaxed(&queue->tail);

	return (int64_t)(tail - head) > 0 ? tail - head : 0;
}

/* Owner only. */
static inline void workq_push(struct workq *queue, void *entry)
{
	/* relaxed: the owner wrote tail and ring itself */
	struct workring *ring =
		(struct workring *)aptr_load_relaxed(&queue->ring);
	uint64_t tail = a64_own(&queue->tail);
	/* order: workq.room pairs workq.steal: a slot is filled
	 * again only after those who took it have read it */
	uint64_t head = a64_load_acquire(&queue->head);

	if (unlikely(tail - head > ring->mask))
		ring = workq_grow(queue, head, tail);
	/* relaxed: the tail publishes it */
	aptr_store_relaxed(&ring->slot[tail & ring->mask], entry);
	/* order: workq.push pairs workq.look: the slot and the entry's contents
	 * are there for who sees the tail */
	a64_store_release(&queue->tail, tail + 1);
}

/* Inside the gate.  A thief may have been there since we looked last. */
static always_inline void *workq_take_alone(struct workq *queue,
					    struct workring *ring)
{
	uint64_t head = a64_own(&queue->head);
	void *entry;

	if (unlikely(head == a64_own(&queue->tail)))
		return NULL;
	/* relaxed: written by the owner itself */
	entry = aptr_load_relaxed(&ring->slot[head & ring->mask]);
	a64_own_set(&queue->head, head + 1);
	return entry;
}

/* Owner only: the oldest, or NULL. */
static inline void *workq_take(struct workq *queue)
{
	/* relaxed: the owner wrote tail and ring itself; the swap validates
	 * head */
	struct workring *ring =
		(struct workring *)aptr_load_relaxed(&queue->ring);
	uint64_t tail = a64_own(&queue->tail);
	uint64_t head = a64_load_relaxed(&queue->head);
	void *taken;

	if (head != tail && likely(gate_own(&queue->gate))) {
		taken = workq_take_alone(queue, ring);
		gate_leave(&queue->gate);
		return taken;
	}
	while (head != tail) {
		/* relaxed: written by the owner itself */
		void *entry = aptr_load_relaxed(&ring->slot[head & ring->mask]);

		/* relaxed: against thieves one swap wins.  The owner alone
		 * fills slots, and reads what it filled; a swap continues
		 * the releases of the thieves before */
		if (likely(a64_cas_relaxed(&queue->head, &head, head + 1)))
			return entry;
	}
	return NULL;
}

/*
 * Thief: take the older half, rounded up, at most `most`, into `entries`.
 * Gives how many; 0 when there is nothing or the race was lost.
 */
size_t workq_steal(struct workq *queue, void **entries, size_t most);

#endif

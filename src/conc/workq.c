/* SPDX-License-Identifier: Apache-2.0 */
/* The work queue's rare parts: making, growing, stealing. */
#include "conc/workq.h"

#include <errno.h>

#include "os/mem.h"

#define FIRST_SLOTS 256

static size_t ring_bytes(uint64_t slots)
{
	size_t bytes = sizeof(struct workring) + slots * sizeof(struct aptr);

	return (bytes + CACHE_LINE - 1) & ~(size_t)(CACHE_LINE - 1);
}

static struct workring *ring_place(struct workq *queue, uint64_t slots)
{
	struct workring *ring = (void *)(queue->region + queue->region_used);

	queue->region_used += ring_bytes(slots);
	BUG_ON(queue->region_used > queue->region_bytes);
	ring->mask = slots - 1;
	return ring;
}

int workq_init(struct workq *queue, uint64_t capacity)
{
	size_t bytes = 0;
	uint64_t slots = FIRST_SLOTS;
	void *region;
	int error;

	/* All rings up to the one that holds everything. */
	for (;; slots *= 2) {
		bytes += ring_bytes(slots);
		if (slots > capacity)
			break;
	}
	error = os_map(bytes, &region);
	if (error)
		return error;
	queue->region = region;
	queue->region_bytes = bytes;
	queue->region_used = 0;
	gate_init(&queue->gate);
	/* relaxed: nobody else knows the queue yet */
	a64_store_relaxed(&queue->head, 0);
	a64_store_relaxed(&queue->tail, 0);
	aptr_store_relaxed(&queue->ring, ring_place(queue, FIRST_SLOTS));
	return 0;
}

void workq_fini(struct workq *queue)
{
	if (queue->region)
		os_unmap(queue->region, queue->region_bytes);
	queue->region = NULL;
}

struct workring *workq_grow(struct workq *queue, uint64_t head, uint64_t tail)
{
	/* relaxed: the owner's own */
	struct workring *old = aptr_load_relaxed(&queue->ring);
	struct workring *ring = ring_place(queue, 2 * (old->mask + 1));

	for (uint64_t i = head; i != tail; i++) {
		/* relaxed: the owner's own; the ring's store publishes them */
		void *entry = aptr_load_relaxed(&old->slot[i & old->mask]);

		/* relaxed: as above */
		aptr_store_relaxed(&ring->slot[i & ring->mask], entry);
	}
	/* order: workq.grow pairs workq.ring: the copied slots */
	aptr_store_release(&queue->ring, ring);
	return ring;
}

size_t workq_steal(struct workq *queue, void **entries, size_t most)
{
	/* relaxed: the swap below validates it; a tail that is older than it
	 * reads as nothing there */
	uint64_t head = a64_load_relaxed(&queue->head);
	/* order: workq.look pairs workq.push: the slots below it */
	uint64_t tail = a64_load_acquire(&queue->tail);
	/* order: workq.ring pairs workq.grow: the copied slots */
	struct workring *ring = aptr_load_acquire(&queue->ring);
	uint64_t count;

	if ((int64_t)(tail - head) <= 0 || !gate_visit(&queue->gate))
		return 0;
	count = (tail - head + 1) / 2;
	if (count > most)
		count = most;
	for (uint64_t i = 0; i < count; i++)
		/* relaxed: right if the swap below succeeds, unused if not */
		entries[i] =
			aptr_load_relaxed(&ring->slot[(head + i) & ring->mask]);
	/* order: workq.steal pairs workq.room: our reads of the slots come
	 * before their reuse.  What the entries hold came by workq.look */
	if (!a64_cas_release(&queue->head, &head, head + count))
		count = 0;
	gate_depart(&queue->gate);
	return count;
}

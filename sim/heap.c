/* SPDX-License-Identifier: Apache-2.0 */
/* A binary heap; see heap.h. */
#include "sim/heap.h"

#include <errno.h>
#include <stdlib.h>

#include "base/base.h"

static always_inline bool before(const struct sim_thread *a,
				 const struct sim_thread *b)
{
	return a->clock < b->clock ||
	       (a->clock == b->clock && a->number < b->number);
}

int heap_reserve(uint32_t count)
{
	struct sim_machine *m = &sim_machine;
	struct sim_thread **heap;
	uint32_t room = m->heap_room ? m->heap_room : 16;

	while (room < count)
		room *= 2;
	if (room == m->heap_room)
		return 0;
	heap = realloc(m->heap, room * sizeof(struct sim_thread *));
	if (!heap)
		return -ENOMEM;
	m->heap = heap;
	m->heap_room = room;
	return 0;
}

static always_inline void place(struct sim_thread *thread, uint32_t index)
{
	sim_machine.heap[index] = thread;
	thread->heap_index = index;
}

static void sift_up(struct sim_thread *thread, uint32_t index)
{
	struct sim_thread **heap = sim_machine.heap;

	while (index > 0) {
		uint32_t parent = (index - 1) / 2;

		if (!before(thread, heap[parent]))
			break;
		place(heap[parent], index);
		index = parent;
	}
	place(thread, index);
}

static void sift_down(struct sim_thread *thread, uint32_t index)
{
	struct sim_thread **heap = sim_machine.heap;
	uint32_t count = sim_machine.heap_count;

	while (2 * index + 1 < count) {
		uint32_t child = 2 * index + 1;

		if (child + 1 < count && before(heap[child + 1], heap[child]))
			child++;
		if (!before(heap[child], thread))
			break;
		place(heap[child], index);
		index = child;
	}
	place(thread, index);
}

void heap_insert(struct sim_thread *thread)
{
	sift_up(thread, sim_machine.heap_count++);
}

void heap_remove(struct sim_thread *thread)
{
	uint32_t index = thread->heap_index;
	struct sim_thread *last = sim_machine.heap[--sim_machine.heap_count];

	thread->heap_index = SIM_NOWHERE;
	if (last == thread)
		return;
	if (before(last, thread))
		sift_up(last, index);
	else
		sift_down(last, index);
}

struct sim_thread *heap_swap_first(struct sim_thread *thread)
{
	struct sim_thread *first = sim_machine.heap[0];

	first->heap_index = SIM_NOWHERE;
	sift_down(thread, 0);
	return first;
}

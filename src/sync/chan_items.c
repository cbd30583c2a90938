/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a channel keeps: one chunk that is a ring, or a list of chunks that grows
 * at its newest end.  One chunk that was emptied is kept, so that a channel that
 * is filled and emptied again allocates nothing.
 */

#include "os/mem.h"
#include "sync/chan.h"

#define CHUNK_BYTES ((size_t)4096)
#define CHUNK_LEAST ((size_t)8) /* items */

static size_t chunk_bytes(const struct chan *chan)
{
	size_t items =
		(CHUNK_BYTES - sizeof(struct chan_chunk)) / chan->item_bytes;

	if (chan->capacity != CHAN_UNBOUNDED)
		return chan->capacity * chan->item_bytes;
	return (items < CHUNK_LEAST ? CHUNK_LEAST : items) * chan->item_bytes;
}

static struct chan_chunk *new_chunk(const struct chan *chan)
{
	return os_alloc(sizeof(struct chan_chunk) + chunk_bytes(chan));
}

static void put_into(struct chan *chan, struct chan_chunk *chunk)
{
	chan->newest = chunk;
	chan->put = chunk->items;
	chan->put_end = chunk->items + chunk_bytes(chan);
}

static void take_from(struct chan *chan, struct chan_chunk *chunk)
{
	chan->oldest = chunk;
	chan->take = chunk->items;
	chan->take_end = chunk->items + chunk_bytes(chan);
}

char *chan_next_put(struct chan *chan)
{
	struct chan_chunk *chunk = chan->spare;

	if (chan->capacity != CHAN_UNBOUNDED)
		return chan->newest->items;
	if (!chunk)
		chunk = new_chunk(chan);
	if (!chunk)
		return NULL;
	chan->spare = NULL;
	chunk->next = NULL;
	if (chan->newest)
		chan->newest->next = chunk;
	else
		take_from(chan, chunk);
	put_into(chan, chunk);
	return chan->put;
}

char *chan_next_take(struct chan *chan)
{
	struct chan_chunk *empty = chan->oldest;

	if (chan->capacity != CHAN_UNBOUNDED)
		return empty->items;
	take_from(chan, empty->next);
	os_free(chan->spare);
	chan->spare = empty;
	return chan->take;
}

static bool is_too_much(size_t item_bytes, size_t capacity)
{
	size_t bytes;

	if (capacity == METE_CHAN_UNBOUNDED)
		capacity = CHUNK_LEAST;
	return (uint64_t)capacity >= CHAN_UNBOUNDED ||
	       __builtin_mul_overflow(item_bytes, capacity, &bytes) ||
	       __builtin_add_overflow(bytes, CHUNK_BYTES, &bytes);
}

int mete_chan_init(struct mete_chan *chan, size_t item_bytes, size_t capacity)
{
	struct chan made = {.item_bytes = item_bytes};

	if (is_too_much(item_bytes, capacity))
		return -EINVAL;
	made.capacity =
		capacity == METE_CHAN_UNBOUNDED ? CHAN_UNBOUNDED : capacity;
	if (!item_bytes) {
		/* Anywhere but at an end. */
		made.put = (char *)chan;
		made.take = (char *)chan;
	} else if (capacity && made.capacity != CHAN_UNBOUNDED) {
		struct chan_chunk *ring = new_chunk(&made);

		if (!ring)
			return -ENOMEM;
		take_from(&made, ring);
		put_into(&made, ring);
	}
	*chan_of(chan) = made;
	return 0;
}

static void free_all(struct chan *chan)
{
	struct chan_chunk *chunk = chan->oldest;

	os_free(chan->spare);
	while (chunk) {
		struct chan_chunk *next = chunk->next;

		os_free(chunk);
		chunk = next;
	}
}

int mete_chan_fini(struct mete_chan *chan)
{
	struct chan *mine = chan_of(chan);
	struct chan none = {.word = {CHAN_CLOSED},
			    .item_bytes = mine->item_bytes};

	/* order: chan.fini pairs chan.leave, bias.swap: the last call is done */
	if (a64_load_acquire(&mine->word) & CHAN_WAITED)
		return -EBUSY;
	free_all(mine);
	*mine = none;
	return 0;
}

size_t mete_chan_length(const struct mete_chan *chan)
{
	const struct a64 *length = (const void *)&chan->length;

	/* relaxed: old as soon as it is known */
	return (size_t)a64_load_relaxed(length);
}

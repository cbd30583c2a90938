/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Channels, without a lock: the protocol of units.h, with requests for units.
 *
 * One word says all that the fast paths need.  Nobody waits:
 *
 *	CLOSED | items in the buffer << 4
 *
 * Somebody waits, or has the turn:
 *
 *	CLOSED | newest arrival | flags | 1
 *
 *	RECV_ONLY   the arrival is the one who waits, to receive, no select, no
 *	SEND_ONLY   deadline; the same, to send
 *	BUSY        somebody has the turn
 *
 * A request says what is to be sent or received, and stands on the stack of
 * whoever waits for it (or in a case of a select).  Whoever has the turn alone
 * touches the buffer and the lists.  It brings requests together: its own, and
 * those of others who came meanwhile and put themselves into the word by one
 * swap, to sleep until they are answered.  So nobody waits for the turn awake,
 * and who has it never waits.
 *
 *	     fast path           has the turn      another has it
 * send,     1 swap to ONLY;     2 swaps           1 swap, sleeps
 * receive   1 swap from ONLY;
 *           2 swaps and the
 *           buffer
 * close     -                   2 swaps           1 swap
 * withdraw  -                   2 swaps           1 swap, sleeps
 *
 * Laws, while nobody has the turn, about those in the lists whose wait is not
 * over:
 *
 *	who waits to receive    finds the buffer empty
 *	who waits to send       finds it full
 *	both at once            is a select, which does not meet itself
 *	nobody                  waits when it is closed
 *
 * Bringing two together.  A wait that has a deadline, or is a select's, may be
 * over at any moment: it is claimed by a swap of its state, which can fail.  Of
 * two such, the one at the lower address is claimed first; if then the other is
 * lost, the first is told AGAIN: it wakes up and makes its request anew, at the
 * head of the list.  (To take a claim back from afar is not possible: a timer
 * may have fired and lost.)  In the order of addresses no two selects can
 * take each other's partner for ever.  An ONLY wait cannot be lost.
 *
 * The item is copied after both claims, and both are made ready after the turn
 * was given away, so the channel may go as soon as its last request was
 * answered.
 *
 * Linearisation: the swap that gives the turn away; for an ONLY, the swap that
 * takes it out of the word.
 */
#ifndef SYNC_CHAN_H
#define SYNC_CHAN_H

#include <errno.h>
#include <string.h>

#include <mete/chan.h>

#include "sched/wait.h"
#include "sync/bias.h"

enum {
	CHAN_WAITED = 1,
	CHAN_BUSY = 2,
	CHAN_RECV_ONLY = 4,
	CHAN_SEND_ONLY = 8,
};

#define CHAN_SHIFT   4 /* of the items */
#define CHAN_CLOSED  (UINT64_C(1) << 48)
#define CHAN_ADDRESS (CHAN_CLOSED - 16)

/* The capacity of one that grows; more than the word can count. */
#define CHAN_UNBOUNDED ((UINT64_C(1) << 44) - 1)

/* Results that nobody outside sees. */
enum {
	CHAN_PENDING = 1,
	CHAN_AGAIN = 2,
};

struct chan_request {
	struct chan_request *next; /* in the word: who came before */
	struct chan_request *prev;
	struct mete_waiter *waiter;  /* NULL: who has the turn, awake */
	struct chan_request *leaver; /* not a request, but to take this out */
	void *item;                  /* only read, where it is sent */
	int result;
	bool sends;
	bool listed;
	bool tries; /* never to be listed */
	bool again; /* was first in the list before */
} __attribute__((aligned(16)));

struct chan_list {
	struct chan_request *head;
	struct chan_request *tail;
};

struct chan_chunk {
	struct chan_chunk *next;
	char items[];
};

struct chan {
	struct a64 word;
	struct a64 length; /* items in the buffer; under the turn */
	/* immutable */
	uint64_t capacity;
	size_t item_bytes;
	/* under the turn: where the next item goes and the oldest is, each with
	 * the end of its chunk, beyond which chan_items.c looks further */
	char *put;
	char *put_end;
	char *take;
	char *take_end;
	struct chan_chunk *newest;
	struct chan_chunk *oldest;
	struct chan_chunk *spare;
	struct chan_list waiting[2]; /* to receive, to send */
};

static inline struct chan *chan_of(struct mete_chan *chan)
{
	_Static_assert(sizeof(struct chan) == sizeof(struct mete_chan),
		       "the public channel");
	return (struct chan *)(void *)chan;
}

static inline struct chan_request *chan_newest(uint64_t word)
{
	return (struct chan_request *)(uintptr_t)(word & CHAN_ADDRESS);
}

static always_inline void chan_copy(void *to, const void *from, size_t bytes)
{
	if (likely(bytes == sizeof(uint64_t)))
		memcpy(to, from, sizeof(uint64_t));
	else if (bytes)
		memcpy(to, from, bytes);
}

/* Under the turn: the buffer has room, or an item. */

/* The first byte of the next chunk, or NULL where memory was refused. */
char *chan_next_put(struct chan *chan);
char *chan_next_take(struct chan *chan);

/* 0, -ENOMEM. */
static always_inline int chan_put(struct chan *chan, const void *item)
{
	char *at = chan->put;

	if (unlikely(at == chan->put_end)) {
		at = chan_next_put(chan);
		if (!at)
			return -ENOMEM;
	}
	chan_copy(at, item, chan->item_bytes);
	chan->put = at + chan->item_bytes;
	a64_own_add(&chan->length, 1);
	return 0;
}

static always_inline void chan_take(struct chan *chan, void *item)
{
	char *at = chan->take;

	if (unlikely(at == chan->take_end))
		at = chan_next_take(chan);
	chan_copy(item, at, chan->item_bytes);
	chan->take = at + chan->item_bytes;
	a64_own_add(&chan->length, (uint64_t)-1);
}

/* Who has the turn: chan_turn.c. */
struct chan_turn {
	struct chan *chan;
	bool closed;
	struct wait_woken woken;
};

/* Nobody had the turn when `word` was read: take it; false: it has changed. */
bool chan_turn_take(struct chan_turn *turn, struct chan *chan, uint64_t *word,
		    uint64_t flags);
/* Answer a request now, if it is possible: true when it is over. */
bool chan_turn_serve(struct chan_turn *turn, struct chan_request *request);
void chan_turn_list(struct chan_turn *turn, struct chan_request *request);
void chan_turn_unlist(struct chan_turn *turn, struct chan_request *request);
/* Answer those who came meanwhile, give the turn away, make ready who was
 * answered. */
void chan_turn_end(struct chan_turn *turn);
/* The same after a fast path. */
void chan_turn_end_fast(struct chan *chan);

/* One request, from its beginning to its end: chan_request.c. */
int chan_request(struct chan *chan, struct chan_request *request,
		 uint64_t deadline_ns);
/* A request of a waiter that has others as well: it stands, or was answered. */
void chan_stand(struct chan *chan, struct chan_request *request);
/* After the wait, where the request was not answered. */
void chan_withdraw(struct chan *chan, struct chan_request *request);
/* Only where the turn is free: -ETIMEDOUT: not possible or not free. */
int chan_attempt(struct chan *chan, struct chan_request *request);

#endif

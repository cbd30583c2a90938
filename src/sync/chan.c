/* SPDX-License-Identifier: Apache-2.0 */
/* The fast paths of a channel, inline: see chan.h. */
#include "sync/chan.h"

/* Nobody waits, and the only thing to do is to wait: by one swap. */
static always_inline int wait_only(struct chan *chan,
				   struct chan_request *request,
				   struct mete_waiter *waiter, uint64_t word,
				   uint64_t only)
{
	wait_prepare(waiter, WAIT_CHANNEL, chan, METE_FOREVER);
	request->waiter = waiter;
	/* One that may be cancelled is not the right of one alone. */
	if (unlikely(waiter->timed) ||
	    unlikely(!bias_swap(&chan->word, &word,
				(uintptr_t)request | CHAN_WAITED | only))) {
		wait_cancel(waiter);
		return chan_request(chan, request, METE_FOREVER);
	}
	wait_sleep(waiter, METE_FOREVER);
	return request->result;
}

/* Give the turn away, where nobody has come. */
static always_inline void leave(struct chan *chan)
{
	uint64_t word = CHAN_WAITED | CHAN_BUSY;

	if (unlikely(!bias_swap(&chan->word, &word,
				a64_own(&chan->length) << CHAN_SHIFT)))
		chan_turn_end_fast(chan);
}

/* Take the turn, if nobody waits, and leave its word behind when it did not
 * succeed. */
static always_inline bool enter(struct chan *chan, uint64_t *word)
{
	return bias_swap(&chan->word, word, CHAN_WAITED | CHAN_BUSY);
}

static __attribute__((noinline)) int send_slow(struct chan *chan,
					       const void *item,
					       uint64_t deadline_ns)
{
	struct chan_request request = {
		/* It is only read. */
		.item = (void *)(uintptr_t)item,
		.sends = true,
	};
	struct mete_waiter waiter;
	/* relaxed: the swap validates it */
	uint64_t word = a64_load_relaxed(&chan->word);

	if (word == chan->capacity << CHAN_SHIFT && deadline_ns == METE_FOREVER)
		return wait_only(chan, &request, &waiter, word, CHAN_SEND_ONLY);
	return chan_request(chan, &request, deadline_ns);
}

int mete_chan_send(struct mete_chan *chan, const void *item,
		   uint64_t deadline_ns)
{
	struct chan *mine = chan_of(chan);
	/* relaxed: the swap validates it */
	uint64_t word = a64_load_relaxed(&mine->word);

	if (word & CHAN_RECV_ONLY) {
		struct chan_request *receiver = chan_newest(word);

		if (likely(bias_swap(&mine->word, &word, 0))) {
			chan_copy(receiver->item, item, mine->item_bytes);
			receiver->result = 0;
			wait_wake(receiver->waiter);
			return 0;
		}
	} else if (!(word & (CHAN_WAITED | CHAN_CLOSED)) &&
		   word >> CHAN_SHIFT < mine->capacity &&
		   likely(enter(mine, &word))) {
		int result = chan_put(mine, item);

		leave(mine);
		return result;
	}
	return send_slow(mine, item, deadline_ns);
}

static __attribute__((noinline)) int recv_slow(struct chan *chan,
					       void *ret_item,
					       uint64_t deadline_ns)
{
	struct chan_request request = {.item = ret_item};
	struct mete_waiter waiter;
	/* relaxed: the swap validates it */
	uint64_t word = a64_load_relaxed(&chan->word);

	if (!word && deadline_ns == METE_FOREVER)
		return wait_only(chan, &request, &waiter, word, CHAN_RECV_ONLY);
	return chan_request(chan, &request, deadline_ns);
}

int mete_chan_recv(struct mete_chan *chan, void *ret_item, uint64_t deadline_ns)
{
	struct chan *mine = chan_of(chan);
	/* relaxed: the swap validates it */
	uint64_t word = a64_load_relaxed(&mine->word);

	if (word & CHAN_SEND_ONLY) {
		struct chan_request *sender = chan_newest(word);

		if (likely(!mine->capacity) &&
		    likely(bias_swap(&mine->word, &word, 0))) {
			chan_copy(ret_item, sender->item, mine->item_bytes);
			sender->result = 0;
			wait_wake(sender->waiter);
			return 0;
		}
	} else if (word && !(word & (CHAN_WAITED | CHAN_CLOSED)) &&
		   likely(enter(mine, &word))) {
		chan_take(mine, ret_item);
		leave(mine);
		return 0;
	}
	return recv_slow(mine, ret_item, deadline_ns);
}

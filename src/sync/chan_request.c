/* SPDX-License-Identifier: Apache-2.0 */
/* A request from its beginning to its end: see chan.h. */

#include "sync/chan.h"

/* Somebody has the turn: leave it the request.  False: the word has changed. */
static bool arrive(struct chan *chan, struct chan_request *request,
		   uint64_t *word)
{
	request->next = chan_newest(*word);
	/* order: chan.arrive pairs chan.collect: the request's contents */
	return a64_guest_cas_release(&chan->word, word,
				     (uintptr_t)request |
					     (*word & ~CHAN_ADDRESS));
}

/* The turn is ours: true when the request is over, else it is listed. */
static bool serve_or_list(struct chan_turn *turn, struct chan_request *request,
			  struct mete_waiter *waiter, uint64_t deadline_ns)
{
	if (chan_turn_serve(turn, request))
		return true;
	request->result = -ETIMEDOUT;
	if (request->tries)
		return true;
	wait_prepare(waiter, WAIT_CHANNEL, turn->chan, deadline_ns);
	request->waiter = waiter;
	chan_turn_list(turn, request);
	return false;
}

/* True when the request is over; else the waiter is to sleep. */
static bool begin(struct chan *chan, struct chan_request *request,
		  struct mete_waiter *waiter, uint64_t deadline_ns)
{
	struct chan_turn turn;
	uint64_t word;
	bool over;

	request->waiter = NULL;
	request->listed = false;
	/* relaxed: a swap validates it */
	word = a64_load_relaxed(&chan->word);
	while (true) {
		if (!(word & CHAN_BUSY)) {
			/* May switch, so not in the turn. */
			if (request->waiter)
				wait_cancel(waiter);
			request->waiter = NULL;
			if (!chan_turn_take(&turn, chan, &word, 0))
				continue;
			over = serve_or_list(&turn, request, waiter,
					     deadline_ns);
			chan_turn_end(&turn);
			return over;
		}
		if (!request->waiter) {
			wait_prepare(waiter, WAIT_CHANNEL, chan, deadline_ns);
			request->waiter = waiter;
		}
		if (arrive(chan, request, &word))
			return false;
	}
}

int chan_request(struct chan *chan, struct chan_request *request,
		 uint64_t deadline_ns)
{
	struct mete_waiter waiter;

	request->tries = !deadline_ns;
	request->again = false;
	if (!deadline_ns)
		deadline_ns = METE_FOREVER;
	while (true) {
		if (begin(chan, request, &waiter, deadline_ns))
			return request->result;
		if (wait_sleep(&waiter, deadline_ns)) {
			chan_withdraw(chan, request);
			wait_cancel_point();
			return -ETIMEDOUT;
		}
		if (request->result != CHAN_AGAIN)
			return request->result;
		request->again = true;
	}
}

void chan_stand(struct chan *chan, struct chan_request *request)
{
	struct chan_turn turn;
	uint64_t word;

	/* relaxed: a swap validates it */
	word = a64_load_relaxed(&chan->word);
	while (word & CHAN_BUSY ? !arrive(chan, request, &word)
				: !chan_turn_take(&turn, chan, &word, 0))
		;
	if (word & CHAN_BUSY)
		return;
	if (!chan_turn_serve(&turn, request))
		chan_turn_list(&turn, request);
	chan_turn_end(&turn);
}

/* Would it have to wait, whoever asks? */
static bool is_hopeless(const struct chan *chan, bool sends, uint64_t word)
{
	if (word & CHAN_WAITED)
		return word & (sends ? CHAN_SEND_ONLY : CHAN_RECV_ONLY);
	return !(word & CHAN_CLOSED) &&
	       word >> CHAN_SHIFT == (sends ? chan->capacity : 0);
}

int chan_attempt(struct chan *chan, struct chan_request *request)
{
	struct chan_turn turn;
	uint64_t word;

	request->waiter = NULL;
	/* relaxed: a swap validates it, or nothing comes of it */
	word = a64_load_relaxed(&chan->word);
	do {
		if (word & CHAN_BUSY || is_hopeless(chan, request->sends, word))
			return -ETIMEDOUT;
	} while (!chan_turn_take(&turn, chan, &word, 0));
	if (!chan_turn_serve(&turn, request))
		request->result = -ETIMEDOUT;
	chan_turn_end(&turn);
	return request->result;
}

/* Somebody else has the turn: have the request taken out.  False: not any
 * more. */
static bool send_wish(struct chan *chan, struct chan_request *leaver)
{
	struct mete_waiter waiter;
	struct chan_request wish = {.leaver = leaver, .waiter = &waiter};
	/* relaxed: the swap validates it */
	uint64_t word = a64_load_relaxed(&chan->word);

	/* Not to be cancelled. */
	wait_prepare(&waiter, WAIT_OTHER, chan, METE_FOREVER);
	while (word & CHAN_BUSY) {
		wish.next = chan_newest(word);
		/* order: chan.wish pairs chan.collect: the wish's contents */
		if (a64_guest_cas_release(&chan->word, &word,
					  (uintptr_t)&wish |
						  (word & ~CHAN_ADDRESS))) {
			wait_sleep(&waiter, METE_FOREVER);
			return true;
		}
	}
	wait_cancel(&waiter);
	return false;
}

void chan_withdraw(struct chan *chan, struct chan_request *request)
{
	struct chan_turn turn;

	while (true) {
		/* order: chan.gone pairs chan.leave: the turn that took it out
		 * is over */
		uint64_t word = a64_load_acquire(&chan->word);

		if (!(word & CHAN_WAITED))
			return;
		if (word & CHAN_BUSY) {
			if (send_wish(chan, request))
				return;
		} else if (chan_turn_take(&turn, chan, &word, 0)) {
			chan_turn_unlist(&turn, request);
			chan_turn_end(&turn);
			return;
		}
	}
}

int mete_chan_close(struct mete_chan *chan)
{
	struct chan *mine = chan_of(chan);
	struct chan_turn turn;
	uint64_t word;

	/* relaxed: the swap validates it */
	word = a64_load_relaxed(&mine->word);
	while (!(word & CHAN_CLOSED)) {
		if (word & CHAN_BUSY) {
			/* order: chan.shut pairs chan.collect: what was done
			 * before */
			if (a64_guest_cas_release(&mine->word, &word,
						  word | CHAN_CLOSED))
				return 0;
		} else if (chan_turn_take(&turn, mine, &word, CHAN_CLOSED)) {
			chan_turn_end(&turn);
			return 0;
		}
	}
	return -EPIPE;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Who has the turn of a channel brings requests together: see chan.h. */

#include "sync/chan.h"

static struct chan_list *list_of(struct chan_turn *turn, bool sends)
{
	return &turn->chan->waiting[sends];
}

void chan_turn_list(struct chan_turn *turn, struct chan_request *request)
{
	struct chan_list *list = list_of(turn, request->sends);
	struct chan_request *after = request->again ? NULL : list->tail;
	struct chan_request *before = request->again ? list->head : NULL;

	request->prev = after;
	request->next = before;
	request->listed = true;
	*(after ? &after->next : &list->head) = request;
	*(before ? &before->prev : &list->tail) = request;
}

void chan_turn_unlist(struct chan_turn *turn, struct chan_request *request)
{
	struct chan_list *list = list_of(turn, request->sends);
	struct chan_request *prev = request->prev;
	struct chan_request *next = request->next;

	if (!request->listed)
		return;
	*(prev ? &prev->next : &list->head) = next;
	*(next ? &next->prev : &list->tail) = prev;
	request->listed = false;
}

/* False: its wait was over.  Then it is not ours to answer. */
static bool claim_request(struct chan_turn *turn, struct chan_request *request)
{
	return !request->waiter || wait_take(request->waiter, &turn->woken);
}

static bool lasts(const struct chan_request *request)
{
	return !request->waiter || wait_lasts(request->waiter);
}

static bool can_be_lost(const struct chan_request *request)
{
	return request->waiter && request->waiter->timed;
}

static void answer(struct chan_turn *turn, struct chan_request *request,
		   int result)
{
	if (claim_request(turn, request))
		request->result = result;
}

static bool is_first(const struct chan_request *request,
		     const struct chan_request *than)
{
	if (!can_be_lost(request))
		return false;
	return !can_be_lost(than) || request->waiter < than->waiter;
}

/* Claim both: 0; CHAN_AGAIN: the listed one was lost, and another will do;
 * CHAN_PENDING: there is no more to be done. */
static int claim_both(struct chan_turn *turn, struct chan_request *request,
		      struct chan_request *listed)
{
	if (is_first(listed, request)) {
		chan_turn_unlist(turn, listed);
		if (!claim_request(turn, listed))
			return CHAN_AGAIN;
		if (claim_request(turn, request))
			return 0;
		listed->result = CHAN_AGAIN;
		return CHAN_PENDING;
	}
	if (!claim_request(turn, request))
		return CHAN_PENDING;
	chan_turn_unlist(turn, listed);
	if (claim_request(turn, listed))
		return 0;
	request->result = CHAN_AGAIN;
	return CHAN_PENDING;
}

static void hand_over(struct chan_turn *turn, struct chan_request *request,
		      struct chan_request *listed)
{
	size_t bytes = turn->chan->item_bytes;

	if (request->sends)
		chan_copy(listed->item, request->item, bytes);
	else
		chan_copy(request->item, listed->item, bytes);
	listed->result = 0;
	request->result = 0;
}

/* Bring it together with the oldest who waits for one like it: true when it is
 * over. */
static bool pair(struct chan_turn *turn, struct chan_request *request)
{
	struct chan_request *listed = list_of(turn, !request->sends)->head;

	while (listed) {
		struct chan_request *next = listed->next;

		if (!lasts(listed)) {
			chan_turn_unlist(turn, listed);
		} else if (!request->waiter ||
			   request->waiter != listed->waiter) {
			int lost = claim_both(turn, request, listed);

			if (!lost)
				hand_over(turn, request, listed);
			if (lost != CHAN_AGAIN)
				return true;
		}
		listed = next;
	}
	return false;
}

static bool is_full(const struct chan *chan)
{
	return a64_own(&chan->length) >= chan->capacity;
}

/* There is room: senders that wait fill it. */
static void refill(struct chan_turn *turn)
{
	struct chan_list *senders = list_of(turn, true);

	while (senders->head && !is_full(turn->chan)) {
		struct chan_request *oldest = senders->head;

		chan_turn_unlist(turn, oldest);
		if (claim_request(turn, oldest))
			oldest->result = chan_put(turn->chan, oldest->item);
	}
}

static bool serve_receiver(struct chan_turn *turn, struct chan_request *request)
{
	struct chan *chan = turn->chan;

	if (a64_own(&chan->length)) {
		if (claim_request(turn, request)) {
			chan_take(chan, request->item);
			request->result = 0;
			refill(turn);
		}
		return true;
	}
	if (pair(turn, request))
		return true;
	if (turn->closed)
		answer(turn, request, -EPIPE);
	return turn->closed;
}

static bool serve_sender(struct chan_turn *turn, struct chan_request *request)
{
	struct chan *chan = turn->chan;

	if (turn->closed) {
		answer(turn, request, -EPIPE);
		return true;
	}
	if (pair(turn, request))
		return true;
	if (is_full(chan))
		return false;
	if (claim_request(turn, request))
		request->result = chan_put(chan, request->item);
	return true;
}

bool chan_turn_serve(struct chan_turn *turn, struct chan_request *request)
{
	return request->sends ? serve_sender(turn, request)
			      : serve_receiver(turn, request);
}

static void admit_one(struct chan_turn *turn, struct chan_request *arrival)
{
	if (arrival->leaver) {
		chan_turn_unlist(turn, arrival->leaver);
		answer(turn, arrival, 0);
	} else if (lasts(arrival) && !chan_turn_serve(turn, arrival)) {
		if (arrival->tries)
			answer(turn, arrival, -ETIMEDOUT);
		else
			chan_turn_list(turn, arrival);
	}
}

/* Arrivals, newest first, are answered or listed, oldest first. */
static void admit(struct chan_turn *turn, struct chan_request *arrival)
{
	struct chan_request *oldest = NULL;

	while (arrival) {
		struct chan_request *next = arrival->next;

		arrival->next = oldest;
		oldest = arrival;
		arrival = next;
	}
	while (oldest) {
		struct chan_request *next = oldest->next;

		admit_one(turn, oldest);
		oldest = next;
	}
}

/* What the word says of a close is done before its arrivals: one of those may
 * have come after it. */
static void take_over(struct chan_turn *turn, uint64_t word)
{
	if (word & CHAN_CLOSED && !turn->closed) {
		turn->closed = true;
		for (int sends = 0; sends < 2; sends++) {
			struct chan_list *list = list_of(turn, sends);

			while (list->head) {
				struct chan_request *oldest = list->head;

				chan_turn_unlist(turn, oldest);
				answer(turn, oldest, -EPIPE);
			}
		}
	}
	if (word & CHAN_WAITED)
		admit(turn, chan_newest(word));
}

bool chan_turn_take(struct chan_turn *turn, struct chan *chan, uint64_t *word,
		    uint64_t flags)
{
	uint64_t found = *word;

	/* order: chan.turn pairs chan.leave, bias.swap: the lists and the
	 * buffer, the contents of an arrival */
	if (!a64_guest_cas_acquire(&chan->word, word,
				   CHAN_WAITED | CHAN_BUSY |
					   ((found | flags) & CHAN_CLOSED)))
		return false;
	turn->chan = chan;
	turn->closed = false;
	wait_woken_init(&turn->woken);
	take_over(turn, found | flags);
	return true;
}

/* Is there something that who has the turn does not know? */
static bool is_news(const struct chan_turn *turn, uint64_t word)
{
	return word & CHAN_ADDRESS || (word & CHAN_CLOSED && !turn->closed);
}

static void collect(struct chan_turn *turn)
{
	struct a64 *word = &turn->chan->word;
	/* relaxed: the swap validates it */
	uint64_t found = a64_load_relaxed(word);

	/* order: chan.collect pairs chan.arrive, chan.wish, chan.shut: the
	 * arrivals' contents, what was done before the close */
	while (!a64_guest_cas_acquire(
		word, &found, CHAN_WAITED | CHAN_BUSY | (found & CHAN_CLOSED)))
		;
	take_over(turn, found);
}

/* False: something new has come. */
static bool leave(struct chan_turn *turn)
{
	struct chan *chan = turn->chan;
	/* relaxed: the swap validates it */
	uint64_t word = a64_load_relaxed(&chan->word);
	uint64_t to = a64_own(&chan->length) << CHAN_SHIFT;

	if (chan->waiting[0].head || chan->waiting[1].head)
		to = CHAN_WAITED;
	if (turn->closed)
		to |= CHAN_CLOSED;
	while (!is_news(turn, word))
		/* order: chan.leave pairs chan.turn, chan.gone, chan.fini,
		 * bias.swap: the lists and the buffer */
		if (a64_guest_cas_release(&chan->word, &word, to))
			return true;
	return false;
}

void chan_turn_end(struct chan_turn *turn)
{
	while (!leave(turn))
		collect(turn);
	wait_release(&turn->woken);
}

void chan_turn_end_fast(struct chan *chan)
{
	struct chan_turn turn = {.chan = chan};

	wait_woken_init(&turn.woken);
	chan_turn_end(&turn);
}

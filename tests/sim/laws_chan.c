/* SPDX-License-Identifier: Apache-2.0 */
/* The laws of channels, while nobody has the turn: see sync/chan.h. */
#include "laws.h"
#include "sim/sim.h"
#include "sync/chan.h"

/* More than all requests of a storm. */
#define MOST 10000

static void has_an_end(const struct chan_list *list)
{
	const struct chan_request *request = list->head;

	for (unsigned i = 0; request; request = request->next)
		if (++i > MOST)
			sim_fail("law: the list of a channel has no end");
}

static const struct chan_request *oldest_of(const struct chan_list *list)
{
	const struct chan_request *request = list->head;

	while (request && !wait_lasts(request->waiter))
		request = request->next;
	return request;
}

/* Two that wait for each other, and are not one select. */
static bool can_meet(const struct chan *chan)
{
	const struct chan_request *one = chan->waiting[0].head;

	for (; one; one = one->next) {
		const struct chan_request *other = chan->waiting[1].head;

		if (!wait_lasts(one->waiter))
			continue;
		for (; other; other = other->next)
			if (other->waiter != one->waiter &&
			    wait_lasts(other->waiter))
				return true;
	}
	return false;
}

void laws_chan(const struct mete_chan *public)
{
	const struct chan *chan = (const void *)public;
	uint64_t word = chan->word.value;
	uint64_t length = chan->length.value;
	bool receives;
	bool sends;

	if (!(word & CHAN_WAITED) || word & CHAN_BUSY)
		return;
	has_an_end(&chan->waiting[0]);
	has_an_end(&chan->waiting[1]);
	receives = word & CHAN_RECV_ONLY || oldest_of(&chan->waiting[0]);
	sends = word & CHAN_SEND_ONLY || oldest_of(&chan->waiting[1]);
	if ((receives || sends) && word & CHAN_CLOSED)
		sim_fail("law: somebody waits for a channel that is closed");
	if (receives && length)
		sim_fail("law: a receiver waits, and there is an item");
	if (sends && length < chan->capacity)
		sim_fail("law: a sender waits, and there is room");
	if (can_meet(chan))
		sim_fail("law: a sender and a receiver wait side by side");
}

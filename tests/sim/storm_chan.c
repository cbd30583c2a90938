/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ops on channels.
 *
 * Every item is somebody's, with a number.  Nobody receives what was received
 * before, nor an older item of one sender after a younger one from the same
 * channel; in the end what was sent was received, and nothing else.
 */
#include <errno.h>

#include "storm_ops.h"

/* Numbers of shared channels come first. */
#define CASES 4

static uint64_t check_of(const struct storm_item *item)
{
	return (item->actor * UINT64_C(512) + item->number) *
	       UINT64_C(0x9e3779b97f4a7c15);
}

static struct storm_item make_item(struct storm_actor *actor)
{
	struct storm_item item = {actor->number, ++actor->items, 0};

	if (item.number >= STORM_ITEMS)
		sim_fail("actor %u makes too many items", actor->number);
	item.check = check_of(&item);
	return item;
}

static struct storm_fate *fate_of(const struct storm_item *item)
{
	if (item->actor >= STORM_ACTORS || item->number >= STORM_ITEMS ||
	    item->check != check_of(item))
		sim_fail("law: an item that nobody has sent");
	return &storm.fate[item->actor][item->number];
}

static void was_received(struct storm_actor *actor, unsigned chan,
			 const struct storm_item *item)
{
	unsigned *last = &actor->last[chan][item->actor];
	struct storm_fate *fate = fate_of(item);

	if (fate->received)
		sim_fail("law: item %u of actor %u is received twice",
			 item->number, item->actor);
	fate->received = true;
	if (item->number <= *last)
		sim_fail("law: item %u of actor %u comes after %u",
			 item->number, item->actor, *last);
	*last = item->number;
}

/* A third of those with a deadline only try. */
static uint64_t deadline_of(struct storm_actor *actor, unsigned at)
{
	return storm_draw(&actor->random, 3) ? storm_soon(&actor->ops[at]) : 0;
}

static void may_end(struct storm_actor *actor, unsigned at, int rc,
		    uint64_t deadline)
{
	EXPECT(!rc || (rc == -ETIMEDOUT && sim_now_ns() >= deadline) ||
	       (rc == -EPIPE && storm.closing[actor->ops[at].object]));
}

static void do_send(struct storm_actor *actor, unsigned at)
{
	unsigned chan = actor->ops[at].object;
	struct storm_item item = make_item(actor);
	uint64_t deadline = deadline_of(actor, at);
	bool closed = storm.closed[chan];
	int rc = mete_chan_send(&storm.chan[chan], &item, deadline);

	may_end(actor, at, rc, deadline);
	EXPECT(!closed || rc);
	if (!rc)
		fate_of(&item)->sent = true;
}

static void do_recv(struct storm_actor *actor, unsigned at)
{
	unsigned chan = actor->ops[at].object;
	struct storm_item item = {.number = STORM_ITEMS};
	uint64_t deadline = deadline_of(actor, at);
	bool closed = storm.closed[chan];
	int rc = mete_chan_recv(&storm.chan[chan], &item, deadline);

	may_end(actor, at, rc, deadline);
	EXPECT(!closed || deadline || rc != -ETIMEDOUT);
	if (!rc)
		was_received(actor, chan, &item);
	else
		EXPECT(item.number == STORM_ITEMS);
}

struct choice {
	struct mete_select_case cases[CASES];
	struct storm_item items[CASES];
	unsigned chans[CASES];
	unsigned count;
};

static void add_case(struct choice *choice, struct storm_actor *actor,
		     struct mete_chan *chan, bool sends)
{
	unsigned i = choice->count++;
	struct storm_item *item = &choice->items[i];

	*item = (struct storm_item){.number = STORM_ITEMS};
	if (sends)
		*item = make_item(actor);
	if (sends)
		choice->cases[i] =
			(struct mete_select_case)METE_SELECT_CASE_SEND(chan,
								       item);
	else
		choice->cases[i] =
			(struct mete_select_case)METE_SELECT_CASE_RECV(chan,
								       item);
}

static void add_shared(struct choice *choice, struct storm_actor *actor,
		       unsigned most)
{
	unsigned count = (unsigned)storm_draw(&actor->random, most + 1);

	while (count--) {
		unsigned chan =
			(unsigned)storm_draw(&actor->random, STORM_SHARED);
		bool sends = storm_draw(&actor->random, 2);

		choice->chans[choice->count] = chan;
		add_case(choice, actor, &storm.chan[chan], sends);
	}
}

/* The shared case that a select has chosen. */
static void was_chosen(struct storm_actor *actor, unsigned at,
		       struct choice *choice, int index)
{
	struct mete_select_case *chosen = &choice->cases[index];
	unsigned chan = choice->chans[index];

	EXPECT(!chosen->result ||
	       (chosen->result == -EPIPE && storm.closing[chan]));
	for (unsigned i = 0; i < choice->count; i++)
		if (choice->cases[i].op == METE_SELECT_RECV &&
		    (i != (unsigned)index || chosen->result))
			EXPECT(choice->items[i].number == STORM_ITEMS);
	if (chosen->result)
		return;
	if (chosen->op == METE_SELECT_SEND)
		fate_of(&choice->items[index])->sent = true;
	else
		was_received(actor, chan, &choice->items[index]);
}

static void do_select(struct storm_actor *actor, unsigned at)
{
	struct choice choice = {.count = 0};
	uint64_t deadline = deadline_of(actor, at);
	int rc;

	add_shared(&choice, actor, CASES);
	rc = mete_select(choice.cases, choice.count, deadline);
	if (!choice.count)
		EXPECT(rc == -EINVAL);
	else if (rc < 0)
		EXPECT(rc == -ETIMEDOUT && sim_now_ns() >= deadline);
	else
		was_chosen(actor, at, &choice, rc);
}

/* One item of a stream, beside which whatever is possible is done, if a select
 * waits for it; the result of the stream's own case. */
static int stream_one(struct storm_actor *actor, unsigned at,
		      struct storm_item *item, bool sends)
{
	struct mete_chan *chan = &storm.pair[actor->ops[at].object].chan;

	if (storm_draw(&actor->random, 3) == 0)
		return sends ? mete_chan_send(chan, item, METE_FOREVER)
			     : mete_chan_recv(chan, item, METE_FOREVER);
	while (true) {
		struct choice choice = {.count = 0};
		int rc;

		add_case(&choice, actor, chan, sends);
		if (sends)
			choice.items[0] = *item;
		add_shared(&choice, actor, CASES - 1);
		rc = mete_select(choice.cases, choice.count, METE_FOREVER);
		EXPECT(rc >= 0 && rc < (int)choice.count);
		if (rc == 0) {
			*item = choice.items[0];
			return choice.cases[0].result;
		}
		was_chosen(actor, at, &choice, rc);
	}
}

static void do_stream_out(struct storm_actor *actor, unsigned at)
{
	struct storm_pair *pair = &storm.pair[actor->ops[at].object];
	struct storm_item item = {.actor = actor->number};

	for (unsigned i = 0; i < pair->items; i++) {
		item.number = i;
		item.check = i;
		EXPECT(!stream_one(actor, at, &item, true));
		EXPECT(pair->capacity || !mete_chan_length(&pair->chan));
	}
	storm_linger(actor, actor->ops[at].ns);
	EXPECT(!mete_chan_close(&pair->chan));
	EXPECT(mete_chan_close(&pair->chan) == -EPIPE);
	EXPECT(mete_chan_send(&pair->chan, &item, METE_FOREVER) == -EPIPE);
}

static void do_stream_in(struct storm_actor *actor, unsigned at)
{
	struct storm_pair *pair = &storm.pair[actor->ops[at].object];
	struct storm_item item = {0};
	unsigned got = 0;
	int rc;

	while (!(rc = stream_one(actor, at, &item, false))) {
		EXPECT(item.number == got && item.check == got);
		got++;
	}
	EXPECT(rc == -EPIPE);
	EXPECT(got == pair->items);
}

bool storm_chan(struct storm_actor *actor, unsigned at)
{
	const struct storm_op *op = &actor->ops[at];

	switch (op->kind) {
	case STORM_SEND_SOON:
		do_send(actor, at);
		return true;
	case STORM_RECV_SOON:
		do_recv(actor, at);
		return true;
	case STORM_SELECT_SOON:
		do_select(actor, at);
		return true;
	case STORM_CHAN_CLOSE:
		storm.closing[op->object] = true;
		mete_chan_close(&storm.chan[op->object]);
		storm.closed[op->object] = true;
		return true;
	case STORM_STREAM_OUT:
		do_stream_out(actor, at);
		return true;
	case STORM_STREAM_IN:
		do_stream_in(actor, at);
		return true;
	default:
		return false;
	}
}

static void must(bool holds, const char *what)
{
	if (!holds)
		sim_fail("expected that a channel %s", what);
}

void storm_chan_begin(void)
{
	for (unsigned i = 0; i < STORM_SHARED; i++)
		must(!mete_chan_init(&storm.chan[i], sizeof(struct storm_item),
				     storm.capacity[i]),
		     "is made");
	for (unsigned i = 0; i < storm.pair_count; i++)
		must(!mete_chan_init(&storm.pair[i].chan,
				     sizeof(struct storm_item),
				     storm.pair[i].capacity),
		     "is made");
}

static void drain(unsigned chan)
{
	struct storm_item item;
	int rc;

	while (!(rc = mete_chan_recv(&storm.chan[chan], &item, 0))) {
		must(!fate_of(&item)->received, "gives an item once");
		fate_of(&item)->received = true;
	}
	must(rc == (storm.closing[chan] ? -EPIPE : -ETIMEDOUT), "is drained");
	must(!mete_chan_length(&storm.chan[chan]), "is empty");
	must(!mete_chan_fini(&storm.chan[chan]), "has nobody who waits");
}

void storm_chan_end(void)
{
	for (unsigned i = 0; i < STORM_SHARED; i++)
		drain(i);
	for (unsigned i = 0; i < storm.pair_count; i++)
		must(!mete_chan_fini(&storm.pair[i].chan), "can go");
	for (unsigned i = 0; i < STORM_ACTORS; i++)
		for (unsigned k = 0; k < STORM_ITEMS; k++)
			if (storm.fate[i][k].sent != storm.fate[i][k].received)
				sim_fail("law: item %u of actor %u was %s", k,
					 i,
					 storm.fate[i][k].sent
						 ? "sent, and is lost"
						 : "received, and not sent");
}

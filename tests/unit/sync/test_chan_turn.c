/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who has the turn: whom it brings together, in what order, who is lost and who
 * must come again; requests are made by hand, as if threads slept on them.
 */
#include <string.h>

#include "harness/test.h"
#include "sync/chan.h"

#define MOST 8

static struct mete_chan public;
static struct chan *chan;
static struct chan_turn turn;
static struct mete_waiter waiters[MOST];
static struct chan_request requests[MOST];
static uint64_t items[MOST];

static void begin(size_t capacity)
{
	uint64_t word;

	CHECK_EQ(mete_chan_init(&public, sizeof(uint64_t), capacity), 0);
	chan = chan_of(&public);
	word = a64_load_acquire(&chan->word);
	CHECK(chan_turn_take(&turn, chan, &word, 0));
	for (uint64_t i = 0; i < MOST; i++)
		items[i] = 100 + i;
}

static void end(void)
{
	chan_turn_end(&turn);
}

static uint64_t word(void)
{
	return a64_load_acquire(&chan->word);
}

static struct chan_request *make(unsigned i, bool sends, uint64_t deadline_ns)
{
	wait_prepare(&waiters[i], WAIT_CHANNEL, NULL, deadline_ns);
	requests[i] = (struct chan_request){
		.item = &items[i],
		.waiter = &waiters[i],
		.result = CHAN_PENDING,
		.sends = sends,
	};
	return &requests[i];
}

static void list(unsigned i, bool sends, uint64_t deadline_ns)
{
	chan_turn_list(&turn, make(i, sends, deadline_ns));
}

/* As if it had come while somebody has the turn. */
static void arrive(struct chan_request *request)
{
	request->next = chan_newest(word());
	a64_store_release(&chan->word,
			  (uintptr_t)request | (word() & ~CHAN_ADDRESS));
}

static bool is_over(unsigned i)
{
	return !wait_lasts(&waiters[i]);
}

TEST(the_oldest_is_served_first)
{
	struct chan_request own = {.item = &items[7]};

	begin(0);
	for (unsigned i = 0; i < 3; i++)
		list(i, true, i & 1 ? 1 : METE_FOREVER);
	for (unsigned i = 0; i < 3; i++) {
		CHECK(chan_turn_serve(&turn, &own));
		CHECK_EQ(own.result, 0);
		CHECK_EQ(items[7], 100 + i);
		CHECK(is_over(i));
		CHECK_EQ(requests[i].result, 0);
	}
	CHECK(!chan_turn_serve(&turn, &own));
	end();
	CHECK_EQ(word(), 0);
}

TEST(who_comes_again_is_first)
{
	struct chan_request own = {.item = &items[7], .sends = true};

	begin(0);
	list(0, false, 1);
	list(1, false, 1);
	make(2, false, 1)->again = true;
	chan_turn_list(&turn, &requests[2]);
	for (unsigned i = 0; i < 3; i++) {
		CHECK(chan_turn_serve(&turn, &own));
		CHECK(is_over((i + 2) % 3));
	}
	end();
	CHECK_EQ(word(), 0);
}

TEST(out_of_the_list_wherever_it_stands)
{
	for (unsigned which = 0; which < 3; which++) {
		struct chan_request own = {.item = &items[7], .sends = true};

		begin(0);
		for (unsigned i = 0; i < 3; i++)
			list(i, false, METE_FOREVER);
		chan_turn_unlist(&turn, &requests[which]);
		chan_turn_unlist(&turn, &requests[which]);
		for (unsigned i = 0; i < 3; i++)
			if (i != which) {
				CHECK(chan_turn_serve(&turn, &own));
				CHECK(is_over(i));
			}
		CHECK(!is_over(which));
		end();
		CHECK_EQ(word(), 0);
	}
}

/* Those whose time is over are passed over, on both sides. */
TEST(the_late_get_nothing)
{
	begin(0);
	list(0, true, 1);
	list(1, true, 1);
	a32_store_release(&waiters[0].word, THREAD_LATE);
	arrive(make(2, false, 1));
	a32_store_release(&waiters[2].word, THREAD_LATE);
	arrive(make(3, false, 1));
	end();
	CHECK_EQ(requests[0].result, CHAN_PENDING);
	CHECK_EQ(requests[2].result, CHAN_PENDING);
	CHECK_EQ(items[2], 102);
	CHECK_EQ(requests[1].result, 0);
	CHECK_EQ(requests[3].result, 0);
	CHECK_EQ(items[3], 101);
	CHECK_EQ(word(), 0);
}

/* A select that stands there with both directions does not meet itself. */
TEST(nobody_meets_itself)
{
	begin(0);
	list(0, true, 1);
	make(1, false, 1)->waiter = &waiters[0];
	CHECK(!chan_turn_serve(&turn, &requests[1]));
	chan_turn_list(&turn, &requests[1]);
	arrive(make(2, true, METE_FOREVER));
	end();
	CHECK(is_over(0));
	CHECK_EQ(requests[1].result, 0);
	CHECK_EQ(items[1], 102);
	CHECK_EQ(requests[2].result, 0);
	/* The other of its requests is still there, and no harm. */
	CHECK_EQ(word(), CHAN_WAITED);
	CHECK_EQ(requests[0].result, CHAN_PENDING);
}

/*
 * Two that can be lost, as if the second were lost after the first was claimed:
 * both are one task's wait, so only one claim succeeds.  The lower one is
 * claimed first, and told to come again.
 */
static void lose(bool listed_is_lower, int *listed_result, int *own_result)
{
	static struct task task;
	unsigned listed = listed_is_lower ? 0 : 1;
	unsigned own = !listed;

	begin(0);
	list(listed, true, 1);
	make(own, false, 1);
	a64_store_release(&task.state, 2 * TASK_TICKET + TASK_BLOCKED);
	for (unsigned i = 0; i < 2; i++) {
		waiters[i].task = &task;
		waiters[i].state = 2 * TASK_TICKET + TASK_BLOCKED;
	}
	CHECK(chan_turn_serve(&turn, &requests[own]));
	CHECK_EQ(a64_load_acquire(&task.state), 2 * TASK_TICKET + TASK_READY);
	CHECK(turn.woken.tasks == &task.node);
	CHECK(!task.node.next);
	CHECK(!chan->waiting[1].head);
	CHECK_EQ(items[0] + items[1], 201);
	*listed_result = requests[listed].result;
	*own_result = requests[own].result;
}

TEST(one_whose_partner_is_lost_comes_again)
{
	int listed;
	int own;

	lose(true, &listed, &own);
	CHECK_EQ(listed, CHAN_AGAIN);
	CHECK_EQ(own, CHAN_PENDING);
	lose(false, &listed, &own);
	CHECK_EQ(listed, CHAN_PENDING);
	CHECK_EQ(own, CHAN_AGAIN);
}

/* Senders that wait fill the room that a receiver makes. */
TEST(room_is_filled_in_order)
{
	struct chan_request own = {.item = &items[7]};

	begin(2);
	for (unsigned i = 0; i < 2; i++) {
		make(i, true, METE_FOREVER);
		CHECK(chan_turn_serve(&turn, &requests[i]));
	}
	for (unsigned i = 2; i < 5; i++) {
		make(i, true, i == 3 ? 1 : METE_FOREVER);
		CHECK(!chan_turn_serve(&turn, &requests[i]));
		chan_turn_list(&turn, &requests[i]);
	}
	a32_store_release(&waiters[3].word, THREAD_LATE);
	CHECK(chan_turn_serve(&turn, &own));
	CHECK_EQ(items[7], 100);
	CHECK(is_over(2));
	CHECK(!is_over(4));
	CHECK(chan_turn_serve(&turn, &own));
	CHECK_EQ(items[7], 101);
	CHECK(is_over(4));
	end();
	CHECK_EQ(word(), 2 << CHAN_SHIFT);
	CHECK_EQ(mete_chan_recv(&public, &items[7], 0), 0);
	CHECK_EQ(items[7], 102);
	CHECK_EQ(mete_chan_recv(&public, &items[7], 0), 0);
	CHECK_EQ(items[7], 104);
	CHECK_EQ(mete_chan_fini(&public), 0);
}

/* An attempt that meets the turn is answered, one way or the other. */
TEST(attempts_are_not_listed)
{
	begin(1);
	make(0, false, METE_FOREVER)->tries = true;
	arrive(&requests[0]);
	make(1, true, METE_FOREVER)->tries = true;
	arrive(&requests[1]);
	make(2, true, METE_FOREVER)->tries = true;
	arrive(&requests[2]);
	end();
	CHECK_EQ(requests[0].result, -ETIMEDOUT);
	CHECK_EQ(requests[1].result, 0);
	CHECK_EQ(requests[2].result, -ETIMEDOUT);
	CHECK_EQ(word(), 1 << CHAN_SHIFT);
	CHECK_EQ(mete_chan_fini(&public), 0);
}

/* Who comes with a close, or after it, sends nothing; who waits is told. */
TEST(a_close_comes_before_arrivals)
{
	begin(0);
	list(0, false, METE_FOREVER);
	arrive(make(1, true, METE_FOREVER));
	a64_store_release(&chan->word, word() | CHAN_CLOSED);
	arrive(make(2, false, METE_FOREVER));
	end();
	for (unsigned i = 0; i < 3; i++)
		CHECK_EQ(requests[i].result, -EPIPE);
	CHECK_EQ(word(), CHAN_CLOSED);
}

/* A wish to be taken out is done after what came before it. */
TEST(wishes_are_done_in_order)
{
	begin(0);
	arrive(make(0, false, METE_FOREVER));
	a32_store_release(&waiters[0].word, THREAD_LATE);
	list(1, false, METE_FOREVER);
	for (unsigned i = 2; i < 4; i++) {
		make(i, false, METE_FOREVER)->leaver = &requests[i - 2];
		arrive(&requests[i]);
	}
	end();
	CHECK(is_over(2));
	CHECK(is_over(3));
	CHECK(!is_over(1));
	CHECK_EQ(word(), 0);
}

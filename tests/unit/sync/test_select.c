/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Select: exactly one case is done, whoever is on the other side, selects among
 * them; it is told which; and the others are as if it had never been there.
 */
#include "sync/chan.h"
#include "unit/sched/running.h"

#define CHANS 3

static struct mete_chan chans[CHANS];

static uint64_t word(int i)
{
	return a64_load_acquire(&chan_of(&chans[i])->word);
}

static void init_all(size_t capacity)
{
	for (int i = 0; i < CHANS; i++)
		CHECK_EQ(mete_chan_init(&chans[i], sizeof(uint64_t), capacity),
			 0);
}

static void fini_all(void)
{
	for (int i = 0; i < CHANS; i++)
		CHECK_EQ(mete_chan_fini(&chans[i]), 0);
}

static void *all_ends(void *arg)
{
	uint64_t got[2] = {7, 7};
	uint64_t item = 3;
	struct mete_chan own[2];
	struct mete_select_case cases[] = {
		METE_SELECT_CASE_RECV(&own[0], &got[0]),
		METE_SELECT_CASE_RECV(&own[1], &got[1]),
		METE_SELECT_CASE_RECV(NULL, NULL),
	};
	uint64_t begin = now_ns();

	for (int i = 0; i < 2; i++)
		CHECK_EQ(mete_chan_init(&own[i], 8, 1), 0);
	cases[0].result = 77;
	CHECK_EQ(mete_select(cases, 0, METE_FOREVER), -EINVAL);
	CHECK_EQ(mete_select(&cases[2], 1, METE_FOREVER), -EINVAL);
	CHECK_EQ(mete_select(cases, (size_t)1 << 31, METE_FOREVER), -EINVAL);
	CHECK_EQ(mete_select(cases, 3, 0), -ETIMEDOUT);
	CHECK_EQ(mete_select(cases, 3, 1), -ETIMEDOUT);
	CHECK_EQ(mete_select(cases, 3, begin + 3 * MS), -ETIMEDOUT);
	CHECK_GE(now_ns() - begin, 3 * MS);
	CHECK_EQ(own[0].word | own[1].word, 0);
	CHECK_EQ(mete_chan_send(&own[1], &item, 0), 0);
	CHECK_EQ(mete_select(cases, 3, METE_FOREVER), 1);
	CHECK_EQ(cases[1].result, 0);
	CHECK_EQ(got[1], 3);
	/* The other case was left alone. */
	CHECK_EQ(cases[0].result, 77);
	CHECK_EQ(got[0], 7);
	CHECK_EQ(mete_chan_close(&own[0]), 0);
	for (uint64_t deadline = 0; deadline < 2; deadline++) {
		CHECK_EQ(mete_select(cases, 3, deadline), 0);
		CHECK_EQ(cases[0].result, -EPIPE);
	}
	CHECK_EQ(got[0], 7);
	for (int i = 0; i < 2; i++)
		CHECK_EQ(mete_chan_fini(&own[i]), 0);
	return arg;
}

TEST(a_select_has_its_ends)
{
	all_ends(NULL);
	start_cpus(2);
	all_ends(NULL);
	join(spawn(all_ends, NULL));
	stop();
}

/* Where all are possible, each gets its share. */
static void *draw_often(void *arg)
{
	unsigned drawn[CHANS] = {0};
	uint64_t item = 1;

	for (int i = 0; i < 3000; i++) {
		struct mete_select_case cases[CHANS];
		int which;

		for (int k = 0; k < CHANS; k++)
			cases[k] = (struct mete_select_case)
				METE_SELECT_CASE_SEND(&chans[k], &item);
		which = mete_select(cases, CHANS, METE_FOREVER);
		CHECK_LT((unsigned)which, CHANS);
		drawn[which]++;
		CHECK_EQ(mete_chan_recv(&chans[which], &item, 0), 0);
	}
	for (int k = 0; k < CHANS; k++)
		CHECK_GT(drawn[k], 700);
	return arg;
}

TEST(chance_decides)
{
	init_all(1);
	draw_often(NULL);
	start_cpus(1);
	join(spawn(draw_often, NULL));
	stop();
	fini_all();
}

struct waiting {
	bool sends;
	uint64_t deadline_ns;
	uint64_t items[CHANS];
	int which;
	int result;
};

static void *select_all(void *arg)
{
	struct waiting *waiting = arg;
	struct mete_select_case cases[CHANS];

	for (int i = 0; i < CHANS; i++) {
		uint64_t *item = &waiting->items[i];

		cases[i] = (struct mete_select_case)METE_SELECT_CASE_RECV(
			&chans[i], item);
		if (waiting->sends)
			cases[i] = (struct mete_select_case)
				METE_SELECT_CASE_SEND(&chans[i], item);
	}
	waiting->which = mete_select(cases, CHANS, waiting->deadline_ns);
	if (waiting->which >= 0)
		waiting->result = cases[waiting->which].result;
	return NULL;
}

/* One that waits is woken by each of its channels, and stands in none then. */
TEST(each_channel_wakes_it)
{
	for (int i = 0; i < 2 * CHANS; i++) {
		bool sends = i & 1;
		int which = i / 2;
		struct waiting waiting = {
			sends, i & 1 ? soon() : METE_FOREVER, {1, 2, 3}, -1, 1};
		uint64_t item = 40;
		mete_task task;

		start_cpus(2);
		init_all(0);
		task = spawn(select_all, &waiting);
		await_blocked(task);
		if (sends)
			CHECK_EQ(mete_chan_recv(&chans[which], &item, soon()),
				 0);
		else
			CHECK_EQ(mete_chan_send(&chans[which], &item, soon()),
				 0);
		join(task);
		CHECK_EQ(waiting.which, which);
		CHECK_EQ(waiting.result, 0);
		CHECK_EQ(waiting.items[which], item);
		for (int k = 0; k < CHANS; k++)
			CHECK_EQ(word(k), 0);
		fini_all();
		stop();
	}
}

TEST(a_close_wakes_it)
{
	struct waiting waiting = {false, METE_FOREVER, {1, 2, 3}, -1, 1};
	mete_task task;

	start_cpus(1);
	init_all(2);
	task = spawn(select_all, &waiting);
	await_blocked(task);
	CHECK_EQ(mete_chan_close(&chans[1]), 0);
	join(task);
	CHECK_EQ(waiting.which, 1);
	CHECK_EQ(waiting.result, -EPIPE);
	CHECK_EQ(waiting.items[1], 2);
	fini_all();
	stop();
}

TEST(a_cancellation_ends_it)
{
	struct waiting waiting = {false, METE_FOREVER, {1, 2, 3}, -1, 1};
	struct mete_task_attr attr = METE_TASK_ATTR_INIT;
	mete_task task;

	start_cpus(1);
	init_all(0);
	attr.cancellable = true;
	CHECK_EQ(mete_task_create(&task, &attr, select_all, &waiting), 0);
	await_blocked(task);
	CHECK_EQ(mete_task_cancel(task), 0);
	CHECK(join(task) == METE_CANCELED);
	CHECK_EQ(waiting.which, -1);
	for (int i = 0; i < CHANS; i++)
		CHECK_EQ(word(i), 0);
	fini_all();
	stop();
}

/* Both directions of one channel at once: it does not meet itself, but others
 * do, also others like it. */
static void *swap(void *arg)
{
	uint64_t own = (uintptr_t)arg;
	uint64_t got = 0;
	struct mete_select_case cases[] = {
		METE_SELECT_CASE_SEND(&chans[0], &own),
		METE_SELECT_CASE_RECV(&chans[0], &got),
	};
	int which = mete_select(cases, 2, METE_FOREVER);

	CHECK_GE(which, 0);
	CHECK_EQ(cases[which].result, 0);
	return (void *)(uintptr_t)got;
}

TEST(no_select_meets_itself)
{
	uint64_t own = 1;
	struct mete_select_case cases[] = {
		METE_SELECT_CASE_SEND(&chans[0], &own),
		METE_SELECT_CASE_RECV(&chans[0], &own),
	};

	start_cpus(2);
	init_all(0);
	CHECK_EQ(mete_select(cases, 2, 0), -ETIMEDOUT);
	CHECK_EQ(mete_select(cases, 2, now_ns() + MS), -ETIMEDOUT);
	for (uint64_t i = 0; i < test_rounds(2000); i++) {
		mete_task one = spawn(swap, (void *)1);
		mete_task other = spawn(swap, (void *)2);

		/* One of them got the other's. */
		CHECK_EQ((join(one) == (void *)2) + (join(other) == (void *)1),
			 1);
		CHECK_EQ(word(0), 0);
	}
	fini_all();
	stop();
}

/* In a channel whose turn is taken it stands by a swap, and goes by a wish. */
TEST(a_turn_is_not_waited_for)
{
	struct waiting waiting = {false, METE_FOREVER, {1, 2, 3}, -1, 1};
	struct chan *busy = chan_of(&chans[1]);
	struct chan_turn turn;
	uint64_t idle = 0;
	uint64_t item = 9;
	mete_task task;

	start_cpus(1);
	init_all(0);
	CHECK(chan_turn_take(&turn, busy, &idle, 0));
	task = spawn(select_all, &waiting);
	await_blocked(task);
	for (uint64_t end = soon(); !chan_newest(word(1));)
		CHECK_LT(now_ns(), end);
	for (uint64_t end = soon(); word(2) == 0;)
		CHECK_LT(now_ns(), end);
	CHECK_EQ(mete_chan_send(&chans[2], &item, soon()), 0);
	usleep(2000);
	CHECK_EQ(waiting.which, -1);
	chan_turn_end(&turn);
	join(task);
	CHECK_EQ(waiting.which, 2);
	CHECK_EQ(waiting.items[2], 9);
	CHECK_EQ(word(1), 0);
	fini_all();
	stop();
}

/* An attempt is answered truly, even if somebody has the turn. */
TEST(an_attempt_waits_for_its_answer)
{
	struct waiting waiting = {true, 0, {1, 2, 3}, -1, 1};
	struct chan_turn turns[CHANS];
	uint64_t idle = 0;
	mete_task task;

	start_cpus(1);
	init_all(1);
	for (int i = 0; i < CHANS; i++, idle = 0)
		CHECK(chan_turn_take(&turns[i], chan_of(&chans[i]), &idle, 0));
	task = spawn(select_all, &waiting);
	await_blocked(task);
	for (int i = 0; i < CHANS; i++)
		chan_turn_end(&turns[i]);
	join(task);
	CHECK_GE(waiting.which, 0);
	CHECK_EQ(waiting.result, 0);
	for (int i = 0; i < CHANS; i++)
		CHECK_EQ(mete_chan_length(&chans[i]), i == waiting.which);
	fini_all();
	stop();
}

/* Told to come again by one channel, it stands in all of them anew. */
TEST(again)
{
	struct waiting waiting = {false, METE_FOREVER, {1, 2, 3}, -1, 1};
	struct chan *busy = chan_of(&chans[0]);
	struct chan_request *request;
	struct chan_turn turn;
	uint64_t idle = 0;
	uint64_t item = 9;
	mete_task task;

	start_cpus(1);
	init_all(0);
	CHECK(chan_turn_take(&turn, busy, &idle, 0));
	task = spawn(select_all, &waiting);
	await_blocked(task);
	for (uint64_t end = soon(); !chan_newest(word(0));)
		CHECK_LT(now_ns(), end);
	for (int i = 1; i < CHANS; i++)
		for (uint64_t end = soon(); word(i) == 0;)
			CHECK_LT(now_ns(), end);
	request = chan_newest(word(0));
	a64_store_release(&busy->word, CHAN_WAITED | CHAN_BUSY);
	request->result = CHAN_AGAIN;
	CHECK(wait_wake(request->waiter));
	for (uint64_t end = soon(); !chan_newest(word(0));)
		CHECK_LT(now_ns(), end);
	CHECK_EQ(waiting.which, -1);
	chan_turn_end(&turn);
	CHECK_EQ(mete_chan_send(&chans[0], &item, soon()), 0);
	join(task);
	CHECK_EQ(waiting.which, 0);
	CHECK_EQ(waiting.items[0], 9);
	for (int i = 0; i < CHANS; i++)
		CHECK_EQ(word(i), 0);
	stop();
}

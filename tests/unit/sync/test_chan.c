/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Channels: every item arrives once, those of one sender in order, and every end
 * of a call is told apart; from tasks, from threads, without a runtime.
 */
#include <pthread.h>

#include "unit/sched/running.h"

static struct mete_chan chan;

static void init(struct mete_chan *what, size_t bytes, size_t capacity)
{
	CHECK_EQ(mete_chan_init(what, bytes, capacity), 0);
}

static void *all_ends(void *arg)
{
	struct mete_chan own;
	uint64_t begin;
	uint64_t got = 77;

	init(&own, sizeof(uint64_t), 2);
	CHECK_EQ(mete_chan_recv(&own, &got, 0), -ETIMEDOUT);
	CHECK_EQ(mete_chan_recv(&own, &got, 1), -ETIMEDOUT);
	begin = now_ns();
	CHECK_EQ(mete_chan_recv(&own, &got, begin + 3 * MS), -ETIMEDOUT);
	CHECK_GE(now_ns() - begin, 3 * MS);
	CHECK_EQ(got, 77);
	for (uint64_t i = 0; i < 2; i++)
		CHECK_EQ(mete_chan_send(&own, &i, i ? METE_FOREVER : 0), 0);
	CHECK_EQ(mete_chan_length(&own), 2);
	CHECK_EQ(mete_chan_send(&own, &got, 0), -ETIMEDOUT);
	begin = now_ns();
	CHECK_EQ(mete_chan_send(&own, &got, begin + 3 * MS), -ETIMEDOUT);
	CHECK_GE(now_ns() - begin, 3 * MS);
	/* Whoever timed out has sent nothing. */
	CHECK_EQ(mete_chan_recv(&own, &got, 1), 0);
	CHECK_EQ(got, 0);
	CHECK_EQ(mete_chan_close(&own), 0);
	CHECK_EQ(mete_chan_close(&own), -EPIPE);
	CHECK_EQ(mete_chan_send(&own, &got, METE_FOREVER), -EPIPE);
	CHECK_EQ(mete_chan_recv(&own, &got, METE_FOREVER), 0);
	CHECK_EQ(got, 1);
	for (uint64_t deadline = 0; deadline < 2; deadline++)
		CHECK_EQ(mete_chan_recv(&own, &got, deadline), -EPIPE);
	CHECK_EQ(mete_chan_recv(&own, &got, METE_FOREVER), -EPIPE);
	CHECK_EQ(got, 1);
	CHECK_EQ(mete_chan_fini(&own), 0);
	return arg;
}

TEST(a_call_has_its_ends)
{
	all_ends(NULL); /* no runtime */
	start_cpus(2);
	all_ends(NULL);
	join(spawn(all_ends, NULL));
	stop();
}

/* Numbers from 0 on, until the end. */
static void *receive_in_order(void *arg)
{
	uint64_t next = 0;
	uint64_t got;
	int error;

	while (!(error = mete_chan_recv(&chan, &got, METE_FOREVER)))
		CHECK_EQ(got, next++);
	CHECK_EQ(error, -EPIPE);
	*(uint64_t *)arg = next;
	return NULL;
}

static void *send_in_order(void *arg)
{
	uint64_t count = *(uint64_t *)arg;

	for (uint64_t i = 0; i < count; i++)
		CHECK_EQ(mete_chan_send(&chan, &i, METE_FOREVER), 0);
	CHECK_EQ(mete_chan_close(&chan), 0);
	return NULL;
}

/* One sender, one receiver, whoever is first, through buffers of all kinds. */
TEST(a_stream_in_order)
{
	static const size_t capacities[] = {0, 1, 2, 64, METE_CHAN_UNBOUNDED};
	uint64_t count = test_rounds(20000);

	for (unsigned i = 0; i < 5; i++) {
		uint64_t got = 0;
		mete_task tasks[2];

		start_cpus(1 + i % 2);
		init(&chan, sizeof(uint64_t), capacities[i]);
		tasks[0] = spawn(receive_in_order, &got);
		tasks[1] = spawn(send_in_order, &count);
		join(tasks[0]);
		join(tasks[1]);
		CHECK_EQ(got, count);
		CHECK_EQ(mete_chan_fini(&chan), 0);
		stop();
	}
}

static void *send_one(void *arg)
{
	CHECK_EQ(mete_chan_send(&chan, &arg, METE_FOREVER), 0);
	return NULL;
}

/* A sender of a rendezvous has met somebody when it returns. */
TEST(a_rendezvous_keeps_nothing)
{
	static struct mete_chan direct = METE_CHAN_INIT(sizeof(void *));
	mete_task task;
	void *got;

	start_cpus(1);
	chan = direct;
	CHECK_EQ(mete_chan_send(&chan, &got, 0), -ETIMEDOUT);
	CHECK_EQ(mete_chan_recv(&chan, &got, 0), -ETIMEDOUT);
	task = spawn(send_one, &task);
	await_blocked(task);
	CHECK_EQ(mete_chan_length(&chan), 0);
	CHECK_EQ(mete_chan_fini(&chan), -EBUSY);
	CHECK_EQ(mete_chan_recv(&chan, &got, 0), 0);
	CHECK(got == &task);
	join(task);
	CHECK_EQ(mete_chan_fini(&chan), 0);
	stop();
}

/* Waiters of either side are served in order. */
TEST(waiters_are_served_in_order)
{
	mete_task tasks[4];

	for (size_t capacity = 0; capacity < 3; capacity++) {
		start_cpus(1);
		init(&chan, sizeof(void *), capacity);
		for (intptr_t i = 0; i < 4; i++) {
			tasks[i] = spawn(send_one, (void *)i);
			if (i >= (intptr_t)capacity)
				await_blocked(tasks[i]);
			else
				join(tasks[i]);
		}
		for (intptr_t i = 0; i < 4; i++) {
			void *got;

			CHECK_EQ(mete_chan_recv(&chan, &got, 0), 0);
			CHECK(got == (void *)i);
		}
		for (size_t i = capacity; i < 4; i++)
			join(tasks[i]);
		CHECK_EQ(mete_chan_fini(&chan), 0);
		stop();
	}
}

static void *closed_upon(void *arg)
{
	uint64_t word = 5;

	if (arg)
		CHECK_EQ(mete_chan_send(&chan, &word, METE_FOREVER), -EPIPE);
	else
		CHECK_EQ(mete_chan_recv(&chan, &word, soon()), -EPIPE);
	CHECK_EQ(word, 5);
	return NULL;
}

TEST(a_close_ends_all_waits)
{
	mete_task tasks[3];
	uint64_t word = 1;

	for (intptr_t sends = 0; sends < 2; sends++) {
		start_cpus(2);
		init(&chan, sizeof(word), 1);
		if (sends)
			CHECK_EQ(mete_chan_send(&chan, &word, 0), 0);
		for (int i = 0; i < 3; i++) {
			tasks[i] = spawn(closed_upon, (void *)sends);
			await_blocked(tasks[i]);
		}
		CHECK_EQ(mete_chan_close(&chan), 0);
		for (int i = 0; i < 3; i++)
			join(tasks[i]);
		/* What was in the buffer is still there. */
		CHECK_EQ(mete_chan_recv(&chan, &word, 0), sends ? 0 : -EPIPE);
		CHECK_EQ(mete_chan_fini(&chan), 0);
		CHECK_EQ(mete_chan_send(&chan, &word, 0), -EPIPE);
		stop();
	}
}

#define SENDERS 4

struct item {
	uint32_t sender;
	uint32_t number;
	uint64_t check;
};

static atomic_uint_fast64_t sent, received;

static void *send_many(void *arg)
{
	struct item item = {.sender = (uint32_t)(intptr_t)arg};
	uint64_t rounds = test_rounds(4000);

	for (uint64_t i = 1; i <= rounds; i++) {
		int error;

		item.number++;
		item.check = item.number * UINT64_C(0x9e3779b97f4a7c15);
		do {
			uint64_t deadline = now_ns() + i % 3 * 5 * US;

			error = mete_chan_send(&chan, &item,
					       i % 4 ? METE_FOREVER
						     : deadline * (i % 3 > 0));
			CHECK(!error || error == -ETIMEDOUT);
		} while (error);
		sent++;
	}
	return NULL;
}

static void *receive_many(void *arg)
{
	uint32_t last[SENDERS] = {0};
	struct item item;
	int error;

	for (uint64_t i = 0;; i++) {
		error = mete_chan_recv(&chan, &item,
				       i % 4 ? METE_FOREVER
					     : now_ns() + i % 3 * 5 * US);
		if (error == -EPIPE)
			return arg;
		if (error == -ETIMEDOUT)
			continue;
		CHECK_EQ(error, 0);
		CHECK_GT(item.number, last[item.sender]);
		CHECK_EQ(item.check,
			 item.number * UINT64_C(0x9e3779b97f4a7c15));
		last[item.sender] = item.number;
		received++;
	}
}

/* Many on both sides, tasks and threads, with and without deadlines. */
TEST_WITHIN(many_to_many, 60)
{
	static const size_t capacities[] = {0, 3, METE_CHAN_UNBOUNDED};

	for (int i = 0; i < 3; i++) {
		mete_task senders[SENDERS];
		mete_task receivers[3];
		pthread_t threads[2];

		start_cpus(2);
		sent = received = 0;
		init(&chan, sizeof(struct item), capacities[i]);
		CHECK_EQ(pthread_create(&threads[1], NULL, receive_many, NULL),
			 0);
		for (int k = 0; k < 3; k++)
			receivers[k] = spawn(receive_many, NULL);
		CHECK_EQ(pthread_create(&threads[0], NULL, send_many, NULL), 0);
		for (intptr_t k = 1; k < SENDERS; k++)
			senders[k] = spawn(send_many, (void *)k);
		for (int k = 1; k < SENDERS; k++)
			join(senders[k]);
		pthread_join(threads[0], NULL);
		CHECK_EQ(mete_chan_close(&chan), 0);
		for (int k = 0; k < 3; k++)
			join(receivers[k]);
		pthread_join(threads[1], NULL);
		CHECK_EQ(sent, SENDERS * test_rounds(4000));
		CHECK_EQ(received, sent);
		CHECK_EQ(mete_chan_fini(&chan), 0);
		stop();
	}
}

static void *answer(void *arg)
{
	struct mete_chan *own = arg;

	CHECK_EQ(mete_chan_send(own, &arg, METE_FOREVER), 0);
	return NULL;
}

/* The channel goes as soon as its last item was received. */
static void *on_the_stack(void *arg)
{
	for (uint64_t i = 0; i < test_rounds(2000); i++) {
		struct mete_chan own;
		mete_task task;
		void *got;

		init(&own, sizeof(void *), i % 3);
		task = spawn(answer, &own);
		CHECK_EQ(mete_chan_recv(&own, &got,
					i & 1 ? soon() : METE_FOREVER),
			 0);
		CHECK(got == &own);
		CHECK_EQ(mete_chan_fini(&own), 0);
		memset(&own, 0xff, sizeof(own));
		join(task);
	}
	return arg;
}

TEST_WITHIN(a_channel_on_the_stack, 60)
{
	start_cpus(2);
	run_beside(4, on_the_stack);
	stop();
}

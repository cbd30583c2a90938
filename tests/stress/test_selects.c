/* SPDX-License-Identifier: Apache-2.0 */
/* Selects against selects, tasks and a thread: what goes out comes in. */
#include <pthread.h>

#include "unit/sched/running.h"

#define CHANS   3
#define PLAYERS 5

static struct mete_chan chans[CHANS];

static atomic_uint_fast64_t sum_out, sum_in, count_out, count_in;
static atomic_bool over;

static void sum_rest(struct mete_chan *chan)
{
	uint64_t item;

	while (!mete_chan_recv(chan, &item, 0)) {
		sum_in += item;
		count_in++;
	}
	CHECK_EQ(mete_chan_fini(chan), 0);
}

/* Sends and receives wherever it can, with and without a deadline. */
static void *play(void *arg)
{
	uint64_t state = test_seed() + (uintptr_t)arg;

	while (!over) {
		struct mete_select_case cases[2 * CHANS];
		uint64_t items[2 * CHANS];
		size_t count = 1 + test_random(&state) % (2 * CHANS);
		int which;

		for (size_t i = 0; i < count; i++) {
			uint64_t dice = test_random(&state);
			struct mete_chan *chan = &chans[dice / 2 % CHANS];

			items[i] = dice;
			cases[i] = (struct mete_select_case)
				METE_SELECT_CASE_RECV(chan, &items[i]);
			if (dice & 1)
				cases[i] = (struct mete_select_case)
					METE_SELECT_CASE_SEND(chan, &items[i]);
		}
		which = mete_select(cases, count,
				    test_random(&state) % 4 ? now_ns() + 30 * US
							    : 0);
		if (which == -ETIMEDOUT)
			continue;
		CHECK_LT((unsigned)which, count);
		CHECK_EQ(cases[which].result, 0);
		if (cases[which].op == METE_SELECT_SEND) {
			sum_out += items[which];
			count_out++;
		} else {
			sum_in += items[which];
			count_in++;
		}
	}
	return NULL;
}

TEST_WITHIN(selects_among_themselves, 60)
{
	static const size_t capacities[] = {0, 1};

	for (int k = 0; k < 2; k++) {
		mete_task tasks[PLAYERS];
		pthread_t thread;

		start_cpus(2);
		sum_out = sum_in = count_out = count_in = 0;
		over = false;
		for (int i = 0; i < CHANS; i++)
			CHECK_EQ(mete_chan_init(&chans[i], sizeof(uint64_t),
						capacities[k]),
				 0);
		for (intptr_t i = 0; i < PLAYERS; i++)
			tasks[i] = spawn(play, (void *)i);
		CHECK_EQ(pthread_create(&thread, NULL, play, (void *)100), 0);
		for (uint64_t end = soon(); count_in < test_rounds(20000);) {
			CHECK_LT(now_ns(), end);
			usleep(1000);
		}
		over = true;
		for (int i = 0; i < PLAYERS; i++)
			join(tasks[i]);
		pthread_join(thread, NULL);
		for (int i = 0; i < CHANS; i++)
			sum_rest(&chans[i]);
		CHECK_EQ(count_out, count_in);
		CHECK_EQ(sum_out, sum_in);
		stop();
	}
}

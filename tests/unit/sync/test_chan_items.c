/* SPDX-License-Identifier: Apache-2.0 */
/* What a channel keeps: rings that wrap, chunks that come and go, bad sizes,
 * refused memory. */
#include <errno.h>
#include <string.h>

#include "harness/test.h"
#include "os/inject.h"
#include "sync/chan.h"

static struct mete_chan chan;

static void fill(unsigned char *item, size_t bytes, uint64_t number)
{
	for (size_t i = 0; i < bytes; i++)
		item[i] = (unsigned char)(number * 7 + i * 3 + (i >> 8));
}

/* Numbers of those that were sent and received. */
static uint64_t first, next;

static void send(size_t bytes)
{
	unsigned char item[5000];

	fill(item, bytes, next++);
	CHECK_EQ(mete_chan_send(&chan, item, 0), 0);
}

static void receive(size_t bytes)
{
	unsigned char item[5000];
	unsigned char wanted[5000];

	memset(item, 0xee, sizeof(item));
	fill(wanted, bytes, first++);
	CHECK_EQ(mete_chan_recv(&chan, item, 0), 0);
	CHECK(!memcmp(item, wanted, bytes));
	if (bytes < sizeof(item))
		CHECK_EQ(item[bytes], 0xee);
	CHECK_EQ(mete_chan_length(&chan), next - first);
}

TEST(items_of_every_size)
{
	static const size_t sizes[] = {0, 1, 3, 8, 16, 100, 4096, 5000};
	static const size_t capacities[] = {1, 2, 7, METE_CHAN_UNBOUNDED};
	uint64_t state = test_seed();

	for (unsigned k = 0; k < 32; k++) {
		size_t bytes = sizes[k % 8];
		size_t most = capacities[k / 8];

		CHECK_EQ(mete_chan_init(&chan, bytes, most), 0);
		first = next = 0;
		for (uint64_t i = 0; i < test_rounds(3000); i++) {
			/* Long rises and falls. */
			bool sends = test_random(&state) % 16 <
				     (i >> 8 & 1 ? 6 : 10);

			if (sends && next - first < most)
				send(bytes);
			else if (first < next)
				receive(bytes);
		}
		if (most != METE_CHAN_UNBOUNDED) {
			while (next - first < most)
				send(bytes);
			CHECK_EQ(mete_chan_send(&chan, &chan, 0), -ETIMEDOUT);
		}
		CHECK_EQ(mete_chan_fini(&chan), 0);
	}
}

/* A capacity that no address space holds is told, and nothing is touched. */
TEST(bad_sizes)
{
	struct mete_chan before;

	memset(&chan, 0x5a, sizeof(chan));
	before = chan;
	CHECK_EQ(mete_chan_init(&chan, SIZE_MAX / 2, 3), -EINVAL);
	CHECK_EQ(mete_chan_init(&chan, 16, SIZE_MAX / 8), -EINVAL);
	CHECK_EQ(mete_chan_init(&chan, 1, SIZE_MAX - 1), -EINVAL);
	CHECK_EQ(mete_chan_init(&chan, SIZE_MAX, METE_CHAN_UNBOUNDED), -EINVAL);
	if (sizeof(size_t) == 8)
		CHECK_EQ(mete_chan_init(&chan, 0, (size_t)CHAN_UNBOUNDED),
			 -EINVAL);
	CHECK(!memcmp(&chan, &before, sizeof(chan)));
	CHECK_EQ(mete_chan_init(&chan, SIZE_MAX / 2, 0), 0);
	CHECK_EQ(mete_chan_fini(&chan), 0);
}

/* A channel that is filled and emptied keeps one chunk, and allocates none. */
TEST(chunks_are_used_again)
{
	struct chan *mine = chan_of(&chan);
	struct chan_chunk *chunks[2];
	size_t in_one = 0;

	CHECK_EQ(mete_chan_init(&chan, 8, METE_CHAN_UNBOUNDED), 0);
	CHECK(!mine->newest);
	send(8);
	chunks[0] = mine->newest;
	in_one = (size_t)(mine->put_end - chunks[0]->items) / 8;
	CHECK_GT(in_one, 100);
	while (next < in_one)
		send(8);
	CHECK(mine->newest == chunks[0]);
	send(8);
	chunks[1] = mine->newest;
	CHECK(chunks[1] != chunks[0]);
	while (next - first > in_one / 2)
		receive(8);
	for (size_t i = 0; i < in_one * 10; i++) {
		receive(8);
		send(8);
		CHECK(mine->newest == chunks[0] || mine->newest == chunks[1]);
	}
	CHECK_EQ(mete_chan_fini(&chan), 0);
}

TEST(what_is_left_goes_with_it)
{
	CHECK_EQ(mete_chan_init(&chan, 8, METE_CHAN_UNBOUNDED), 0);
	for (int i = 0; i < 3000; i++)
		send(8);
	for (int i = 0; i < 1000; i++)
		receive(8);
	CHECK_EQ(mete_chan_fini(&chan), 0);
	CHECK_EQ(mete_chan_length(&chan), 0);
	CHECK_EQ(mete_chan_recv(&chan, &first, METE_FOREVER), -EPIPE);
	CHECK_EQ(mete_chan_fini(&chan), 0);
}

TEST(who_waits_keeps_it)
{
	CHECK_EQ(mete_chan_init(&chan, 8, 1), 0);
	a64_store_release(&chan_of(&chan)->word, CHAN_WAITED | CHAN_BUSY);
	CHECK_EQ(mete_chan_fini(&chan), -EBUSY);
	a64_store_release(&chan_of(&chan)->word, 0);
	CHECK_EQ(mete_chan_fini(&chan), 0);
}

#ifdef METE_FAULTS
/* Every chunk is refused, and what has been sent is all there. */
TEST(refused_memory)
{
	uint64_t item = 1;

	os_fault_arm(OS_CALL_ALLOC, 1, true);
	CHECK_EQ(mete_chan_init(&chan, 8, 3), -ENOMEM);
	CHECK_EQ(mete_chan_init(&chan, 8, METE_CHAN_UNBOUNDED), 0);
	CHECK_EQ(mete_chan_send(&chan, &item, METE_FOREVER), -ENOMEM);
	CHECK_EQ(mete_chan_length(&chan), 0);
	CHECK_EQ(mete_chan_recv(&chan, &item, 0), -ETIMEDOUT);
	for (int chunk = 1; chunk < 4; chunk++) {
		os_fault_arm(OS_CALL_ALLOC, 2, true);
		while (!mete_chan_send(&chan, &next, 0))
			next++;
		CHECK_EQ(mete_chan_send(&chan, &item, METE_FOREVER), -ENOMEM);
		CHECK_EQ(mete_chan_length(&chan), next);
	}
	for (; first < next; first++) {
		CHECK_EQ(mete_chan_recv(&chan, &item, 0), 0);
		CHECK_EQ(item, first);
	}
	/* The chunk that was kept serves on. */
	CHECK_EQ(mete_chan_send(&chan, &item, 0), 0);
	os_fault_arm(OS_CALL_ANY, 0, false);
	CHECK_EQ(mete_chan_fini(&chan), 0);
}
#endif

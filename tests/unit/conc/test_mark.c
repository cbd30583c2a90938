/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Readers believe words only under one even mark, and then they belong
 * together.
 */
#include "conc/mark.h"
#include "harness/test.h"
#include "os/thread.h"

static struct mark mark;
static struct a64 words[4];
static struct a32 done;

TEST(a_mark_is_odd_while_the_owner_writes)
{
	uint64_t before = mark_read(&mark);

	CHECK_EQ(before & 1, 0);
	CHECK(mark_valid(&mark, before));
	mark_begin(&mark);
	CHECK_EQ(mark_read(&mark) & 1, 1);
	CHECK(!mark_valid(&mark, mark_read(&mark)));
	CHECK(!mark_valid(&mark, before));
	mark_end(&mark);
	CHECK_EQ(mark_read(&mark) & 1, 0);
	CHECK(!mark_valid(&mark, before));
	CHECK(mark_valid(&mark, mark_read(&mark)));
}

static void writer(void *unused)
{
	(void)unused;
	for (uint64_t i = test_rounds(1000000); i; i--) {
		mark_begin(&mark);
		for (int w = 0; w < 4; w++)
			a64_own_add(&words[w], (uint64_t)w + 1);
		mark_end(&mark);
	}
	a32_store_release(&done, 1);
}

/* An interval of the writer's own, never a mixture. */
TEST(what_was_read_belongs_together)
{
	struct os_thread thread;
	uint64_t valid = 0;
	bool last = false;

	CHECK_EQ(os_thread_create(&thread, NULL, writer, NULL), 0);
	while (!last) {
		uint64_t sequence;
		uint64_t seen[4];

		last = a32_load_acquire(&done);
		sequence = mark_read(&mark);
		for (int w = 3; w >= 0; w--)
			seen[w] = a64_load_acquire(&words[w]);
		if (!mark_valid(&mark, sequence))
			continue;
		valid++;
		for (int w = 0; w < 4; w++)
			CHECK_EQ(seen[w], seen[0] * ((unsigned)w + 1));
	}
	os_thread_join(&thread);
	CHECK_GT(valid, 0);
	CHECK_EQ(a64_own(&words[0]), test_rounds(1000000));
}

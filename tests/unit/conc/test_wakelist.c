/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The wake list: all of it in the order of arrival, chains in one piece,
 * nothing lost or doubled among producers, one that stops hides nothing.
 */
#include <stdlib.h>

#include "base/base.h"
#include "conc/wakelist.h"
#include "harness/test.h"
#include "os/thread.h"

#define PRODUCERS 3

struct entry {
	struct wakenode node;
	uint32_t producer;
	uint64_t number;
};

static struct wakelist list;
static struct entry *entries[PRODUCERS];
static struct a32 finished;
static uint64_t each;

static struct entry *entry_of(struct wakenode *node)
{
	return container_of(node, struct entry, node);
}

TEST(oldest_first)
{
	struct entry e[5] = {{.number = 0}};
	struct wakenode *node;

	CHECK(wakelist_empty(&list));
	CHECK(!wakelist_take(&list));
	wakelist_push(&list, &e[0].node);
	CHECK(!wakelist_empty(&list));
	wakelist_push(&list, &e[1].node);
	/* A chain: linked from the newest to the oldest. */
	e[4].node.next = &e[3].node;
	e[3].node.next = &e[2].node;
	wakelist_push_chain(&list, &e[4].node, &e[2].node);
	node = wakelist_take(&list);
	CHECK(wakelist_empty(&list));
	for (int i = 0; i < 5; i++, node = node->next)
		CHECK(node == &e[i].node);
	CHECK(!node);
	CHECK(!wakelist_take(&list));
	/* A node may come back once it was taken. */
	wakelist_push(&list, &e[2].node);
	node = wakelist_take(&list);
	CHECK(node == &e[2].node);
	CHECK(!node->next);
}

static void produce(void *arg)
{
	uint32_t me = *(uint32_t *)arg;

	for (uint64_t i = 0; i < each; i++) {
		struct entry *e = &entries[me][i];

		e->producer = me;
		e->number = i;
		if (i % 3 == 1 && i + 1 < each) {
			/* Two at once. */
			struct entry *newer = &entries[me][++i];

			newer->producer = me;
			newer->number = i;
			newer->node.next = &e->node;
			wakelist_push_chain(&list, &newer->node, &e->node);
		} else {
			wakelist_push(&list, &e->node);
		}
	}
	a32_add_seq_cst(&finished, 1);
}

TEST(first_in_first_out_for_each_producer)
{
	struct os_thread threads[PRODUCERS];
	uint32_t name[PRODUCERS];
	uint64_t next[PRODUCERS] = {0};
	bool last = false;

	each = test_rounds(200000);
	for (uint32_t i = 0; i < PRODUCERS; i++) {
		name[i] = i;
		entries[i] = calloc(each, sizeof(struct entry));
		CHECK(entries[i]);
		CHECK_EQ(os_thread_create(&threads[i], NULL, produce, &name[i]),
			 0);
	}
	while (!last) {
		struct wakenode *node;

		last = a32_load_acquire(&finished) == PRODUCERS;
		for (node = wakelist_take(&list); node; node = node->next) {
			const struct entry *e = entry_of(node);

			CHECK_EQ(e->number, next[e->producer]);
			next[e->producer]++;
		}
	}
	for (int i = 0; i < PRODUCERS; i++) {
		os_thread_join(&threads[i]);
		CHECK_EQ(next[i], each);
		free(entries[i]);
	}
	CHECK(wakelist_empty(&list));
}

/* Whoever has linked its node but not swapped yet hides nothing: the others'
 * entries are all there, and its own comes when it goes on. */
TEST(a_producer_that_stops_hides_nothing)
{
	struct entry stopped;
	struct entry e[3];
	struct wakenode *node;

	wakelist_push(&list, &e[0].node);
	stopped.node.next = &e[0].node; /* linked, not swapped */
	wakelist_push(&list, &e[1].node);
	wakelist_push(&list, &e[2].node);
	node = wakelist_take(&list);
	for (int i = 0; i < 3; i++, node = node->next)
		CHECK(node == &e[i].node);
	CHECK(!node);
	wakelist_push(&list, &stopped.node); /* its swap failed: once more */
	node = wakelist_take(&list);
	CHECK(node == &stopped.node);
	CHECK(!node->next);
}

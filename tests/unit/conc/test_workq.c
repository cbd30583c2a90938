/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The work queue: first-in first-out for its owner, half for a thief, nothing
 * lost or doubled among them, growth at any state, and nobody waits.
 */
#include <errno.h>
#include <stdlib.h>

#include "conc/workq.h"
#include "harness/test.h"
#include "os/inject.h"
#include "os/thread.h"

#define THIEVES 2

static struct workq queue;

static void *entry_of(uintptr_t number)
{
	return (void *)(number + 1);
}

static uintptr_t number_of(const void *entry)
{
	return (uintptr_t)entry - 1;
}

TEST(first_in_first_out)
{
	uintptr_t taken = 0;
	uintptr_t pushed = 0;

	CHECK_EQ(workq_init(&queue, 5000), 0);
	CHECK(!workq_take(&queue));
	CHECK_EQ(workq_length(&queue), 0);
	/* Rounds of uneven size, over every border of the ring. */
	for (int i = 0; i < 3000; i++) {
		for (int n = i % 7; n; n--)
			workq_push(&queue, entry_of(pushed++));
		CHECK_EQ(workq_length(&queue), pushed - taken);
		for (int n = i % 5; n && taken < pushed; n--)
			CHECK(workq_take(&queue) == entry_of(taken++));
		while (i % 100 == 99 && taken < pushed)
			CHECK(workq_take(&queue) == entry_of(taken++));
	}
	while (taken < pushed)
		CHECK(workq_take(&queue) == entry_of(taken++));
	CHECK(!workq_take(&queue));
	workq_fini(&queue);
	workq_fini(&queue);
}

TEST(it_grows_up_to_its_capacity)
{
	const uintptr_t most = 70000;

	CHECK_EQ(workq_init(&queue, most), 0);
	/* Begin in the middle of the ring. */
	for (uintptr_t i = 0; i < 100; i++) {
		workq_push(&queue, entry_of(i));
		CHECK(workq_take(&queue) == entry_of(i));
	}
	for (uintptr_t i = 0; i < most; i++)
		workq_push(&queue, entry_of(i));
	CHECK_EQ(workq_length(&queue), most);
	for (uintptr_t i = 0; i < most; i++)
		CHECK(workq_take(&queue) == entry_of(i));
	CHECK(!workq_take(&queue));
	workq_fini(&queue);
}

TEST(a_thief_takes_the_older_half)
{
	void *loot[8];

	CHECK_EQ(workq_init(&queue, 100), 0);
	CHECK_EQ(workq_steal(&queue, loot, 8), 0);
	workq_push(&queue, entry_of(0));
	CHECK_EQ(workq_steal(&queue, loot, 8), 1);
	CHECK(loot[0] == entry_of(0));
	CHECK(!workq_take(&queue));
	for (uintptr_t i = 0; i < 5; i++)
		workq_push(&queue, entry_of(i));
	CHECK_EQ(workq_steal(&queue, loot, 8), 3);
	for (uintptr_t i = 0; i < 3; i++)
		CHECK(loot[i] == entry_of(i));
	CHECK(workq_take(&queue) == entry_of(3));
	for (uintptr_t i = 5; i < 60; i++)
		workq_push(&queue, entry_of(i));
	/* 4 … 59 are there: half would be 28, but 8 is the most. */
	CHECK_EQ(workq_steal(&queue, loot, 8), 8);
	CHECK(loot[7] == entry_of(11));
	CHECK(workq_take(&queue) == entry_of(12));
	workq_fini(&queue);
}

/* A thief that is stopped between its look and its swap: the owner goes on,
 * whatever it does, and the late swap fails (hazard of a stopped thief). */
TEST(a_late_thief_loses)
{
	CHECK_EQ(workq_init(&queue, 5000), 0);
	for (uintptr_t i = 0; i < 10; i++)
		workq_push(&queue, entry_of(i));
	uint64_t head = a64_load_acquire(&queue.head);

	for (uintptr_t i = 0; i < 10; i++)
		CHECK(workq_take(&queue) == entry_of(i));
	for (uintptr_t i = 10; i < 1000; i++)
		workq_push(&queue, entry_of(i));
	CHECK(!a64_cas_acq_rel(&queue.head, &head, head + 5));
	for (uintptr_t i = 10; i < 1000; i++)
		CHECK(workq_take(&queue) == entry_of(i));
	workq_fini(&queue);
}

static uint64_t total;
static struct a32 *times; /* how often each was got */
static struct a32 done;
static struct a64 stolen;

static void thief(void *unused)
{
	void *loot[64];
	bool last = false;

	(void)unused;
	while (!last) {
		size_t count;

		last = a32_load_acquire(&done);
		count = workq_steal(&queue, loot, 64);
		for (size_t i = 0; i < count; i++) {
			CHECK_LT(number_of(loot[i]), total);
			if (i)
				CHECK_EQ(number_of(loot[i]),
					 number_of(loot[i - 1]) + 1);
			a32_add_relaxed(&times[number_of(loot[i])], 1);
		}
		a64_add_relaxed(&stolen, count);
	}
}

TEST(nothing_is_lost_or_doubled)
{
	struct os_thread threads[THIEVES];
	uint64_t state = test_seed();
	uint64_t pushed = 0;
	uint64_t taken = 0;
	uintptr_t next = 0;
	void *entry;

	total = test_rounds(1000000);
	times = calloc(total, sizeof(*times));
	CHECK(times);
	CHECK_EQ(workq_init(&queue, total), 0);
	for (int i = 0; i < THIEVES; i++)
		CHECK_EQ(os_thread_create(&threads[i], NULL, thief, NULL), 0);
	while (pushed < total) {
		uint64_t dice = test_random(&state);

		for (uint64_t n = dice % 50; n && pushed < total; n--)
			workq_push(&queue, entry_of(pushed++));
		for (uint64_t n = dice / 64 % 45; n; n--) {
			entry = workq_take(&queue);
			if (!entry)
				break;
			CHECK_GE(number_of(entry), next);
			next = number_of(entry) + 1;
			a32_add_relaxed(&times[number_of(entry)], 1);
			taken++;
		}
	}
	while ((entry = workq_take(&queue))) {
		a32_add_relaxed(&times[number_of(entry)], 1);
		taken++;
	}
	a32_store_release(&done, 1);
	for (int i = 0; i < THIEVES; i++)
		os_thread_join(&threads[i]);
	CHECK_EQ(taken + a64_load_relaxed(&stolen), total);
	for (uint64_t i = 0; i < total; i++)
		CHECK_EQ(times[i].value, 1);
	workq_fini(&queue);
	free(times);
}

TEST(refused_memory_leaves_nothing)
{
#ifdef METE_FAULTS
	os_fault_arm(OS_CALL_MAP, 1, false);
	CHECK_EQ(workq_init(&queue, 100), -ENOMEM);
	os_fault_arm(OS_CALL_MAP, 0, false);
	workq_fini(&queue);
#endif
	CHECK_EQ(workq_init(&queue, UINT64_C(1) << 50), -ENOMEM);
	workq_fini(&queue);
}

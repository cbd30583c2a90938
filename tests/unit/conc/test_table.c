/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table: entries that stay where they are, zeroed and aligned, limits, and
 * look-ups while it grows.
 */
#include <errno.h>
#include <string.h>

#include "base/base.h"
#include "conc/table.h"
#include "harness/test.h"
#include "os/inject.h"
#include "os/thread.h"

#define SHIFT 3

struct entry {
	uint64_t number;
	unsigned char rest[184];
};

static struct table table;

TEST(entries_stay_where_they_are)
{
	static const struct entry zero;
	struct entry *seen[100];
	uint32_t number;

	CHECK_EQ(table_init(&table, sizeof(struct entry), 100, SHIFT), 0);
	CHECK(!table_at(&table, 0));
	for (uint32_t i = 0; i < 100; i++) {
		CHECK_EQ(table_add(&table, &number), 0);
		CHECK_EQ(number, i);
		seen[i] = table_at(&table, i);
		CHECK(seen[i]);
		CHECK_EQ((uintptr_t)seen[i] % CACHE_LINE, 0);
		CHECK_EQ(memcmp(seen[i], &zero, sizeof(zero)), 0);
		memset(seen[i], 0xff, sizeof(*seen[i]));
		seen[i]->number = i;
		CHECK(!table_at(&table, i + 1));
	}
	CHECK(!table_at(&table, UINT32_MAX));
	for (uint32_t i = 0; i < 100; i++) {
		CHECK(table_at(&table, i) == seen[i]);
		CHECK_EQ(seen[i]->number, i);
	}
	table_fini(&table);
	CHECK(!table_at(&table, 0));
}

/* As many as were allowed, at most up to the end of a chunk. */
TEST(the_limit_is_kept)
{
	static const size_t limits[] = {1, 7, 8, 9, 16};

	for (size_t l = 0; l < sizeof(limits) / sizeof(limits[0]); l++) {
		uint32_t number = 0;
		size_t count = 0;

		CHECK_EQ(table_init(&table, 64, limits[l], SHIFT), 0);
		while (!table_add(&table, &number))
			count++;
		CHECK_GE(count, limits[l]);
		CHECK_LT(count, limits[l] + (1u << SHIFT));
		CHECK_EQ(table_add(&table, &number), -EAGAIN);
		CHECK_EQ(number, count - 1);
		table_fini(&table);
	}
}

TEST(refused_memory_adds_nothing)
{
#ifdef METE_FAULTS
	uint32_t number = 77;

	os_fault_arm(OS_CALL_ALLOC, 1, false);
	CHECK_EQ(table_init(&table, 64, 8, SHIFT), -ENOMEM);
	os_fault_arm(OS_CALL_ALLOC, 0, false);
	CHECK_EQ(table_init(&table, 64, 8, SHIFT), 0);
	os_fault_arm(OS_CALL_ALLOC, 1, false);
	CHECK_EQ(table_add(&table, &number), -ENOMEM);
	CHECK_EQ(number, 77);
	CHECK(!table_at(&table, 0));
	CHECK_EQ(table_add(&table, &number), 0);
	CHECK_EQ(number, 0);
	table_fini(&table);
#else
	SKIP("a build without the fault injector");
#endif
}

static struct a32 added;
static uint32_t most;

static void adder(void *unused)
{
	(void)unused;
	for (uint32_t i = 0; i < most; i++) {
		uint32_t number;

		CHECK_EQ(table_add(&table, &number), 0);
		a32_store_release(&added, number + 1);
	}
}

TEST(look_ups_go_on_while_it_grows)
{
	struct os_thread thread;
	uint32_t count = 0;

	most = (uint32_t)test_rounds(100000);
	CHECK_EQ(table_init(&table, 64, most, 6), 0);
	CHECK_EQ(os_thread_create(&thread, NULL, adder, NULL), 0);
	while (count < most) {
		uint64_t *entry;

		count = a32_load_acquire(&added);
		if (!count)
			continue;
		entry = table_at(&table, count - 1);
		CHECK(entry);
		CHECK_EQ(*entry, 0);
	}
	os_thread_join(&thread);
	CHECK(!table_at(&table, most));
	table_fini(&table);
}

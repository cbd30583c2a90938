/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory: zeroed, aligned, given back whichever way it came, and large blocks
 * resident only where touched.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "harness/test.h"
#include "os/inject.h"
#include "os/mem.h"

static bool zeroed(const void *block, size_t bytes)
{
	const unsigned char *at = block;

	for (size_t i = 0; i < bytes; i++)
		if (at[i])
			return false;
	return true;
}

/* Pages of a map that are in memory; -1 where it isn't mapped at all. */
static int resident(void *base, size_t bytes)
{
	unsigned char pages[4096];
	int n = 0;

	if (mincore(base, bytes, pages))
		return -1;
	for (size_t i = 0; i < bytes / os_page_bytes(); i++)
		n += pages[i] & 1;
	return n;
}

TEST(small_blocks_are_zeroed)
{
	for (int i = 0; i < 100; i++) {
		char *block = os_alloc(1000);

		CHECK(block);
		CHECK(zeroed(block, 1000));
		memset(block, 0xff, 1000);
		os_free(block);
	}
	os_free(os_alloc(0));
	os_free(NULL);
}

TEST(aligned_blocks_are_aligned_and_zeroed)
{
	static const size_t sizes[] = {0, 1, 100, 5000, 131072, 200001};

	for (size_t align = 1; align <= (size_t)1 << 22; align *= 2) {
		for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
			char *block = os_alloc_aligned(align, sizes[i]);

			CHECK(block);
			CHECK_EQ((uintptr_t)block % align, 0);
			CHECK(zeroed(block, sizes[i]));
			memset(block, 0xff, sizes[i]);
			os_free(block);
		}
	}
}

TEST(bad_alignments_are_refused)
{
	CHECK(!os_alloc_aligned(0, 10));
	CHECK(!os_alloc_aligned(24, 10));
	CHECK(!os_alloc_aligned((size_t)1 << 31, 10));
	CHECK(!os_alloc_aligned(64, SIZE_MAX - 10));
	CHECK(!os_alloc_aligned(64, SIZE_MAX / 2));
	/* No room for what is cut off beside it. */
	CHECK(!os_alloc_aligned((size_t)1 << 30, SIZE_MAX - ((size_t)1 << 20)));
}

TEST(large_blocks_take_memory_when_touched)
{
	size_t bytes = (size_t)8 << 20;
	char *block = os_alloc_aligned(64, bytes);

	CHECK(block);
	CHECK_EQ(resident(block, bytes), 0);
	block[5 * os_page_bytes()] = 1;
	CHECK_EQ(resident(block, bytes), 1);
	os_free(block);
	CHECK_EQ(resident(block, bytes), -1);
}

TEST(large_alignment_leaves_nothing_mapped_beside)
{
	size_t align = (size_t)4 << 20;
	size_t bytes = (size_t)1 << 20;
	size_t page = os_page_bytes();
	char *first = os_alloc_aligned(align, bytes);
	char *second = os_alloc_aligned(align, bytes);

	CHECK(first && second);
	CHECK_EQ((uintptr_t)first % align, 0);
	CHECK_EQ(resident(first, bytes), 0);
	/* What lay between start of the raw map and the block is unmapped. */
	CHECK_EQ(resident(first - page, page), -1);
	CHECK_EQ(resident(first + bytes, page), -1);
	os_free(second);
	os_free(first);
	CHECK_EQ(resident(first, bytes), -1);
	CHECK_EQ(resident(second, bytes), -1);
}

TEST(maps_are_zero_and_not_reserved)
{
	/* More than most machines have, less than valgrind refuses. */
	size_t bytes = (size_t)1 << (sizeof(void *) > 4 ? 35 : 30);
	void *base = NULL;
	char *at;

	CHECK_EQ(os_map(bytes, &base), 0);
	at = base;
	at[bytes - 1] = 1;
	CHECK(!at[0]);
	os_unmap(base, bytes);
	CHECK_LT(os_map(SIZE_MAX / 2, &base), 0);
	CHECK(base == (void *)at);
}

/* The C library's own blocks, until it has none left. */
TEST(small_aligned_blocks_come_to_an_end)
{
	enum {
		MOST = 100000
	};
	static void *blocks[MOST];
	struct rlimit none = {0, 0};
	unsigned count = 0;

	const char *build = getenv("METE_TEST_BUILD");

	if (TEST_SANITIZED || (build && strcmp(build, "valgrind") == 0))
		SKIP("the checker's allocator ends the process instead");
	CHECK_EQ(setrlimit(RLIMIT_AS, &none), 0);
	while (count < MOST && (blocks[count] = os_alloc_aligned(64, 100000)))
		count++;
	CHECK_LT(count, MOST);
	while (count)
		os_free(blocks[--count]);
	CHECK(blocks[0] == NULL || os_alloc_aligned(64, 10000));
}

#ifdef METE_FAULTS
TEST(refused_memory_leaks_nothing)
{
	for (uint64_t k = 1;; k++) {
		void *block;

		os_fault_arm(OS_CALL_ANY, k, false);
		block = os_alloc_aligned(4096, (size_t)1 << 20);
		if (os_fault_count(OS_CALL_ANY) < k) {
			CHECK(block);
			os_free(block);
			CHECK_EQ(k, 3);
			break;
		}
		CHECK(!block);
	}
}
#endif

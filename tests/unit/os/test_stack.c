/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stacks: usable to the last byte, guarded below, cheap in maps and memory.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "harness/proc.h"
#include "harness/refuse.h"
#include "harness/test.h"
#include "os/inject.h"
#include "os/mem.h"
#include "os/stack.h"

static unsigned maps_of_process(void)
{
	FILE *file = fopen("/proc/self/maps", "r");
	unsigned lines = 0;
	int c;

	CHECK(file);
	while ((c = fgetc(file)) != EOF)
		lines += c == '\n';
	fclose(file);
	return lines;
}

static void write_to(void *at)
{
	*(volatile char *)at = 1;
}

static bool kills(void *at)
{
	struct test_outcome outcome;

	test_in_child(write_to, at, &outcome);
	return WIFSIGNALED(outcome.status) || WEXITSTATUS(outcome.status);
}

/* All of the guard is one, all of the stack is none. */
static void check_stack(const struct os_stack *stack)
{
	size_t page = os_page_bytes();
	char *base = stack->base;

	CHECK_EQ((uintptr_t)base % page, 0);
	memset(base, 1, stack->bytes);
	CHECK_NE(stack->guard, OS_GUARD_NONE);
	CHECK_GE(stack->guard_bytes, sizeof(void *) > 4 ? 11 * 4096 : page);
	CHECK(kills(base - 1));
	CHECK(kills(base - stack->guard_bytes / 2));
	CHECK(kills(base - stack->guard_bytes));
	CHECK(!kills(base));
}

TEST(one_stack)
{
	struct os_stack stack;

	CHECK_EQ(os_stack_map(10000, &stack), 0);
	CHECK_GE(stack.bytes, 10000);
	CHECK_EQ(stack.bytes % os_page_bytes(), 0);
	CHECK_EQ(stack.guard, os_stack_guard_kind());
	check_stack(&stack);
	os_stack_unmap(&stack);
	CHECK(!stack.base);
}

TEST(a_slab)
{
	struct os_stack_slab slab;

	CHECK_EQ(os_stack_slab_map(65536, 8, &slab), 0);
	CHECK_EQ(slab.count, 8);
	CHECK_EQ(slab.guarded, 8);
	for (size_t i = 0; i < slab.count; i++) {
		struct os_stack stack = os_stack_slab_at(&slab, i);

		CHECK_EQ(stack.bytes, 65536);
		check_stack(&stack);
	}
	os_stack_slab_unmap(&slab);
	CHECK(!slab.base);
}

TEST(stacks_of_a_slab_do_not_meet)
{
	struct os_stack_slab slab;

	CHECK_EQ(os_stack_slab_map(16384, 50, &slab), 0);
	for (size_t i = 0; i < slab.count; i++) {
		struct os_stack stack = os_stack_slab_at(&slab, i);

		memset(stack.base, (int)i + 1, stack.bytes);
	}
	for (size_t i = 0; i < slab.count; i++) {
		struct os_stack stack = os_stack_slab_at(&slab, i);
		unsigned char *at = stack.base;

		CHECK_EQ(at[0], i + 1);
		CHECK_EQ(at[stack.bytes - 1], i + 1);
	}
	os_stack_slab_unmap(&slab);
}

TEST(wrong_sizes_are_refused)
{
	struct os_stack_slab slab = {.count = 77};

	CHECK_EQ(os_stack_slab_map(0, 1, &slab), -EINVAL);
	CHECK_EQ(os_stack_slab_map(4096, 0, &slab), -EINVAL);
	CHECK_EQ(os_stack_slab_map(SIZE_MAX - 5, 1, &slab), -EINVAL);
	CHECK_EQ(os_stack_slab_map(1 << 20, SIZE_MAX / 8, &slab), -ENOMEM);
	CHECK_EQ(slab.count, 77);
}

TEST(release_gives_memory_back_and_keeps_the_guard)
{
	unsigned char pages[16];
	struct os_stack stack;

	CHECK_EQ(os_stack_map(16 * os_page_bytes(), &stack), 0);
	memset(stack.base, 1, stack.bytes);
	os_stack_release(&stack);
	CHECK_EQ(mincore(stack.base, stack.bytes, pages), 0);
	for (int i = 0; i < 16; i++)
		CHECK(!(pages[i] & 1));
	CHECK_EQ(*(char *)stack.base, 0);
	check_stack(&stack);
	os_stack_unmap(&stack);
}

/* Its pages, and the page tables that 1,000 guards need. */
TEST(release_of_a_slab)
{
	struct os_stack_slab slab;
	struct os_stack stack;
	long before = proc_field("/proc/self/status", "VmPTE:");
	long full;
	unsigned char page;

	CHECK_EQ(os_stack_slab_map(65536, 1000, &slab), 0);
	for (size_t i = 0; i < slab.count; i++) {
		stack = os_stack_slab_at(&slab, i);
		((char *)stack.base)[stack.bytes - 1] = 1;
	}
	full = proc_field("/proc/self/status", "VmPTE:");
	CHECK_GT(full, before + 150);
	os_stack_slab_release(&slab);
	CHECK_EQ(slab.guarded, 0);
	CHECK_EQ(slab.guard, OS_GUARD_NONE);
	NOTE("page tables: %ld KiB, %ld, %ld", before, full,
	     proc_field("/proc/self/status", "VmPTE:"));
	stack = os_stack_slab_at(&slab, 500);
	CHECK_EQ(stack.guard, OS_GUARD_NONE);
	CHECK_EQ(mincore((char *)stack.base + stack.bytes - 4096, 1, &page), 0);
	CHECK(!(page & 1));
	CHECK_EQ(((char *)stack.base)[stack.bytes - 1], 0);
	CHECK(!kills((char *)stack.base - 1));

	os_stack_slab_guard(&slab);
	CHECK_EQ(slab.guarded, 1000);
	stack = os_stack_slab_at(&slab, 999);
	check_stack(&stack);
	os_stack_slab_unmap(&slab);
}

/* 100,000 stacks are no more than a few maps where guards are light. */
TEST(a_hundred_thousand_stacks)
{
	enum {
		SLABS = 100,
		COUNT = 1000
	};
	static struct os_stack_slab slabs[SLABS];
	unsigned before = maps_of_process();
	struct os_stack stack;

	if (os_stack_guard_kind() != OS_GUARD_LIGHT)
		SKIP("this kernel has no light guards");
	for (int i = 0; i < SLABS; i++) {
		CHECK_EQ(os_stack_slab_map(65536, COUNT, &slabs[i]), 0);
		CHECK_EQ(slabs[i].guarded, COUNT);
		for (size_t k = 0; k < COUNT; k += 100) {
			stack = os_stack_slab_at(&slabs[i], k);
			((char *)stack.base)[stack.bytes - 1] = 1;
		}
	}
	/* One a slab at most; sanitizers keep some maps of their own. */
	CHECK_LE(maps_of_process(), before + 3 * SLABS);
	stack = os_stack_slab_at(&slabs[SLABS - 1], COUNT - 1);
	check_stack(&stack);
	for (int i = 0; i < SLABS; i++) {
		void *base = slabs[i].base;
		unsigned char page;

		os_stack_slab_unmap(&slabs[i]);
		CHECK_EQ(mincore(base, 1, &page), -1);
	}
}

/* As Linux before 6.13. */
TEST(without_light_guards_they_are_protected)
{
	struct os_stack stack;

	test_refuse(SYS_madvise, EINVAL);
	CHECK_EQ(os_stack_guard_kind(), OS_GUARD_PROTECT);
	CHECK_EQ(os_stack_map(10000, &stack), 0);
	CHECK_EQ(stack.guard, OS_GUARD_PROTECT);
	check_stack(&stack);
	os_stack_unmap(&stack);
}

TEST(without_any_guards_they_say_so)
{
	struct os_stack_slab slab;
	struct os_stack stack;

	if (TEST_SANITIZED)
		SKIP("the sanitizer needs the calls itself");
	test_refuse(SYS_madvise, EINVAL);
	CHECK_EQ(os_stack_slab_map(16384, 4, &slab), 0);
	CHECK_EQ(slab.guard, OS_GUARD_PROTECT);
	test_refuse(SYS_mprotect, ENOMEM);
	/* What is refused changes nothing. */
	os_stack_slab_release(&slab);
	CHECK_EQ(slab.guard, OS_GUARD_PROTECT);
	CHECK_EQ(slab.guarded, 4);
	stack = os_stack_slab_at(&slab, 3);
	check_stack(&stack);
	CHECK_EQ(os_stack_slab_map(16384, 4, &slab), 0);
	CHECK_EQ(slab.guard, OS_GUARD_NONE);
	CHECK_EQ(slab.guarded, 0);
	os_stack_slab_release(&slab);
	CHECK_EQ(slab.guard, OS_GUARD_NONE);
	os_stack_slab_unmap(&slab);
	CHECK_EQ(os_stack_map(16384, &stack), 0);
	CHECK_EQ(stack.guard, OS_GUARD_NONE);
	CHECK_EQ(stack.guard_bytes, 0);
	memset(stack.base, 1, stack.bytes);
}

TEST(what_cannot_be_found_out)
{
	const struct rlimit no_files = {0, 1024};
	const struct rlimit files = {1024, 1024};
	struct os_stack stack;

	if (TEST_SANITIZED)
		SKIP("the sanitizer needs the calls itself");
	/* How many maps there may be, and whether guards are light. */
	CHECK_EQ(setrlimit(RLIMIT_NOFILE, &no_files), 0);
	test_refuse_where(SYS_mmap, 1, (uint32_t)os_page_bytes(), ENOMEM);
	CHECK_EQ(os_stack_guard_kind(), OS_GUARD_PROTECT);
	CHECK_EQ(setrlimit(RLIMIT_NOFILE, &files), 0);
	CHECK_EQ(os_stack_map(16384, &stack), 0);
	CHECK_EQ(stack.guard, OS_GUARD_PROTECT);
}

TEST(stacks_that_are_refused)
{
	struct os_stack_slab slab;
	struct os_stack stack = {.bytes = 1};

	/* As for locked memory: another kind is tried. */
	CHECK_EQ(os_stack_slab_map(12345, 3, &slab), 0);
	test_refuse_where(SYS_madvise, 2, 102, EINVAL);
	CHECK_EQ(os_stack_map(16384, &stack), 0);
	CHECK_EQ(stack.guard, OS_GUARD_PROTECT);
	check_stack(&stack);
	test_refuse_where(SYS_mmap, 1, (uint32_t)slab.bytes, ENOMEM);
	slab.count = 77;
	CHECK_EQ(os_stack_slab_map(12345, 3, &slab), -ENOMEM);
	CHECK_EQ(slab.count, 77);
}

#ifdef METE_FAULTS
TEST(guards_fall_back)
{
	struct os_stack_slab slab;
	struct os_stack stack;

	/* No light guard: a protected range. */
	os_fault_arm(OS_CALL_GUARD, 1, true);
	CHECK_EQ(os_stack_map(8192, &stack), 0);
	CHECK_EQ(stack.guard, OS_GUARD_PROTECT);
	check_stack(&stack);
	os_stack_unmap(&stack);

	/* The budget of maps ends within a slab: the rest says so. */
	os_fault_arm(OS_CALL_ANY, 0, false);
	if (os_stack_guard_kind() == OS_GUARD_LIGHT)
		os_fault_arm(OS_CALL_GUARD, 4, true);
	else
		os_fault_arm(OS_CALL_PROTECT, 4, true);
	CHECK_EQ(os_stack_slab_map(8192, 10, &slab), 0);
	CHECK_EQ(slab.guarded, 3);
	stack = os_stack_slab_at(&slab, 2);
	check_stack(&stack);
	stack = os_stack_slab_at(&slab, 3);
	CHECK_EQ(stack.guard, OS_GUARD_NONE);
	CHECK_EQ(stack.guard_bytes, 0);
	CHECK(!kills((char *)stack.base - 1));
	os_stack_slab_unmap(&slab);

	os_fault_arm(OS_CALL_MAP, 1, false);
	CHECK_EQ(os_stack_map(8192, &stack), -ENOMEM);
}

/* Guards that cost maps end while there are maps left for others, and what is
 * given back can be had again. */
TEST(protected_guards_leave_maps_to_others)
{
	enum {
		COUNT = 100000,
		OTHERS = 5000
	};
	struct os_stack_slab slab;
	struct os_stack_slab more;
	size_t guarded;

	os_fault_arm(OS_CALL_GUARD, 1, true);
	CHECK_EQ(os_stack_slab_map(4096, COUNT, &slab), 0);
	CHECK_EQ(slab.guard, OS_GUARD_PROTECT);
	guarded = slab.guarded;
	NOTE("%zu guards", guarded);
	CHECK_GE(guarded, 20000);
	if (guarded == COUNT)
		SKIP("this kernel has maps for all of them");
	CHECK_EQ(os_stack_slab_map(4096, 10, &more), 0);
	CHECK_EQ(more.guard, OS_GUARD_NONE);
	CHECK_EQ(more.guarded, 0);
	os_stack_slab_unmap(&more);
	for (int i = 0; i < OTHERS; i++)
		CHECK(mmap(NULL, 4096, i % 2 ? PROT_READ : PROT_NONE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);

	os_stack_slab_release(&slab);
	os_stack_slab_guard(&slab);
	CHECK_EQ(slab.guarded, guarded);
	os_stack_slab_unmap(&slab);
	CHECK_EQ(os_stack_slab_map(4096, COUNT, &slab), 0);
	CHECK_EQ(slab.guarded, guarded);
	os_stack_slab_unmap(&slab);
}
#endif

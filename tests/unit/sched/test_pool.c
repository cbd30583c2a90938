/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks and stacks: used again, of any size, coloured, bounded in number, and
 * nothing piles up.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "sched/pool.h"
#include "sched/sched.h"
#include "unit/sched/running.h"

static atomic_int going;

static void *nothing(void *arg)
{
	return arg;
}

static void *wait_for_go(void *arg)
{
	while (!going)
		mete_task_sleep(MS);
	return arg;
}

/* Address space of the process. */
static size_t mapped_kib(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	unsigned long pages = 0;

	CHECK(file);
	CHECK_EQ(fscanf(file, "%lu", &pages), 1);
	fclose(file);
	return pages * 4;
}

static void *fill(void *arg)
{
	size_t bytes = *(size_t *)arg;
	volatile char *here = __builtin_alloca(bytes);

	for (size_t i = 0; i < bytes; i += 512)
		here[i] = 1;
	return NULL;
}

/* Address sanitizer's frames do not fit into the smallest. */
#if TEST_ASAN
# define SMALLEST 2
#else
# define SMALLEST 0
#endif

TEST(stacks_have_the_size_asked_for)
{
	size_t sizes[] = {4096, 10000, 65536, 65537, 300000, 4u << 20};
	struct mete_task_attr attr = METE_TASK_ATTR_INIT;

	start_cpus(1);
	for (int round = 0; round < 3; round++) {
		for (int i = SMALLEST; i < 6; i++) {
			/* What a frame, a colour and a signal may need. */
			size_t use = sizes[i] - sizes[i] / 4;
			mete_task task;

			if (i == 0)
				use = 512;
			attr.stack_bytes = sizes[i];
			CHECK_EQ(mete_task_create(&task, &attr,
						  i ? fill : nothing, &use),
				 0);
			join(task);
		}
	}
	stop();
}

TEST(own_stacks_go_and_pooled_ones_stay)
{
	struct mete_task_attr attr = METE_TASK_ATTR_INIT;
	size_t use = 3u << 20;
	size_t before;

	start_cpus(1);
	join(spawn(nothing, NULL));
	before = mapped_kib();
	attr.stack_bytes = 4u << 20;
	for (int i = 0; i < 100; i++) {
		mete_task task;

		CHECK_EQ(mete_task_create(&task, &attr, fill, &use), 0);
		join(task);
		/* The slot's own stack is back in its place. */
		use = 30000;
		join(spawn(fill, &use));
		use = 3u << 20;
	}
	CHECK_LT(mapped_kib(), before + 60 * 1024 * test_slow());
	stop();
}

TEST(slots_and_stacks_are_used_again)
{
	size_t before;

	start_cpus(2);
	for (int i = 0; i < 200; i++)
		join(spawn(nothing, NULL));
	before = mapped_kib();
	for (uint64_t i = test_rounds(20000); i; i--)
		join(spawn(nothing, NULL));
	CHECK_LT(mapped_kib(), before + 20 * 1024 * test_slow());
	CHECK_LE(task_numbers(), 1024);
	stop();
}

static void *line_of_frame(void *arg)
{
	char here;

	*(uintptr_t *)arg = (uintptr_t)&here % 4096 / 64;
	return NULL;
}

/* The first frames of 32 tasks lie in as many sets of the cache. */
TEST(stacks_are_coloured)
{
	uintptr_t lines[64] = {0};
	mete_task tasks[64];
	bool seen[64] = {false};
	int different = 0;

	start_cpus(1);
	for (int i = 0; i < 64; i++)
		tasks[i] = spawn(line_of_frame, &lines[i]);
	for (int i = 0; i < 64; i++)
		join(tasks[i]);
	for (int i = 0; i < 64; i++) {
		different += !seen[lines[i]];
		seen[lines[i]] = true;
	}
	CHECK_GE(different, 32);
	stop();
}

/* Pages of the stack that take memory. */
static unsigned resident_pages(const struct os_stack *stack)
{
	static unsigned char pages[1024];
	unsigned resident = 0;

	CHECK_EQ(mincore(stack->base, stack->bytes, pages), 0);
	for (size_t i = 0; i < stack->bytes / 4096; i++)
		resident += pages[i] & 1;
	return resident;
}

/* Task and stack together, whatever the colour. */
TEST(a_task_that_waits_takes_one_page)
{
	mete_task tasks[200];

	if (TEST_SANITIZED || TEST_COVERAGE)
		SKIP("unoptimised and watched frames are larger");
	start_cpus(1);
	going = 0;
	for (int i = 0; i < 200; i++)
		tasks[i] = spawn(wait_for_go, NULL);
	for (int i = 0; i < 200; i++) {
		struct task *task = sched_find(tasks[i].id);
		char *top = (char *)task->stack.base + task->stack.bytes;

		await_blocked(tasks[i]);
		CHECK((char *)(task + 1) <= top);
		CHECK((char *)task >= top - 4096);
		/* The system's own context is a kilobyte. */
		CHECK_LE(resident_pages(&task->stack),
			 strcmp(ARCH_NAME, "generic") == 0 ? 2 : 1);
	}
	going = 1;
	for (int i = 0; i < 200; i++)
		join(tasks[i]);
	stop();
}

/* Numbers that no task has had, and generations that none begins with. */
TEST(handles_of_nobody)
{
	static const uint32_t numbers[] = {0,        1,         60,
					   64,       65,        100,
					   1u << 12, 1u << 20,  1u << 24,
					   1u << 31, UINT32_MAX};
	enum mete_task_state state;
	mete_task task;

	start_cpus(1);
	task = spawn(wait_for_go, NULL);
	CHECK_EQ((uint32_t)task.id, 1);
	CHECK_GE(task.id >> 32, 1);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		for (uint64_t life = 0; life < 3; life++) {
			mete_task forged = {life << 32 | numbers[i]};

			if (forged.id == task.id)
				continue;
			CHECK_EQ(mete_task_state(forged, &state), -ESRCH);
			CHECK_EQ(mete_task_join(forged, 0, NULL), -ESRCH);
			CHECK_EQ(mete_task_move(forged, METE_ROOT), -ESRCH);
		}
	}
	going = 1;
	join(task);
	stop();
}

/* Exactly as many as were allowed, then -EAGAIN, which costs nothing, then
 * again as many. */
TEST(no_more_than_were_allowed)
{
	struct mete_options options = METE_OPTIONS_INIT;
	enum {
		MOST = 100
	};
	static mete_task tasks[MOST + 1];
	mete_task untouched = {77};
	size_t before;

	options.cpus = 1;
	options.max_tasks = MOST;
	options.flags = METE_IGNORE_ENV;
	CHECK_EQ(mete_start(&options), 0);
	for (int round = 0; round < 3; round++) {
		going = 0;
		for (int i = 0; i < MOST; i++)
			tasks[i] = spawn(wait_for_go, NULL);
		CHECK_EQ(mete_task_create(&untouched, NULL, nothing, NULL),
			 -EAGAIN);
		CHECK_EQ(untouched.id, 77);
		before = mapped_kib();
		for (int i = 0; i < 1000; i++)
			CHECK_EQ(mete_task_create(&untouched, NULL, nothing,
						  NULL),
				 -EAGAIN);
		CHECK_LT(mapped_kib(), before + 10 * 1024 * test_slow());
		going = 1;
		for (int i = 0; i < MOST; i++)
			join(tasks[i]);
	}
	stop();
}

static void *run_and_release(void *arg)
{
	for (int i = 0; i < 500; i++)
		join(spawn(nothing, NULL));
	static mete_task tasks[900];

	for (int i = 0; i < 900; i++)
		tasks[i] = spawn(nothing, NULL);
	for (int i = 0; i < 900; i++)
		join(tasks[i]);
	return arg;
}

/* What one CPU keeps for later is not alive: another may have it. */
TEST(the_dead_do_not_count)
{
	struct mete_options options = METE_OPTIONS_INIT;
	static mete_task tasks[1000];

	options.cpus = 2;
	options.max_tasks = 1000;
	options.flags = METE_IGNORE_ENV;
	CHECK_EQ(mete_start(&options), 0);
	join(spawn_on(0, run_and_release, NULL));
	going = 0;
	for (int i = 0; i < 1000; i++)
		tasks[i] = spawn(wait_for_go, NULL);
	going = 1;
	for (int i = 0; i < 1000; i++)
		join(tasks[i]);
	stop();
}

static void *own_flags(void *arg)
{
	*(uint32_t *)arg = sched_current()->flags;
	return NULL;
}

TEST(a_new_life_begins_without_the_old_flags)
{
	struct mete_task_attr attr = METE_TASK_ATTR_INIT;
	uint32_t flags = 0;
	mete_task task;

	start_cpus(1);
	attr.fp_control = true;
	for (int i = 0; i < 3; i++) {
		CHECK_EQ(mete_task_create(&task, &attr, own_flags, &flags), 0);
		join(task);
		CHECK(flags & TASK_FP);
		join(spawn(own_flags, &flags));
		CHECK_EQ(flags & ~(unsigned)TASK_CANARY, 0);
	}
	stop();
}

static void *ask_for_more(void *arg)
{
	mete_task untouched = {77};

	CHECK_EQ(mete_task_create(&untouched, NULL, nothing, NULL), -EAGAIN);
	CHECK_EQ(untouched.id, 77);
	return arg;
}

/* A task is told as a thread is. */
TEST(no_more_than_were_allowed_to_a_task)
{
	struct mete_options options = METE_OPTIONS_INIT;
	mete_task tasks[2];

	options.cpus = 1;
	options.max_tasks = 2;
	options.flags = METE_IGNORE_ENV;
	CHECK_EQ(mete_start(&options), 0);
	tasks[0] = spawn(wait_for_go, NULL);
	tasks[1] = spawn(ask_for_more, NULL);
	usleep(5000);
	going = 1;
	for (int i = 0; i < 2; i++)
		join(tasks[i]);
	stop();
}

/* Ended, never joined: their own stacks go with the runtime. */
TEST(own_stacks_of_those_whom_nobody_joins_go)
{
	struct mete_task_attr attr = METE_TASK_ATTR_INIT;
	size_t before = 0;
	mete_task task;

	attr.stack_bytes = 64u << 20;
	for (int round = 0; round < 3; round++) {
		start_cpus(1);
		for (int i = 0; i < 8; i++)
			CHECK_EQ(mete_task_create(&task, &attr, nothing, NULL),
				 0);
		stop();
		if (!round)
			before = mapped_kib();
	}
	/* Sixteen of them are a gigabyte. */
	CHECK_LT(mapped_kib(), before + 256 * 1024);
}

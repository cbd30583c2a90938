/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fibers: where they run, that a stack is used again by the next, deep
 * frames, and that they go on in other threads; under the sanitizers, too,
 * which must not complain.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/test.h"
#include "os/stack.h"
#include "os/thread.h"
#include "task/fiber.h"

#define FIBERS 3

static struct fiber home;
static struct fiber fibers[FIBERS];
static struct os_stack stacks[FIBERS];
static unsigned trace[64];
static unsigned traced;
static char *first_frame;

static void begin(void)
{
	fiber_adopt(&home);
	for (int i = 0; i < FIBERS; i++) {
		CHECK_EQ(os_stack_map(65536, &stacks[i]), 0);
		fiber_init(&fibers[i], stacks[i].base, stacks[i].bytes);
		CHECK(fibers[i].stack_base == stacks[i].base);
		CHECK_EQ(fibers[i].stack_bytes, stacks[i].bytes);
	}
}

static void end(void)
{
	for (int i = 0; i < FIBERS; i++) {
		fiber_fini(&fibers[i]);
		os_stack_unmap(&stacks[i]);
	}
}

static void prepare(int i, void (*entry)(void))
{
	fiber_prepare(&fibers[i], entry);
	fiber_watch_prepare(&fibers[i]);
}

/* Leaves fiber i for good; others may then prepare it anew. */
static void leave(int i, struct fiber *to)
{
	fiber_switch_last(&fibers[i], to);
	FAIL("a fiber that ended goes on");
}

static void ping(void)
{
	char local[512];

	fiber_entered();
	memset(local, 7, sizeof(local));
	for (unsigned i = 0; i < 5; i++) {
		trace[traced++] = i;
		fiber_switch(&fibers[0], &fibers[1]);
	}
	for (size_t i = 0; i < sizeof(local); i++)
		CHECK_EQ(local[i], 7);
	leave(0, &home);
}

static void pong(void)
{
	fiber_entered();
	for (unsigned i = 100;; i++) {
		trace[traced++] = i;
		fiber_switch(&fibers[1], &fibers[0]);
	}
}

TEST(fibers_take_turns)
{
	begin();
	prepare(0, ping);
	prepare(1, pong);
	fiber_switch(&home, &fibers[0]);
	fiber_watch_end(&fibers[0]);
	fiber_watch_end(&fibers[1]);
	CHECK_EQ(traced, 10);
	for (unsigned i = 0; i < 10; i++)
		CHECK_EQ(trace[i], i / 2 + (i % 2 ? 100 : 0));
	end();
}

static void where(void)
{
	fiber_entered();
	first_frame = __builtin_frame_address(0);
	leave(2, &home);
}

TEST(a_stack_is_used_again_from_any_top)
{
	begin();
	for (size_t less = 0; less < 4096; less += 64) {
		size_t bytes = stacks[2].bytes - less;
		char *top = (char *)stacks[2].base + bytes;

		fiber_fini(&fibers[2]);
		fiber_init(&fibers[2], stacks[2].base, bytes);
		prepare(2, where);
		fiber_switch(&home, &fibers[2]);
		fiber_watch_end(&fibers[2]);
		CHECK(first_frame < top);
		CHECK_LT(top - first_frame, 2048);
	}
	end();
}

static unsigned __attribute__((noinline)) descend(unsigned depth)
{
	volatile unsigned char frame[128];

	frame[0] = (unsigned char)depth;
	if (depth)
		return descend(depth - 1) + frame[0];
	/* Switch away at the deepest and come back. */
	fiber_switch(&fibers[0], &home);
	return frame[0];
}

static unsigned descended;

static void dive(void)
{
	fiber_entered();
	descended = descend(100);
	leave(0, &home);
}

TEST(deep_frames_survive_a_switch)
{
	begin();
	prepare(0, dive);
	fiber_switch(&home, &fibers[0]);
	CHECK_EQ(descended, 0);
	fiber_switch(&home, &fibers[0]);
	fiber_watch_end(&fibers[0]);
	CHECK_EQ(descended, 100 * 101 / 2);
	end();
}

static pid_t tids[2];
static struct fiber other_home;

static void travel(void)
{
	fiber_entered();
	tids[0] = os_thread_self_tid();
	fiber_switch(&fibers[1], &home);
	tids[1] = os_thread_self_tid();
	leave(1, &other_home);
}

static void go_on(void *unused)
{
	(void)unused;
	fiber_adopt(&other_home);
	fiber_switch(&other_home, &fibers[1]);
}

TEST(a_fiber_goes_on_in_another_thread)
{
	struct os_thread thread;

	begin();
	prepare(1, travel);
	fiber_switch(&home, &fibers[1]);
	CHECK_EQ(os_thread_create(&thread, NULL, go_on, NULL), 0);
	os_thread_join(&thread);
	fiber_watch_end(&fibers[1]);
	CHECK_EQ(tids[0], getpid());
	CHECK_NE(tids[1], tids[0]);
	CHECK_NE(tids[1], 0);
	end();
}

static unsigned rounds;
static uint64_t sums[FIBERS];

static void compute(void)
{
	int me = (int)(traced++ % FIBERS);
	uint64_t sum = 0;

	fiber_entered();
	for (unsigned i = 0; i < rounds; i++) {
		sum = sum * 31 + (unsigned)me + i;
		fiber_switch(&fibers[me], &fibers[(me + 1) % FIBERS]);
	}
	sums[me] = sum;
	if (me < FIBERS - 1)
		leave(me, &fibers[me + 1]);
	leave(me, &home);
}

TEST(many_switches_keep_everything)
{
	begin();
	rounds = (unsigned)test_rounds(200000);
	for (int i = 0; i < FIBERS; i++)
		prepare(i, compute);
	fiber_switch(&home, &fibers[0]);
	for (int i = 0; i < FIBERS; i++) {
		uint64_t sum = 0;

		fiber_watch_end(&fibers[i]);
		for (unsigned n = 0; n < rounds; n++)
			sum = sum * 31 + (unsigned)i + n;
		CHECK_EQ(sums[i], sum);
	}
	end();
}

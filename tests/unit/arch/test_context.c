/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The switch between stacks: who runs on which, that what a function holds in
 * registers and on its stack is there when it goes on, that stacks are aligned
 * as the ABI wants, and that contexts move between threads.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "harness/test.h"

#define STACK_BYTES 65536
#define STACKS      3

static struct arch_context home;
static struct arch_context context[STACKS];
static _Alignas(64) unsigned char stack[STACKS][STACK_BYTES];
static int trace[64];
static int traced;

static void note(int what)
{
	trace[traced++] = what;
}

/* Under the thread sanitizer a bare switch confuses its shadow stack: it is
 * tested through fibers there. */
#if TEST_TSAN || TEST_ASAN
# define SKIP_WATCHED SKIP("bare switches are not for sanitizers")
#else
# define SKIP_WATCHED (void)0
#endif

static void prepare(int i, void (*entry)(void))
{
	arch_context_init(&context[i], stack[i] + STACK_BYTES, entry);
}

static bool on_stack(int i, const void *address)
{
	return (const unsigned char *)address >= stack[i] &&
	       (const unsigned char *)address < stack[i] + STACK_BYTES;
}

static void first(void)
{
	int local = 5;

	CHECK(on_stack(0, &local));
	for (int i = 0; i < 3; i++) {
		note(10 + i);
		arch_switch(&context[0], &context[1]);
	}
	CHECK_EQ(local, 5);
	arch_switch(&context[0], &home);
	FAIL("a context that was left for good goes on");
}

static void second(void)
{
	int local = 6;

	CHECK(on_stack(1, &local));
	for (int i = 0;; i++) {
		note(20 + i);
		arch_switch(&context[1], &context[0]);
	}
}

TEST(contexts_take_turns)
{
	static const int expected[] = {1, 10, 20, 11, 21, 12, 22, 2};

	SKIP_WATCHED;
	prepare(0, first);
	prepare(1, second);
	note(1);
	arch_switch(&home, &context[0]);
	note(2);
	CHECK_EQ(traced, 8);
	for (int i = 0; i < 8; i++)
		CHECK_EQ(trace[i], expected[i]);
}

static uint64_t bits_of(double number)
{
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	return bits;
}

/* More values than registers, in all kinds of registers, over switches. */
static uint64_t hold(int me, int next, uint64_t seed)
{
	uint64_t a = seed, b = seed * 3, c = seed * 5, d = seed * 7;
	uint64_t e = seed * 11, f = seed * 13, g = seed * 17, h = seed * 19;
	double x = (double)seed, y = x * 3;

	for (int i = 0; i < 1000; i++) {
		arch_switch(me < 0 ? &home : &context[me],
			    next < 0 ? &home : &context[next]);
		a += b ^ c;
		b += c ^ d;
		c += d ^ e;
		d += e ^ f;
		e += f ^ g;
		f += g ^ h;
		g += h ^ a;
		h += a ^ b;
		x = x / 3 + y;
		y = y / 5 + x;
	}
	return a ^ b ^ c ^ d ^ e ^ f ^ g ^ h ^ bits_of(x) ^ bits_of(y);
}

static uint64_t held[2];

static void holder(void)
{
	held[1] = hold(1, -1, 1000003);
	arch_switch(&context[1], &home);
}

/* The same without anybody in between. */
static void nothing(void)
{
	for (;;)
		arch_switch(&context[2], &home);
}

TEST(what_registers_hold_survives)
{
	uint64_t alone[2];

	SKIP_WATCHED;
	prepare(2, nothing);
	alone[0] = hold(-1, 2, 77);
	alone[1] = hold(-1, 2, 1000003);
	prepare(1, holder);
	held[0] = hold(-1, 1, 77);
	arch_switch(&home, &context[1]);
	CHECK_EQ(held[0], alone[0]);
	CHECK_EQ(held[1], alone[1]);
	CHECK_NE(held[0], held[1]);
}

static void aligned(void)
{
	/* A vector that the compiler spills must not fault, and the frame lies
	 * where the ABI wants it. */
	_Alignas(16) volatile char spill[32];

	spill[0] = 1;
	CHECK_EQ((uintptr_t)spill % 16, 0);
#if defined(__x86_64__)
	CHECK_EQ((uintptr_t)__builtin_frame_address(0) % 16, 0);
#endif
	arch_switch(&context[0], &home);
}

TEST(stacks_are_aligned)
{
	SKIP_WATCHED;
	for (int offset = 0; offset < 64; offset++) {
#if defined(ARCH_GENERIC_ARCH_H)
		offset += 63;
#endif
		arch_context_init(&context[0], stack[0] + STACK_BYTES - offset,
				  aligned);
		arch_switch(&home, &context[0]);
	}
	CHECK(on_stack(0, stack[0]));
}

/* Which thread it is: an address that compilers would love to keep. */
ARCH_TLS_MODEL __thread int *test_thread __attribute__((used));
#if defined(ARCH_TLS_READER)
void *arch_tls_read_test_thread(void);
ARCH_TLS_READER(test_thread)
#endif

static int *seen[2];
static int places[2];

static void traveller(void)
{
	seen[0] = ARCH_TLS_POINTER(test_thread);
	arch_switch(&context[0], &home);
	seen[1] = ARCH_TLS_POINTER(test_thread);
	arch_switch(&context[0], &home);
}

static void *carry(void *arg)
{
	test_thread = &places[1];
	arch_switch(&home, &context[0]);
	return arg;
}

TEST(a_context_goes_on_in_another_thread)
{
	pthread_t thread;

	SKIP_WATCHED;
	prepare(0, traveller);
	test_thread = &places[0];
	arch_switch(&home, &context[0]);
	CHECK_EQ(pthread_create(&thread, NULL, carry, NULL), 0);
	pthread_join(thread, NULL);
	CHECK(seen[0] == &places[0]);
	CHECK(seen[1] == &places[1]);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a task keeps over a switch, wherever it goes on: errno, its stack,
 * registers, rounding modes, jumps within it.
 */
#include <setjmp.h>

#include "unit/sched/rounding.h"
#include "unit/sched/running.h"

static __thread int carrier_local;

/* Addresses of thread-local variables are those of the carrier of the moment,
 * if they are taken afresh: in functions of their own. */
static __attribute__((noinline)) int *local_address(void)
{
	__asm__ volatile("");
	return &carrier_local;
}

static __attribute__((noinline)) void set_errno(int value)
{
	__asm__ volatile("");
	errno = value;
}

static __attribute__((noinline)) int get_errno(void)
{
	__asm__ volatile("");
	return errno;
}

static int *_Atomic local_of[2];
static uint64_t rounds;

/* Migrates in every loop. */
static void *wander(void *arg)
{
	int self = (int)(intptr_t)arg;
	mete_task task = mete_task_self();
	int moved = 0;

	for (uint64_t i = 0; i < rounds; i++) {
		unsigned cpu = (unsigned)(i + (uint64_t)self) % 2;
		int *expected = NULL;
		int *local;

		set_errno(self);
		moved += mete_cpu_self() != (int)cpu;
		CHECK_EQ(bind_to(task, cpu), 0);
		CHECK_EQ(mete_cpu_self(), cpu);
		CHECK_EQ(get_errno(), self);
		local = local_address();
		if (!atomic_compare_exchange_strong(&local_of[cpu], &expected,
						    local))
			CHECK(local == expected);
		if (i % 8 == 0)
			mete_task_yield();
		CHECK_EQ(mete_task_self().id, task.id);
	}
	CHECK_GE(moved, (int)rounds / 2);
	return NULL;
}

TEST(thread_locals_and_errno_over_migration)
{
	mete_task tasks[6];

	start_cpus(2);
	rounds = test_rounds(3000);
	for (intptr_t i = 0; i < 6; i++)
		tasks[i] = spawn(wander, (void *)(i + 100));
	for (int i = 0; i < 6; i++)
		join(tasks[i]);
	CHECK(local_of[0] && local_of[1] && local_of[0] != local_of[1]);
	stop();
}

static uint64_t fold(unsigned depth, uint64_t seed)
{
	volatile uint64_t here[8];

	for (int i = 0; i < 8; i++)
		here[i] = seed + depth + (unsigned)i;
	if (depth % 64 == 0)
		mete_task_yield();
	if (depth)
		seed = fold(depth - 1, seed);
	for (int i = 0; i < 8; i++)
		CHECK_EQ(here[i], seed + depth + (unsigned)i);
	return seed;
}

static void *recurse(void *arg)
{
	uint64_t seed = (uintptr_t)arg;

	CHECK_EQ(fold(20000, seed), seed);
	return NULL;
}

TEST(deep_recursion)
{
	struct mete_task_attr attr = METE_TASK_ATTR_INIT;
	mete_task tasks[4];

	start_cpus(2);
	attr.stack_bytes = 16u << 20;
	for (intptr_t i = 0; i < 4; i++)
		CHECK_EQ(mete_task_create(&tasks[i], &attr, recurse,
					  (void *)(i * 1000000)),
			 0);
	for (int i = 0; i < 4; i++)
		join(tasks[i]);
	stop();
}

static volatile bool landing = true;

static void leap(jmp_buf home, int depth)
{
	volatile char frame[64];

	memset((char *)frame, depth, sizeof(frame));
	if (depth == 0 && landing)
		longjmp(home, 5);
	if (depth < 0)
		return;
	mete_task_yield();
	leap(home, depth - 1);
	CHECK_EQ(frame[0], depth);
}

static void *jump_about(void *arg)
{
	for (volatile int i = 0; i < 200; i++) {
		jmp_buf home;

		if (!setjmp(home))
			leap(home, 20);
		mete_task_yield();
	}
	return arg;
}

TEST(jumps_within_a_task)
{
	mete_task tasks[4];

	start_cpus(2);
	for (int i = 0; i < 4; i++)
		tasks[i] = spawn(jump_about, NULL);
	for (int i = 0; i < 4; i++)
		join(tasks[i]);
	stop();
}

/* More live values than there are registers of any kind. */
static void *keep_values(void *arg)
{
	double seed = (double)(intptr_t)arg;
	double a = seed, b = seed * 2, c = seed * 3, d = seed * 4, e = seed * 5;
	double f = seed * 6, g = seed * 7, h = seed * 8;
	long double x = (long double)seed / 7, y = x * 3;
	uint64_t p = (uintptr_t)arg, q = p * 3, r = p * 5, s = p * 7, t = p * 9;
	typedef float vector __attribute__((vector_size(16)));
	vector v = {(float)seed, 1, 2, 3}, w = v * 2;

	for (uint64_t i = 0; i < rounds; i++) {
		a += 1;
		b += 2;
		c += 3;
		d += 4;
		e += 5;
		f += 6;
		g += 7;
		h += 8;
		x += 1;
		y += 3;
		p += 1;
		q += 3;
		r += 5;
		s += 7;
		t += 9;
		v += 1;
		w += 2;
		if (i % 3 == 0)
			mete_task_sleep(1);
		else
			mete_task_yield();
	}
	CHECK(a * 8 == h && a * 7 == g && a * 6 == f && a * 5 == e);
	CHECK(a * 4 == d && a * 3 == c && a * 2 == b);
	CHECK(a == seed + (double)rounds);
	CHECK(y - 3 * x < 1e-9L && 3 * x - y < 1e-9L);
	CHECK_EQ(q, 3 * p);
	CHECK_EQ(r, 5 * p);
	CHECK_EQ(s, 7 * p);
	CHECK_EQ(t, 9 * p);
	for (int i = 0; i < 4; i++)
		CHECK(w[i] == 2 * v[i]);
	return NULL;
}

TEST(registers_of_all_kinds)
{
	mete_task tasks[8];

	start_cpus(2);
	rounds = test_rounds(3000);
	for (intptr_t i = 0; i < 8; i++)
		tasks[i] = spawn(keep_values, (void *)(i + 1));
	for (int i = 0; i < 8; i++)
		join(tasks[i]);
	stop();
}

/* Two roundings of one division, told apart by their last bit. */
static void *round_its_way(void *arg)
{
	int mode = (int)(intptr_t)arg;
	volatile double one = 1, three = 3;
	double quotient;

	rounding_set(mode);
	quotient = one / three;
	for (uint64_t i = 0; i < rounds; i++) {
		CHECK_EQ(bind_to(mete_task_self(), (unsigned)i % 2), 0);
		CHECK(one / three == quotient);
		mete_task_yield();
		CHECK_EQ(rounding_get(), mode);
	}
	CHECK(mode == ROUND_UP ? quotient * 3 >= 1 : quotient * 3 <= 1);
	return NULL;
}

TEST(rounding_modes_over_migration)
{
	static const int modes[] = {ROUND_UP, ROUND_DOWN, ROUND_TO_ZERO};
	struct mete_task_attr attr = METE_TASK_ATTR_INIT;
	mete_task tasks[6];

	start_cpus(2);
	rounds = test_rounds(2000);
	attr.fp_control = true;
	for (int i = 0; i < 6; i++)
		CHECK_EQ(mete_task_create(&tasks[i], &attr, round_its_way,
					  (void *)(intptr_t)modes[i % 3]),
			 0);
	for (int i = 0; i < 6; i++)
		join(tasks[i]);
	stop();
}

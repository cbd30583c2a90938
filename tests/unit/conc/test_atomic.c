/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Typed atomics: what each operation returns and leaves, that nothing tears or
 * gets lost between threads, and that the orders order.
 */
#include "conc/atomic.h"
#include "harness/test.h"
#include "os/thread.h"

_Static_assert(sizeof(struct a32) == 4, "nothing but the word");
_Static_assert(sizeof(struct a64) == 8, "nothing but the word");
_Static_assert(_Alignof(struct a64) == 8, "on 32 bits, too");

TEST(exchanges_give_the_old_value)
{
	struct a32 a = {5};
	struct a64 b = {UINT64_C(1) << 40};
	struct aptr p = {&a};

	CHECK_EQ(a32_exchange_acquire(&a, 6), 5);
	CHECK_EQ(a32_exchange_release(&a, 7), 6);
	CHECK_EQ(a32_exchange_acq_rel(&a, 8), 7);
	CHECK_EQ(a32_exchange_seq_cst(&a, 9), 8);
	CHECK_EQ(a32_load_seq_cst(&a), 9);
	CHECK_EQ(a64_exchange_acq_rel(&b, UINT64_MAX), UINT64_C(1) << 40);
	CHECK_EQ(a64_load_acquire(&b), UINT64_MAX);
	CHECK(aptr_exchange_acquire(&p, &b) == &a);
	CHECK(aptr_load_relaxed(&p) == &b);
}

TEST(a_swap_compares)
{
	struct a64 a = {10};
	uint64_t expected = 9;

	CHECK(!a64_cas_acq_rel(&a, &expected, 11));
	CHECK_EQ(expected, 10);
	CHECK_EQ(a64_load_relaxed(&a), 10);
	CHECK(a64_cas_acq_rel(&a, &expected, 11));
	CHECK_EQ(a64_load_relaxed(&a), 11);
	CHECK(!a64_cas_acquire(&a, &expected, 12));
	CHECK(a64_cas_seq_cst(&a, &expected, 12));
	CHECK_EQ(a64_load_relaxed(&a), 12);
}

TEST(adds_give_the_old_value)
{
	struct a32 a = {UINT32_MAX};
	struct a64 b = {3};

	CHECK_EQ(a32_add_relaxed(&a, 2), UINT32_MAX);
	CHECK_EQ(a32_load_relaxed(&a), 1);
	CHECK_EQ(a64_add_acq_rel(&b, 4), 3);
	CHECK_EQ(a64_add_seq_cst(&b, (uint64_t)-1), 7);
	a64_own_add(&b, 10);
	CHECK_EQ(a64_own(&b), 16);
	a64_own_set(&b, 2);
	CHECK_EQ(a64_own(&b), 2);
}

static struct a64 shared;
static struct a64 owned;
static struct a32 go;

static void adder(void *unused)
{
	(void)unused;
	while (!a32_load_acquire(&go))
		os_thread_yield();
	for (uint64_t i = test_rounds(200000); i; i--)
		a64_add_relaxed(&shared, 1);
}

TEST(no_add_is_lost)
{
	struct os_thread threads[3];

	for (int i = 0; i < 3; i++)
		CHECK_EQ(os_thread_create(&threads[i], NULL, adder, NULL), 0);
	a32_store_release(&go, 1);
	for (int i = 0; i < 3; i++)
		os_thread_join(&threads[i]);
	CHECK_EQ(a64_load_relaxed(&shared), 3 * test_rounds(200000));
}

static void stepper(void *unused)
{
	uint64_t value = 0;

	(void)unused;
	/* Both halves change together, and only together. */
	for (uint64_t i = test_rounds(1000000); i; i--) {
		a64_own_add(&owned, UINT64_C(0x100000001));
		value = a64_own(&owned);
	}
	CHECK_EQ(value >> 32, value & UINT32_MAX);
	a32_store_release(&go, 2);
}

TEST(words_do_not_tear)
{
	struct os_thread thread;
	uint64_t last = 0;

	CHECK_EQ(os_thread_create(&thread, NULL, stepper, NULL), 0);
	while (a32_load_acquire(&go) != 2) {
		uint64_t value = a64_load_acquire(&owned);

		CHECK_EQ(value >> 32, value & UINT32_MAX);
		CHECK_GE(value, last);
		last = value;
	}
	os_thread_join(&thread);
	CHECK_EQ(a64_own(&owned), test_rounds(1000000) * 0x100000001);
}

/* Two threads each raise a flag and look at the other's: with full barriers at
 * least one sees the other (Dekker). */
static struct a32 flag[2];
static struct a32 round_of;
static uint32_t saw[2];
static uint32_t rounds;

static void meet(uint32_t round)
{
	a32_add_seq_cst(&round_of, 1);
	for (int i = 0; a32_load_acquire(&round_of) < 2 * round; i++)
		if (i > 1000)
			os_thread_yield();
}

static void raise_and_look(uint32_t me, uint32_t round)
{
	a32_exchange_seq_cst(&flag[me], round);
	saw[me] = a32_load_seq_cst(&flag[!me]);
}

static void other_side(void *unused)
{
	(void)unused;
	for (uint32_t i = 1; i <= rounds; i++) {
		meet(2 * i - 1);
		raise_and_look(1, i);
		meet(2 * i);
	}
}

TEST(full_barriers_order_store_and_load)
{
	struct os_thread thread;

	rounds = (uint32_t)test_rounds(2000);
	CHECK_EQ(os_thread_create(&thread, NULL, other_side, NULL), 0);
	for (uint32_t i = 1; i <= rounds; i++) {
		meet(2 * i - 1);
		raise_and_look(0, i);
		meet(2 * i);
		CHECK(saw[0] == i || saw[1] == i);
	}
	os_thread_join(&thread);
}

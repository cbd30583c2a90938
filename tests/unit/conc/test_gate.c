/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gate: who gets in when, and that the owner's plain stores and the guests'
 * never meet, however often it is opened and shut.
 */
#include <stdatomic.h>

#include "arch/arch.h"
#include "conc/gate.h"
#include "harness/test.h"
#include "os/thread.h"

static struct gate gate;

static uint32_t state(void)
{
	return a32_load_acquire(&gate.state);
}

TEST(one_after_the_other)
{
	gate_init(&gate);
	CHECK_EQ(state(), GATE_SHUT);
	CHECK(!gate_shut(&gate));
	/* The owner inside: a guest goes away, but has asked. */
	CHECK(gate_own(&gate));
	CHECK(!gate_visit(&gate));
	CHECK_EQ(state(), GATE_FENCED);
	CHECK(!gate_visit(&gate));
	gate_leave(&gate);
	CHECK(!gate_own(&gate));
	CHECK(gate_visit(&gate));
	CHECK_EQ(state(), GATE_OPEN);
	/* Guests may be several, and keep it open. */
	CHECK(gate_visit(&gate));
	CHECK(!gate_shut(&gate));
	gate_depart(&gate);
	CHECK(!gate_shut(&gate));
	gate_depart(&gate);
	CHECK_EQ(state(), GATE_OPEN);
	CHECK(!gate_own(&gate));
	CHECK(gate_shut(&gate));
	CHECK_EQ(state(), GATE_SHUT);
	CHECK(gate_own(&gate));
	gate_leave(&gate);
	CHECK_EQ(a32_load_acquire(&gate.visits), 4);
}

static uint64_t data;
static atomic_bool over;
static _Atomic uint64_t guests;
static uint64_t refused;

static void visit(void *arg)
{
	(void)arg;
	while (!over) {
		if (!gate_visit(&gate)) {
			refused++;
			os_thread_yield();
			continue;
		}
		data++;
		guests++;
		gate_depart(&gate);
		for (int i = 0; i < 50; i++)
			arch_relax();
	}
}

static void shut(void *arg)
{
	while (!over)
		*(uint64_t *)arg += gate_shut(&gate);
}

TEST(they_never_meet)
{
	struct os_thread threads[2];
	uint64_t wanted = test_rounds(300);
	uint64_t shuts = 0;
	uint64_t owned = 0;

	gate_init(&gate);
	CHECK_EQ(os_thread_create(&threads[0], NULL, visit, NULL), 0);
	CHECK_EQ(os_thread_create(&threads[1], NULL, shut, &shuts), 0);
	for (uint64_t i = 0; guests < wanted || owned < 1000 * wanted; i++) {
		if (i % 1024 == 1023)
			os_thread_yield();
		if (!gate_own(&gate))
			continue;
		/* As a plain read-modify-write is. */
		data++;
		owned++;
		gate_leave(&gate);
	}
	over = true;
	for (int i = 0; i < 2; i++)
		CHECK_EQ(os_thread_join(&threads[i]), 0);
	CHECK_EQ(data, owned + guests);
	NOTE("%llu owned, %llu visits, %llu refused, %llu times shut",
	     (unsigned long long)owned, (unsigned long long)guests,
	     (unsigned long long)refused, (unsigned long long)shuts);
}

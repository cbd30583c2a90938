/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For the tests of the books: CPUs without a scheduler, driven by one thread,
 * and a small tree of groups.
 *
 * The true CPU time is asked for, never flagged (nobody has probed), so each
 * CPU has a word of its own and thefts can be planted in exact ticks.
 */
#ifndef UNIT_ACCT_FIXTURE_H
#define UNIT_ACCT_FIXTURE_H

#include <stdlib.h>
#include <string.h>

#include "acct/group.h"
#include "acct/press.h"
#include "acct/read.h"
#include "harness/test.h"

#define CPUS   2
#define GROUPS 8

static struct acct_cpu cpus[CPUS];
static struct acct_cpu *cpu_list[CPUS];
static struct acct_tree tree;
static struct os_timebase timebase;

/* The root and seven below it, the deepest at /a/b/c/d. */
static const int parent_of[GROUPS] = {-1, 0, 1, 2, 3, 1, 0, 6};
static const char *const name_of[GROUPS] = {"",  "a", "b", "c",
					    "d", "e", "f", "g"};
static uint64_t group_id[GROUPS];
static struct acct_group *groups[GROUPS];

static inline void fixture_begin(enum acct_mode mode)
{
	CHECK_EQ(os_timebase_calibrate(&timebase), 0);
	for (int i = 0; i < CPUS; i++) {
		cpu_list[i] = &cpus[i];
		cpus[i].mode = mode;
	}
	CHECK_EQ(acct_tree_init(&tree, cpu_list, CPUS), 0);
	for (int i = 0; i < CPUS; i++)
		acct_cpu_begin(&cpus[i], &timebase);
	group_id[0] = ACCT_ROOT_ID;
	for (int g = 1; g < GROUPS; g++)
		CHECK_EQ(acct_group_create(&tree, group_id[parent_of[g]],
					   name_of[g], &group_id[g]),
			 0);
	for (int g = 0; g < GROUPS; g++) {
		groups[g] = acct_group_get(&tree, group_id[g]);
		CHECK(groups[g]);
	}
}

static inline void fixture_end(void)
{
	for (int i = 0; i < CPUS; i++)
		acct_cpu_end(&cpus[i]);
	acct_tree_fini(&tree);
}

/* A grace period begins, and counts from now on. */
static inline void await_counting(void)
{
	uint64_t begin;

	acct_group_reap(&tree);
	begin = os_monotonic_ns();
	while (os_monotonic_ns() - begin <= ACCT_GRACE_NS)
		arch_relax();
	acct_group_reap(&tree);
}

/* Every CPU has looked at its groups anew, as often as a chain of destroyed
 * groups may want it. */
static inline void quiesce(void)
{
	for (int round = 0; round < GROUPS; round++) {
		await_counting();
		for (int i = 0; i < CPUS; i++)
			a64_own_add(&cpus[i].switches, 1);
	}
	acct_group_reap(&tree);
}

/* Let at least so many ticks pass. */
static inline void pass(uint64_t ticks)
{
	uint64_t start = os_ticks();

	while (os_ticks() - start < ticks)
		arch_relax();
}

/* The next press of that CPU finds that so many ticks were stolen, if its
 * interval is that long. */
static inline void plant_theft(struct acct_cpu *cpu, uint64_t ticks)
{
	CHECK_EQ(cpu->steal.mode, OS_STEAL_ASK);
	cpu->steal.carry = (int64_t)ticks;
	*cpu->steal.slot = 0;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stolen time where the kernel is asked: because another library's pointer
 * stands where ours would, or because there is nothing to look at.
 */
#include "unit/os/pressing.h"

/*
 * Another library's descriptor: valid, as the kernel kills for one that isn't.
 */
static struct {
	uint32_t landing[4];
	struct {
		uint32_t version;
		uint32_t flags;
		uint64_t start_ip;
		uint64_t post_commit_offset;
		uint64_t abort_ip;
	} cs __attribute__((aligned(32)));
} foreign;

static void fill_foreign(void)
{
	/* The signature of ours: before the abort address. */
	const uint64_t *ours = (const uint64_t *)os_steal_area_descriptor();

	foreign.landing[1] = *(const uint32_t *)(uintptr_t)(ours[3] - 4);
	foreign.cs.start_ip = (uintptr_t)&foreign.landing[0];
	foreign.cs.post_commit_offset = 1;
	foreign.cs.abort_ip = (uintptr_t)&foreign.landing[2];
}

TEST(a_foreign_pointer_is_never_overwritten)
{
	volatile uintptr_t *slot = os_steal_area_slot();
	uintptr_t theirs = (uintptr_t)&foreign.cs;
	uint64_t stamp;

	begin(OS_STEAL_FLAG);
	fill_foreign();
	/* The kernel may clear theirs, too, and then it is for us to arm. */
	for (int tries = 0; steal.mode == OS_STEAL_FLAG && tries < 100;
	     tries++) {
		*slot = theirs;
		CHECK(os_steal_disturbed(&steal));
		os_steal_rearm(&steal);
	}
	CHECK_EQ(steal.mode, OS_STEAL_ASK);
	CHECK(*slot == theirs || !*slot);
	*slot = theirs;
	os_steal_collect(&steal, 100, &stamp);
	os_steal_anchor(&steal, &stamp);
	os_steal_rearm(&steal);
	os_steal_ask(&steal);
	os_steal_fini(&steal);
	CHECK(*slot == theirs || !*slot);
	/* From the start. */
	for (int tries = 0; tries < 100; tries++) {
		*slot = theirs;
		os_steal_init(&steal, &base);
		if (*slot == theirs)
			break;
		os_steal_fini(&steal);
	}
	CHECK_EQ(steal.mode, OS_STEAL_ASK);
	CHECK(*slot == theirs || !*slot);
	os_steal_fini(&steal);
	*slot = 0;
}

TEST(asking_pays_out_what_was_stolen)
{
	struct books books = {0};
	uint64_t start;
	uint64_t end;
	uint64_t cpu_ns;
	pid_t child;

	begin(OS_STEAL_ASK);
	CHECK(!os_steal_disturbed(&steal));
	child = compete();
	os_steal_anchor(&steal, &start);
	cpu_ns = os_thread_cpu_ns();
	end = start + base.ticks_per_second;
	/* Short intervals, and a question each millisecond. */
	while (start < end) {
		press_until(&books, start + base.ticks_per_second / 1000, 1000,
			    &start);
		os_steal_ask(&steal);
		CHECK(os_steal_disturbed(&steal));
	}
	/* Waiting for it here would be a sleep of our own, which is held. */
	kill(child, SIGKILL);
	/* Until the last debt is paid, whoever else competes meanwhile. */
	do {
		os_steal_ask(&steal);
		press_until(&books, start + base.ticks_per_second / 1000, 1000,
			    &start);
		/* What was taken since is asked for at the very end. */
		os_steal_ask(&steal);
		press_until(&books, start, 0, &start);
	} while (to_ns((uint64_t)llabs(steal.carry)) > 20000);
	cpu_ns = os_thread_cpu_ns() - cpu_ns;
	end_competitor(child);
	CHECK_GT(to_ns(books.stolen), 200 * MS);
	check_exec(&books, cpu_ns, 5000);
	os_steal_fini(&steal);
}

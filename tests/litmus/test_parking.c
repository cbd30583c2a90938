/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dekker's pair on real CPUs: who goes to sleep and who has sent something, who
 * has set a flag, or who has stopped watching descriptors.  At least one of the
 * two sees the other.
 *
 * The control leaves the fences out: the processor does what the pair is there
 * against, and this harness sees it.
 */
#include "litmus/litmus.h"
#include "sched/parking.h"
#include "sched/watch.h"

static struct cell {
	struct a32 parked cache_aligned;
	struct wakelist list cache_aligned;
	struct a32 flag;
	struct wakenode node;
	/* what each has seen */
	bool owner cache_aligned;
	bool waker cache_aligned;
} cells[LITMUS_CELLS];

static void prepare(size_t i)
{
	a32_store_relaxed(&cells[i].parked, PARKED_NOT);
	aptr_store_relaxed(&cells[i].list.head, NULL);
	a32_store_relaxed(&cells[i].flag, 0);
}

/* 0 both, 1 the owner alone, 2 the waker alone: its system call. */
static unsigned outcome(size_t i)
{
	const struct cell *cell = &cells[i];

	if (cell->owner)
		return cell->waker ? 0 : 1;
	return cell->waker ? 2 : FORBIDDEN;
}

static void owner_bare(size_t i)
{
	a32_store_relaxed(&cells[i].parked, PARKED_FUTEX);
	cells[i].owner = a32_load_relaxed(&cells[i].flag);
}

static void waker_bare(size_t i)
{
	a32_store_relaxed(&cells[i].flag, 1);
	cells[i].waker = a32_load_relaxed(&cells[i].parked);
}

TEST_WITHIN(the_control_is_seen, 60)
{
	static const struct litmus litmus = {
		.prepare = prepare,
		.left = owner_bare,
		.right = waker_bare,
		.outcome = outcome,
	};
	struct litmus_run run = {.litmus = &litmus, .rounds = UINT64_MAX};

	litmus_go(&run, FORBIDDEN, 30.0 * test_slow());
#if defined(__x86_64__) || defined(__i386__) || defined(__aarch64__)
	CHECK(run.count[FORBIDDEN] > 0);
#endif
}

static void owner_looks(size_t i)
{
	parking_publish(&cells[i].parked, PARKED_FUTEX);
	cells[i].owner = parking_sees(&cells[i].list);
}

static void waker_pushes(size_t i)
{
	wakelist_push(&cells[i].list, &cells[i].node);
	cells[i].waker = parking_claim(&cells[i].parked) != PARKED_NOT;
}

TEST_WITHIN(a_push_is_not_slept_over, 3600)
{
	static const struct litmus litmus = {
		.prepare = prepare,
		.left = owner_looks,
		.right = waker_pushes,
		.outcome = outcome,
	};

	litmus_never(&litmus);
}

static void owner_looks_at_flag(size_t i)
{
	parking_publish(&cells[i].parked, PARKED_FUTEX);
	cells[i].owner = parking_sees_flag(&cells[i].flag);
}

static void waker_flags(size_t i)
{
	parking_flag(&cells[i].flag);
	cells[i].waker = parking_claim(&cells[i].parked) != PARKED_NOT;
}

TEST_WITHIN(a_flag_is_not_slept_over, 3600)
{
	static const struct litmus litmus = {
		.prepare = prepare,
		.left = owner_looks_at_flag,
		.right = waker_flags,
		.outcome = outcome,
	};

	litmus_never(&litmus);
}

/* There is one watch: in each batch the first giving is the race, the others find
 * it given back and only look. */
static void prepare_watch(size_t i)
{
	prepare(i);
	a32_store_relaxed(&sched_watch.waiting, 1);
	a32_store_relaxed(&sched_watch.kept, 1);
}

static void owner_wants(size_t i)
{
	parking_publish(&cells[i].parked, PARKED_FUTEX);
	cells[i].owner = watch_wanted();
}

static void keeper_gives(size_t i)
{
	watch_give();
	cells[i].waker = parking_claim(&cells[i].parked) != PARKED_NOT;
}

TEST_WITHIN(the_watch_is_not_left_behind, 3600)
{
	static const struct litmus litmus = {
		.prepare = prepare_watch,
		.left = owner_wants,
		.right = keeper_gives,
		.outcome = outcome,
	};

	litmus_never(&litmus);
}

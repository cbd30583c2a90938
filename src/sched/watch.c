/* SPDX-License-Identifier: Apache-2.0 */
/* The watch changes hands by exchanges, so that each hand-over orders all that
 * was done before it. */
#include "sched/watch.h"

#include "sched/sched.h"

struct watch sched_watch;

static const struct watch_calls *calls;

void watch_wire(const struct watch_calls *given)
{
	calls = given;
	/* relaxed: nobody else runs yet */
	a32_store_relaxed(&sched_watch.kept, 0);
	a32_store_relaxed(&sched_watch.waiting, 0);
}

static void set_due(void)
{
	/* relaxed: see watch_due() */
	a64_store_relaxed(&sched_watch.due, os_monotonic_ns() + WATCH_GAP_NS);
}

static bool take(void)
{
	/* order: watch.take pairs watch.give, watch.free: what the last keeper
	 * did; and who gives it back after us sees us parked */
	return !a32_exchange_seq_cst(&sched_watch.kept, 1);
}

void watch_add(void)
{
	/* order: watch.add pairs watch.waits, watch.any, watch.some: this CPU does not park
	 * without seeing it */
	if (!a32_add_seq_cst(&sched_watch.waiting, 1))
		set_due();
	/* Other tasks may keep this CPU busy. */
	watch_cover();
}

void watch_drop(void)
{
	/* relaxed: one too many costs a look */
	a32_add_relaxed(&sched_watch.waiting, (uint32_t)-1);
}

bool watch_take(void)
{
	/* order: watch.any pairs watch.add: as watch.waits */
	return a32_load_seq_cst(&sched_watch.waiting) && take();
}

bool watch_sleep(uint64_t deadline_ns)
{
	return calls->look(deadline_ns);
}

void watch_deliver(void)
{
	calls->deliver();
}

void watch_give(void)
{
	set_due();
	/* order: watch.give pairs watch.take, watch.free: either we see who
	 * parks, or it sees the watch free */
	a32_exchange_seq_cst(&sched_watch.kept, 0);
}

void watch_ring(void)
{
	calls->ring();
}

bool watch_poll(void)
{
	bool found;

	/* order: watch.some pairs watch.add: the set that was made before */
	if (likely(!a32_load_acquire(&sched_watch.waiting)))
		return false;
	/* relaxed: the taking decides */
	if (a32_load_relaxed(&sched_watch.kept) || !take())
		return false;
	found = calls->look(0);
	if (found)
		calls->deliver();
	watch_give();
	return found;
}

void watch_mind(uint64_t now)
{
	if (!watch_wanted() || watch_due() > now)
		return;
	set_due();
	if (sched_notify_any())
		return;
	watch_poll();
	/* Who parked while we kept the watch has left it to us. */
	if (watch_wanted())
		sched_notify_any();
}

void watch_cover(void)
{
	if (unlikely(watch_wanted()))
		tick_cover(watch_due());
}

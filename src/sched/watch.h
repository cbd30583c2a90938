/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Watching the world: who looks whether descriptors are ready.
 *
 * There is one set of descriptors for the process, and at most one thread at a
 * time looks into it: the watch.  An idle CPU that gets the watch sleeps in the
 * set, so that readiness and wake-ups share one bed; the others sleep on their
 * futex, as all do while no task waits for a descriptor.  Readiness wakes one
 * CPU, and what it made ready is spread as any other work.
 *
 * Law: while tasks wait for descriptors, the watch is kept by a CPU that sleeps
 * in the set, or some CPU is awake.
 *
 *	a CPU that parks                  whoever gives the watch back
 *	watch_take(): not free            watch_give()
 *	parking_publish()                 look whether CPUs are parked
 *	watch_wanted()?  then not asleep  if so, wake one
 *	sleep on the futex
 *
 * A CPU that gives it back is awake itself and comes to park again, or stays
 * busy.  While all CPUs that are awake stay busy the tick looks after
 * WATCH_GAP_NS: it wakes a CPU that sleeps elsewhere, which then takes the
 * watch, or, where none sleeps, looks itself; and does as on the right.
 *
 * The set itself is io/'s, two floors up: watch_wire() has its calls.
 */
#ifndef SCHED_WATCH_H
#define SCHED_WATCH_H

#include "base/base.h"
#include "conc/atomic.h"

/* How long descriptors may go unseen while every CPU that is awake is busy. */
#define WATCH_GAP_NS 500000

struct watch {
	struct a32 kept;    /* somebody looks, or sleeps there */
	struct a32 waiting; /* tasks that wait for descriptors */
	/* the keeper */
	struct a64 due; /* last look + WATCH_GAP_NS */
} cache_aligned;

extern struct watch sched_watch;

/* What io/ provides.  Only the keeper calls `look` and `deliver`. */
struct watch_calls {
	/* Take what is ready, waiting for it, for `ring` or for the deadline
	 * (0: not at all); true if there is anything to deliver. */
	bool (*look)(uint64_t deadline_ns);
	/* Make ready whoever waits for it. */
	void (*deliver)(void);
	void (*ring)(void);
};

void watch_wire(const struct watch_calls *calls);

/* A task is going to wait for a descriptor, and has done so. */
void watch_add(void);
void watch_drop(void);

/* Before a CPU parks: true if it is to sleep in the set. */
bool watch_take(void);
/* Sleep there; look() and deliver() apart, so that each is charged as it is. */
bool watch_sleep(uint64_t deadline_ns);
void watch_deliver(void);
void watch_give(void);
/* Wake the CPU that sleeps there. */
void watch_ring(void);
/* Take, look, deliver, give, without sleeping: true if anything was ready. */
bool watch_poll(void);
/* This CPU will be busy: the tick is to mind what nobody watches. */
void watch_cover(void);
/* The tick does so. */
void watch_mind(uint64_t now);

/* Do tasks wait while nobody looks? */
static inline bool watch_wanted(void)
{
	/* order: watch.waits pairs watch.add: tasks that will not be seen by
	 * whoever parks without us */
	if (likely(!a32_load_seq_cst(&sched_watch.waiting)))
		return false;
	/* order: watch.free pairs watch.give, watch.take: either we see it
	 * free or the one who gives it back sees us parked */
	return !a32_load_seq_cst(&sched_watch.kept);
}

/* When the tick is to look, if it is wanted then. */
static inline uint64_t watch_due(void)
{
	/* relaxed: a time that is too early costs a look */
	return a64_load_relaxed(&sched_watch.due);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waiting for several channels: one wait, with a request in each.
 *
 * First each case is attempted, from a random one on; then the select stands in
 * all its channels and sleeps.  Its wait can be claimed once (chan.h), so it is
 * answered by one channel; from all others it withdraws.  Whoever brings it
 * together with somebody else does all that is to be done, also where both are
 * selects: nobody acts for itself only, nothing is taken back.
 */
#include <limits.h>

#include "sync/chan.h"

struct select {
	struct mete_select_case *cases;
	size_t count;
	size_t first; /* where to begin */
	uint64_t deadline_ns;
};

#define NONE SIZE_MAX

static struct mete_select_case *case_at(const struct select *select, size_t i)
{
	size_t index = select->first + i;

	return &select->cases[index < select->count ? index
						    : index - select->count];
}

static struct chan_request *request_of(struct mete_select_case *of)
{
	_Static_assert(sizeof(struct chan_request) <= sizeof(of->request),
		       "room in a case");
	return (struct chan_request *)(void *)of->request;
}

static void make_request(struct mete_select_case *of,
			 struct mete_waiter *waiter)
{
	bool sends = of->op == METE_SELECT_SEND;

	*request_of(of) = (struct chan_request){
		/* What is sent is only read. */
		.item = sends ? (void *)(uintptr_t)of->item : of->ret_item,
		.result = CHAN_PENDING,
		.sends = sends,
		.waiter = waiter,
	};
}

/* The place of the case that was possible, or NONE. */
static size_t attempt(const struct select *select)
{
	for (size_t i = 0; i < select->count; i++) {
		struct mete_select_case *at = case_at(select, i);
		struct chan_request *request = request_of(at);
		int result;

		if (!at->chan)
			continue;
		make_request(at, NULL);
		result = select->deadline_ns
				 ? chan_attempt(chan_of(at->chan), request)
				 : chan_request(chan_of(at->chan), request, 0);
		if (result != -ETIMEDOUT) {
			at->result = result;
			return i;
		}
	}
	return NONE;
}

/* Stand in the channels, until the wait is over; gives in how many cases. */
static size_t stand(const struct select *select, struct mete_waiter *waiter)
{
	size_t i;

	for (i = 0; i < select->count && wait_lasts(waiter); i++) {
		struct mete_select_case *at = case_at(select, i);

		if (!at->chan)
			continue;
		make_request(at, waiter);
		chan_stand(chan_of(at->chan), request_of(at));
	}
	return i;
}

/* Withdraw from those of `stood` cases that were not answered; gives the place
 * of the one that was. */
static size_t withdraw(const struct select *select, size_t stood)
{
	size_t answered = NONE;

	for (size_t i = 0; i < stood; i++) {
		struct mete_select_case *at = case_at(select, i);

		if (!at->chan)
			continue;
		if (request_of(at)->result == CHAN_PENDING)
			chan_withdraw(chan_of(at->chan), request_of(at));
		else
			answered = i;
	}
	return answered;
}

/* The place of the case that was done; NONE: the time is over. */
static size_t wait_for_any(const struct select *select)
{
	struct mete_waiter waiter;
	size_t place;
	int late;

	do {
		wait_prepare(&waiter, WAIT_SELECT, select->cases,
			     select->deadline_ns);
		/* Not the right of one alone. */
		waiter.timed = true;
		place = stand(select, &waiter);
		late = wait_sleep(&waiter, select->deadline_ns);
		place = withdraw(select, place);
		if (late) {
			wait_cancel_point();
			return NONE;
		}
	} while (request_of(case_at(select, place))->result == CHAN_AGAIN);
	case_at(select, place)->result =
		request_of(case_at(select, place))->result;
	return place;
}

static size_t draw(size_t count)
{
	struct cpu *cpu = sched_cpu();
	uint64_t random;

	if (cpu)
		return cpu_random(cpu) % count;
	/* A foreign thread has none: the clock, stirred. */
	random = os_monotonic_ns() * UINT64_C(0xbf58476d1ce4e5b9);
	random = (random ^ random >> 31) * UINT64_C(0x94d049bb133111eb);
	return (size_t)((random ^ random >> 29) % count);
}

int mete_select(struct mete_select_case *cases, size_t count,
		uint64_t deadline_ns)
{
	struct select select = {cases, count, 0, deadline_ns};
	size_t channels = 0;
	size_t place;

	if (!count || count > INT_MAX)
		return -EINVAL;
	for (size_t i = 0; i < count; i++)
		channels += cases[i].chan != NULL;
	if (!channels)
		return -EINVAL;
	select.first = draw(count);
	place = attempt(&select);
	if (place == NONE && deadline_ns)
		place = wait_for_any(&select);
	if (place == NONE)
		return -ETIMEDOUT;
	return (int)(case_at(&select, place) - cases);
}

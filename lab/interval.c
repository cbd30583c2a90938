/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Intervals of a run; see interval.h.
 *
 * The figures are settled ones: what a task has used since its last switch or
 * safe point counts in the interval in which it is booked.  They never go
 * back, so that the intervals of a run add up to its books.
 */
#include "lab/interval.h"

#include <errno.h>
#include <stdlib.h>

struct lab_intervals {
	struct lab_usage *seen; /* of each group, at the last interval */
	struct lab_usage *used;
	uint64_t seen_ns; /* the last interval's end, from the start on */
	uint64_t next_ns; /* that of the present one */
	bool any;
};

int lab_intervals_begin(struct lab_run *run)
{
	struct lab_intervals *intervals;

	if (!run->options->interval_ns)
		return 0;
	intervals = calloc(1, sizeof(*intervals));
	if (!intervals)
		return -ENOMEM;
	run->intervals = intervals;
	intervals->seen = calloc(run->groups->count, sizeof(struct lab_usage));
	intervals->used = calloc(run->groups->count, sizeof(struct lab_usage));
	if (!intervals->seen || !intervals->used)
		return -ENOMEM;
	intervals->next_ns = run->options->interval_ns;
	return 0;
}

uint64_t lab_intervals_next(const struct lab_run *run)
{
	if (!run->intervals)
		return METE_FOREVER;
	return run->start_ns + run->intervals->next_ns;
}

/* What has been added; an unknown figure stays unknown. */
static void usage_less(struct lab_usage *now, const struct lab_usage *before)
{
	for (size_t i = 0; i < LAB_USAGE_FIGURES; i++) {
		uint64_t a = lab_usage_get(now, i);
		uint64_t b = lab_usage_get(before, i);

		if (a == LAB_UNKNOWN || b == LAB_UNKNOWN)
			lab_usage_set(now, i, LAB_UNKNOWN);
		else
			lab_usage_set(now, i, a > b ? a - b : 0);
	}
}

void lab_intervals_take(struct lab_run *run, uint64_t now_ns, bool last)
{
	struct lab_intervals *intervals = run->intervals;
	uint64_t at_ns = now_ns - run->start_ns;
	struct lab_interval shown;

	if (!intervals)
		return;
	run->ops->glance(run->engine, intervals->used);
	for (size_t i = 0; i < run->groups->count; i++) {
		struct lab_usage now = intervals->used[i];

		usage_less(&intervals->used[i], &intervals->seen[i]);
		intervals->seen[i] = now;
	}
	shown = (struct lab_interval){
		.at_ns = at_ns,
		.long_ns = at_ns - intervals->seen_ns,
		.groups = run->groups,
		.used = intervals->used,
		.first = !intervals->any,
		.last = last,
	};
	run->options->interval(&shown, run->options->interval_arg);
	intervals->any = true;
	intervals->seen_ns = at_ns;
	/* Intervals that could not be kept are left out, not caught up. */
	do {
		intervals->next_ns += run->options->interval_ns;
	} while (intervals->next_ns <= at_ns);
}

void lab_intervals_free(struct lab_run *run)
{
	if (!run->intervals)
		return;
	free(run->intervals->seen);
	free(run->intervals->used);
	free(run->intervals);
}

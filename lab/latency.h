/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Latencies of a task: a histogram of fixed size and what is read from it.
 *
 * Eight buckets an octave, so that a percentile is at most an eighth too high;
 * least and most are exact.  Values below zero (a timer that is late) have
 * buckets of their own.  Each half is allocated with its first value: tasks
 * that never wait cost nothing.  Written by its task alone, read at rest.
 */
#ifndef LAB_LATENCY_H
#define LAB_LATENCY_H

#include <stdint.h>

struct lab_histogram {
	uint32_t *above; /* counts of values >= 0 */
	uint32_t *below; /* of values < 0, by magnitude */
	uint64_t count;
	uint64_t lost; /* counted, but without memory for a bucket */
	int64_t least_ns, most_ns;
};

/* What is told of a histogram; 0 and LAB_UNKNOWN_SIGNED where it is empty. */
struct lab_latency {
	uint64_t count;
	int64_t p50_ns, p90_ns, p99_ns;
	int64_t least_ns, most_ns;
};

void lab_histogram_add(struct lab_histogram *histogram, int64_t ns);
struct lab_latency lab_histogram_read(const struct lab_histogram *histogram);
void lab_histogram_fini(struct lab_histogram *histogram);

#endif

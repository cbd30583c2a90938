/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms of latencies; see latency.h. */
#include "lab/latency.h"

#include <stddef.h>
#include <stdlib.h>

#include "lab/books.h"

/* Octaves of eight buckets from 8 ns on; below it each value has its own. */
#define SUB_BITS 3u
#define SUB      (1u << SUB_BITS)
#define OCTAVES  38u /* up to 2^41 ns, some 36 minutes */
#define BUCKETS  (SUB * (OCTAVES + 1))

static unsigned bucket_of(uint64_t ns)
{
	unsigned octave;
	unsigned bucket;

	if (ns < SUB)
		return (unsigned)ns;
	octave = 63u - (unsigned)__builtin_clzll(ns) - SUB_BITS;
	bucket = SUB * (octave + 1) + ((unsigned)(ns >> octave) & (SUB - 1));
	return bucket < BUCKETS ? bucket : BUCKETS - 1;
}

/* The largest value of a bucket. */
static uint64_t bucket_end(unsigned bucket)
{
	unsigned octave;

	if (bucket < SUB)
		return bucket;
	octave = bucket / SUB - 1;
	return ((uint64_t)(SUB + bucket % SUB + 1) << octave) - 1;
}

void lab_histogram_add(struct lab_histogram *histogram, int64_t ns)
{
	uint32_t **half = ns < 0 ? &histogram->below : &histogram->above;
	uint64_t magnitude = ns < 0 ? (uint64_t)-ns : (uint64_t)ns;

	if (histogram->count == 0 || ns < histogram->least_ns)
		histogram->least_ns = ns;
	if (histogram->count == 0 || ns > histogram->most_ns)
		histogram->most_ns = ns;
	histogram->count++;
	if (!*half)
		*half = calloc(BUCKETS, sizeof(uint32_t));
	if (*half)
		(*half)[bucket_of(magnitude)]++;
	else
		histogram->lost++;
}

/* The value that `part` of all are not above; buckets tell their end. */
static int64_t percentile(const struct lab_histogram *histogram, double part)
{
	uint64_t known = histogram->count - histogram->lost;
	uint64_t wanted = (uint64_t)(part * (double)known + 0.999999);
	uint64_t seen = 0;
	int64_t ns = histogram->most_ns;

	for (unsigned i = BUCKETS; histogram->below && i-- > 0;) {
		seen += histogram->below[i];
		if (seen >= wanted) {
			ns = -(int64_t)(i ? bucket_end(i - 1) + 1 : 0);
			goto bounded;
		}
	}
	for (unsigned i = 0; histogram->above && i < BUCKETS; i++) {
		seen += histogram->above[i];
		if (seen >= wanted) {
			ns = (int64_t)bucket_end(i);
			goto bounded;
		}
	}
bounded:
	if (ns > histogram->most_ns)
		ns = histogram->most_ns;
	return ns < histogram->least_ns ? histogram->least_ns : ns;
}

struct lab_latency lab_histogram_read(const struct lab_histogram *histogram)
{
	if (histogram->count == 0)
		return lab_latency_unknown;
	return (struct lab_latency){
		.count = histogram->count,
		.p50_ns = percentile(histogram, 0.50),
		.p90_ns = percentile(histogram, 0.90),
		.p99_ns = percentile(histogram, 0.99),
		.least_ns = histogram->least_ns,
		.most_ns = histogram->most_ns,
	};
}

void lab_histogram_fini(struct lab_histogram *histogram)
{
	free(histogram->above);
	free(histogram->below);
}

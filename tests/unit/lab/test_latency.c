/* SPDX-License-Identifier: Apache-2.0 */
/* lab/latency.c: percentiles within an eighth, extremes exact. */
#include "harness/test.h"
#include "lab/books.h"
#include "lab/latency.h"

/* Not below what it stands for, and at most an eighth above. */
static void close_to(int64_t got, int64_t wanted)
{
	CHECK_GE(got, wanted);
	CHECK_LE(got, wanted + wanted / 8 + 1);
}

TEST(an_empty_histogram_knows_nothing)
{
	struct lab_histogram histogram = {0};
	struct lab_latency latency = lab_histogram_read(&histogram);

	CHECK_EQ(latency.count, 0);
	CHECK(latency.p50_ns == LAB_UNKNOWN_SIGNED);
	CHECK(latency.most_ns == LAB_UNKNOWN_SIGNED);
	lab_histogram_fini(&histogram);
}

TEST(percentiles_of_a_ramp)
{
	struct lab_histogram histogram = {0};
	struct lab_latency latency;

	for (int64_t i = 1; i <= 1000; i++)
		lab_histogram_add(&histogram, i * 1000);
	latency = lab_histogram_read(&histogram);
	CHECK_EQ(latency.count, 1000);
	close_to(latency.p50_ns, 500000);
	close_to(latency.p90_ns, 900000);
	close_to(latency.p99_ns, 990000);
	CHECK_EQ(latency.least_ns, 1000);
	CHECK_EQ(latency.most_ns, 1000000);
	lab_histogram_fini(&histogram);
}

TEST(every_size_has_its_bucket)
{
	for (int64_t ns = 0; ns < INT64_C(1) << 40; ns = ns * 5 / 4 + 1) {
		struct lab_histogram histogram = {0};

		lab_histogram_add(&histogram, ns);
		lab_histogram_add(&histogram, ns);
		lab_histogram_add(&histogram, 4 * ns + 9);
		close_to(lab_histogram_read(&histogram).p50_ns, ns);
		lab_histogram_fini(&histogram);
	}
}

TEST(beyond_the_last_bucket_the_extremes_hold)
{
	struct lab_histogram histogram = {0};
	struct lab_latency latency;

	lab_histogram_add(&histogram, INT64_MAX);
	latency = lab_histogram_read(&histogram);
	CHECK_EQ(latency.p50_ns, INT64_MAX);
	CHECK_EQ(latency.most_ns, INT64_MAX);
	lab_histogram_fini(&histogram);
}

TEST(what_is_late_is_below_zero)
{
	struct lab_histogram histogram = {0};
	struct lab_latency latency;

	for (int64_t i = -6; i <= 4; i++)
		lab_histogram_add(&histogram, i * 1000000);
	latency = lab_histogram_read(&histogram);
	CHECK_EQ(latency.count, 11);
	CHECK_EQ(latency.least_ns, -6000000);
	CHECK_EQ(latency.most_ns, 4000000);
	CHECK_LE(latency.p50_ns, -875000);
	CHECK_GE(latency.p50_ns, -1000000);
	close_to(latency.p90_ns, 3000000);
	lab_histogram_fini(&histogram);
}

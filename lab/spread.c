/* SPDX-License-Identifier: Apache-2.0 */
/* Mean and deviation over several runs; see spread.h. */
#include "lab/spread.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Of one figure over the runs: known as long as each run knows it. */
struct sample {
	double mean;
	double deviation;
};

static struct sample sample_of(const uint64_t *values, unsigned count)
{
	struct sample sample = {0, NAN};
	double squares = 0;

	for (unsigned i = 0; i < count; i++) {
		if (values[i] == LAB_UNKNOWN)
			return (struct sample){NAN, NAN};
		sample.mean += (double)values[i] / count;
	}
	for (unsigned i = 0; i < count; i++) {
		double away = (double)values[i] - sample.mean;

		squares += away * away;
	}
	if (count > 1)
		sample.deviation = sqrt(squares / (count - 1));
	return sample;
}

static uint64_t whole(double mean)
{
	return isnan(mean) ? LAB_UNKNOWN : (uint64_t)(mean + 0.5);
}

/* What is read in each of the runs. */
struct runs {
	struct lab_books *const *books;
	unsigned count;
	uint64_t *values; /* room for a figure of each */
};

static void usage_spread(const struct runs *runs,
			 const struct lab_usage *const *of,
			 struct lab_usage *mean, struct lab_deviation *spread)
{
	for (size_t i = 0; i < LAB_USAGE_FIGURES; i++) {
		struct sample sample;

		for (unsigned k = 0; k < runs->count; k++)
			runs->values[k] = lab_usage_get(of[k], i);
		sample = sample_of(runs->values, runs->count);
		lab_usage_set(mean, i, whole(sample.mean));
		spread->figures[i] = sample.deviation;
	}
}

static int rows_spread(const struct runs *runs, struct lab_spread *spread)
{
	struct lab_books *mean = spread->mean;
	const struct lab_usage **of = calloc(runs->count, sizeof(*of));

	if (!of)
		return -ENOMEM;
	for (size_t i = 0; i < mean->group_count; i++) {
		for (unsigned k = 0; k < runs->count; k++)
			of[k] = &runs->books[k]->groups[i].usage;
		usage_spread(runs, of, &mean->groups[i].usage,
			     &spread->groups[i]);
	}
	for (size_t i = 0; i < mean->task_count; i++) {
		for (unsigned k = 0; k < runs->count; k++)
			of[k] = lab_counterpart(mean, runs->books[k], i);
		usage_spread(runs, of, &mean->tasks[i].usage,
			     &spread->tasks[i]);
	}
	free(of);
	return 0;
}

/* The mean of a figure that stands `offset` bytes into `base` of each run. */
static uint64_t mean_at(const struct runs *runs, size_t cpu, size_t offset)
{
	for (unsigned k = 0; k < runs->count; k++) {
		const struct lab_books *books = runs->books[k];
		const void *base = &books->audit;

		if (cpu != SIZE_MAX)
			base = &books->cpu[cpu];
		memcpy(&runs->values[k], (const char *)base + offset,
		       sizeof(uint64_t));
	}
	return whole(sample_of(runs->values, runs->count).mean);
}

#define CPU_MEAN(field) \
 mean->cpu[i].field = mean_at(runs, i, offsetof(struct lab_cpu_row, field))
#define AUDIT_MEAN(field) \
 mean->audit.field = mean_at(runs, SIZE_MAX, offsetof(struct lab_audit, field))

static void cpus_mean(const struct runs *runs, struct lab_books *mean)
{
	for (size_t i = 0; i < mean->cpu_count; i++) {
		CPU_MEAN(wall_ns);
		CPU_MEAN(held_ns);
		CPU_MEAN(exec_ns);
		CPU_MEAN(scheduler_ns);
		CPU_MEAN(polling_ns);
		CPU_MEAN(parked_ns);
		CPU_MEAN(stolen_ns);
		CPU_MEAN(switches);
	}
}

static void audit_mean(const struct runs *runs, struct lab_books *mean)
{
	struct lab_audit *audit = &mean->audit;
	double drift_ns = 0;
	double error_ppm = 0;
	bool drift_known = true;

	AUDIT_MEAN(wall_ns);
	AUDIT_MEAN(held_ns);
	AUDIT_MEAN(exec_ns);
	AUDIT_MEAN(scheduler_ns);
	AUDIT_MEAN(polling_ns);
	AUDIT_MEAN(parked_ns);
	AUDIT_MEAN(stolen_ns);
	AUDIT_MEAN(kernel_cpu_ns);
	AUDIT_MEAN(helper_cpu_ns);
	for (unsigned k = 0; k < runs->count; k++) {
		const struct lab_audit *one = &runs->books[k]->audit;

		error_ppm += one->clock_error_ppm / runs->count;
		drift_known =
			drift_known && one->drift_ns != LAB_UNKNOWN_SIGNED;
		drift_ns += (double)one->drift_ns / runs->count;
		if (audit->residual_ns == LAB_UNKNOWN_SIGNED ||
		    llabs(one->residual_ns) > llabs(audit->residual_ns))
			audit->residual_ns = one->residual_ns;
	}
	audit->clock_error_ppm = error_ppm;
	if (drift_known)
		audit->drift_ns = llround(drift_ns);
}

/* Books of the same shape, nothing known in them. */
static int shape_copy(struct lab_books **ret_mean, const struct lab_books *of)
{
	struct lab_group *rows = calloc(of->group_count, sizeof(*rows));
	struct lab_groups groups = {rows, of->group_count};
	struct lab_books *mean;
	int rc;

	if (!rows)
		return -ENOMEM;
	rc = lab_books_create(&mean, &groups, of->task_count,
			      (unsigned)of->cpu_count);
	free(rows);
	if (rc)
		return rc;
	for (size_t i = 0; i < of->group_count; i++)
		mean->groups[i] = of->groups[i];
	for (size_t i = 0; i < of->task_count && !rc; i++) {
		mean->tasks[i].group = of->tasks[i].group;
		mean->tasks[i].name = strdup(of->tasks[i].name);
		rc = mean->tasks[i].name ? 0 : -ENOMEM;
	}
	for (size_t i = 0; i < of->cpu_count; i++)
		mean->cpu[i].cpu = of->cpu[i].cpu;
	mean->engine = of->engine;
	if (rc)
		lab_books_free(mean);
	else
		*ret_mean = mean;
	return rc;
}

static int spread_fill(const struct runs *runs, struct lab_spread *spread)
{
	struct sample wall;
	int rc = shape_copy(&spread->mean, runs->books[0]);

	if (rc)
		return rc;
	spread->groups =
		calloc(spread->mean->group_count, sizeof(*spread->groups));
	spread->tasks =
		calloc(spread->mean->task_count + 1, sizeof(*spread->tasks));
	if (!spread->groups || !spread->tasks)
		return -ENOMEM;
	for (unsigned k = 0; k < runs->count; k++)
		runs->values[k] = runs->books[k]->wall_ns;
	wall = sample_of(runs->values, runs->count);
	spread->mean->wall_ns = whole(wall.mean);
	spread->wall_ns = wall.deviation;
	cpus_mean(runs, spread->mean);
	audit_mean(runs, spread->mean);
	return rows_spread(runs, spread);
}

int lab_spread_create(struct lab_spread **ret_spread,
		      struct lab_books *const *books, unsigned runs)
{
	struct lab_spread *spread = calloc(1, sizeof(*spread));
	struct runs all = {books, runs, calloc(runs, sizeof(uint64_t))};
	int rc = -ENOMEM;

	if (spread && all.values) {
		spread->runs = runs;
		rc = spread_fill(&all, spread);
	}
	free(all.values);
	if (rc)
		lab_spread_free(spread);
	else
		*ret_spread = spread;
	return rc;
}

void lab_spread_free(struct lab_spread *spread)
{
	if (!spread)
		return;
	lab_books_free(spread->mean);
	free(spread->groups);
	free(spread->tasks);
	free(spread);
}

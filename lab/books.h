/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The books of a run: what an engine hands over when all is at rest.
 *
 * One shape for every engine.  A figure that an engine does not have is
 * LAB_UNKNOWN (signed: LAB_UNKNOWN_SIGNED, real: not a number), never 0, and
 * whatever is computed from an unknown figure is unknown itself.
 */
#ifndef LAB_BOOKS_H
#define LAB_BOOKS_H

#include <stddef.h>
#include <stdint.h>

#include "lab/groups.h"
#include "lab/latency.h"

#define LAB_UNKNOWN        UINT64_MAX
#define LAB_UNKNOWN_SIGNED INT64_MIN

/* Of a task, or of a group with its subtree (own_exec_ns: without it). */
struct lab_usage {
	uint64_t held_ns;
	uint64_t exec_ns;
	uint64_t stolen_ns;
	uint64_t own_exec_ns;
	uint64_t wait_ns;
	uint64_t blocked_ns;
	uint64_t switches; /* voluntary and involuntary */
	uint64_t wakeups;
	uint64_t migrations;
	uint64_t tasks;
};

/* The figures of a usage one by one, for whoever treats them all alike. */
struct lab_figure {
	const char *key; /* as in the JSON of the books */
	size_t offset;   /* in struct lab_usage */
};

#define LAB_USAGE_FIGURES 10
extern const struct lab_figure lab_usage_figures[LAB_USAGE_FIGURES];

uint64_t lab_usage_get(const struct lab_usage *usage, size_t figure);
void lab_usage_set(struct lab_usage *usage, size_t figure, uint64_t value);

struct lab_group_row {
	const char *path; /* of the groups that the books were made for */
	int parent;       /* index, -1: the root */
	unsigned depth;
	struct lab_usage usage;
};

struct lab_task_row {
	char *name;
	uint32_t group; /* index; where it was last */
	struct lab_usage usage;
	struct lab_latency wakeup; /* from due or woken to running */
	struct lab_latency slack;  /* left when a timer was reached */
};

struct lab_cpu_row {
	unsigned cpu;
	uint64_t wall_ns;
	uint64_t held_ns;
	uint64_t exec_ns;
	uint64_t scheduler_ns;
	uint64_t polling_ns;
	uint64_t parked_ns;
	uint64_t stolen_ns;
	uint64_t switches;
};

struct lab_audit {
	uint64_t wall_ns; /* over all CPUs */
	uint64_t held_ns;
	uint64_t exec_ns;
	uint64_t scheduler_ns;
	uint64_t polling_ns;
	uint64_t parked_ns;
	uint64_t stolen_ns;
	int64_t residual_ns;
	uint64_t kernel_cpu_ns;
	uint64_t helper_cpu_ns;
	int64_t drift_ns;
	double clock_error_ppm;
};

struct lab_books {
	const char *engine;
	unsigned cpus;
	uint64_t wall_ns; /* from the common start to the last task's end */
	struct lab_group_row *groups; /* depth first, parents before children */
	size_t group_count;
	struct lab_task_row *tasks; /* in the order of the file */
	size_t task_count;
	struct lab_cpu_row *cpu;
	size_t cpu_count;
	struct lab_audit audit;
};

/*
 * Makes books with a row for each group, task and CPU, all figures unknown.
 * `groups` must outlive them; the names of tasks are the caller's to set and
 * the books' to free.  0 or -ENOMEM.
 */
int lab_books_create(struct lab_books **ret_books,
		     const struct lab_groups *groups, size_t tasks,
		     unsigned cpus);
void lab_books_free(struct lab_books *books);

/* a + b, unknown when one of them is. */
uint64_t lab_plus(uint64_t a, uint64_t b);

/* Adds the figures of `usage` to those of `sum` (not the count of tasks). */
void lab_usage_add(struct lab_usage *sum, const struct lab_usage *usage);

/* a / b; not a number where one is unknown or there is nothing to divide by. */
double lab_ratio(uint64_t a, uint64_t b);

/* The usage, in other books of the same program, of task `task` of these;
 * unknown where they have no task of that name. */
const struct lab_usage *lab_counterpart(const struct lab_books *books,
					const struct lab_books *others,
					size_t task);

extern const struct lab_usage lab_usage_unknown;
extern const struct lab_latency lab_latency_unknown;

#endif

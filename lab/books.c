/* SPDX-License-Identifier: Apache-2.0 */
/* The books of a run: made, summed, freed. */
#include "lab/books.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct lab_usage lab_usage_unknown = {
	.held_ns = LAB_UNKNOWN,
	.exec_ns = LAB_UNKNOWN,
	.stolen_ns = LAB_UNKNOWN,
	.own_exec_ns = LAB_UNKNOWN,
	.wait_ns = LAB_UNKNOWN,
	.blocked_ns = LAB_UNKNOWN,
	.switches = LAB_UNKNOWN,
	.wakeups = LAB_UNKNOWN,
	.migrations = LAB_UNKNOWN,
	.tasks = LAB_UNKNOWN,
};

const struct lab_latency lab_latency_unknown = {
	.count = 0,
	.p50_ns = LAB_UNKNOWN_SIGNED,
	.p90_ns = LAB_UNKNOWN_SIGNED,
	.p99_ns = LAB_UNKNOWN_SIGNED,
	.least_ns = LAB_UNKNOWN_SIGNED,
	.most_ns = LAB_UNKNOWN_SIGNED,
};

const struct lab_figure lab_usage_figures[LAB_USAGE_FIGURES] = {
	{"held_ns", offsetof(struct lab_usage, held_ns)},
	{"exec_ns", offsetof(struct lab_usage, exec_ns)},
	{"stolen_ns", offsetof(struct lab_usage, stolen_ns)},
	{"own_exec_ns", offsetof(struct lab_usage, own_exec_ns)},
	{"wait_ns", offsetof(struct lab_usage, wait_ns)},
	{"blocked_ns", offsetof(struct lab_usage, blocked_ns)},
	{"switches", offsetof(struct lab_usage, switches)},
	{"wakeups", offsetof(struct lab_usage, wakeups)},
	{"migrations", offsetof(struct lab_usage, migrations)},
	{"tasks", offsetof(struct lab_usage, tasks)},
};

uint64_t lab_usage_get(const struct lab_usage *usage, size_t figure)
{
	uint64_t value;

	memcpy(&value, (const char *)usage + lab_usage_figures[figure].offset,
	       sizeof(value));
	return value;
}

void lab_usage_set(struct lab_usage *usage, size_t figure, uint64_t value)
{
	memcpy((char *)usage + lab_usage_figures[figure].offset, &value,
	       sizeof(value));
}

uint64_t lab_plus(uint64_t a, uint64_t b)
{
	if (a == LAB_UNKNOWN || b == LAB_UNKNOWN)
		return LAB_UNKNOWN;
	return a + b;
}

double lab_ratio(uint64_t a, uint64_t b)
{
	if (a == LAB_UNKNOWN || b == LAB_UNKNOWN || b == 0)
		return NAN;
	return (double)a / (double)b;
}

/* Most stand at the same place; those that a run has made itself may not. */
const struct lab_usage *lab_counterpart(const struct lab_books *books,
					const struct lab_books *others,
					size_t task)
{
	const char *name = books->tasks[task].name;

	if (task < others->task_count &&
	    strcmp(others->tasks[task].name, name) == 0)
		return &others->tasks[task].usage;
	for (size_t i = 0; i < others->task_count; i++)
		if (strcmp(others->tasks[i].name, name) == 0)
			return &others->tasks[i].usage;
	return &lab_usage_unknown;
}

void lab_usage_add(struct lab_usage *sum, const struct lab_usage *usage)
{
	sum->held_ns = lab_plus(sum->held_ns, usage->held_ns);
	sum->exec_ns = lab_plus(sum->exec_ns, usage->exec_ns);
	sum->stolen_ns = lab_plus(sum->stolen_ns, usage->stolen_ns);
	sum->own_exec_ns = lab_plus(sum->own_exec_ns, usage->own_exec_ns);
	sum->wait_ns = lab_plus(sum->wait_ns, usage->wait_ns);
	sum->blocked_ns = lab_plus(sum->blocked_ns, usage->blocked_ns);
	sum->switches = lab_plus(sum->switches, usage->switches);
	sum->wakeups = lab_plus(sum->wakeups, usage->wakeups);
	sum->migrations = lab_plus(sum->migrations, usage->migrations);
}

static void rows_forget(struct lab_books *books,
			const struct lab_groups *groups)
{
	for (size_t i = 0; i < books->group_count; i++)
		books->groups[i] = (struct lab_group_row){
			.path = groups->rows[i].path,
			.parent = groups->rows[i].parent,
			.depth = groups->rows[i].depth,
			.usage = lab_usage_unknown,
		};
	for (size_t i = 0; i < books->task_count; i++) {
		books->tasks[i].usage = lab_usage_unknown;
		books->tasks[i].wakeup = lab_latency_unknown;
		books->tasks[i].slack = lab_latency_unknown;
	}
	for (size_t i = 0; i < books->cpu_count; i++)
		books->cpu[i] = (struct lab_cpu_row){
			.cpu = (unsigned)i,
			.wall_ns = LAB_UNKNOWN,
			.held_ns = LAB_UNKNOWN,
			.exec_ns = LAB_UNKNOWN,
			.scheduler_ns = LAB_UNKNOWN,
			.polling_ns = LAB_UNKNOWN,
			.parked_ns = LAB_UNKNOWN,
			.stolen_ns = LAB_UNKNOWN,
			.switches = LAB_UNKNOWN,
		};
	books->audit = (struct lab_audit){
		.wall_ns = LAB_UNKNOWN,
		.held_ns = LAB_UNKNOWN,
		.exec_ns = LAB_UNKNOWN,
		.scheduler_ns = LAB_UNKNOWN,
		.polling_ns = LAB_UNKNOWN,
		.parked_ns = LAB_UNKNOWN,
		.stolen_ns = LAB_UNKNOWN,
		.residual_ns = LAB_UNKNOWN_SIGNED,
		.kernel_cpu_ns = LAB_UNKNOWN,
		.helper_cpu_ns = LAB_UNKNOWN,
		.drift_ns = LAB_UNKNOWN_SIGNED,
		.clock_error_ppm = NAN,
	};
}

int lab_books_create(struct lab_books **ret_books,
		     const struct lab_groups *groups, size_t tasks,
		     unsigned cpus)
{
	struct lab_books *books = calloc(1, sizeof(*books));

	if (!books)
		return -ENOMEM;
	books->groups = calloc(groups->count, sizeof(*books->groups));
	books->tasks = calloc(tasks ? tasks : 1, sizeof(*books->tasks));
	books->cpu = calloc(cpus, sizeof(*books->cpu));
	if (!books->groups || !books->tasks || !books->cpu) {
		lab_books_free(books);
		return -ENOMEM;
	}
	books->group_count = groups->count;
	books->task_count = tasks;
	books->cpu_count = cpus;
	books->cpus = cpus;
	rows_forget(books, groups);
	*ret_books = books;
	return 0;
}

void lab_books_free(struct lab_books *books)
{
	if (!books)
		return;
	for (size_t i = 0; i < books->task_count; i++)
		free(books->tasks[i].name);
	free(books->groups);
	free(books->tasks);
	free(books->cpu);
	free(books);
}

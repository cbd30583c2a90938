/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The books of the engine `mete`: one snapshot, taken when all tasks have
 * ended and none has been joined, so that every figure in it is exact and all
 * sums are whole.
 */
#include <errno.h>
#include <stdlib.h>

#include "lab/engine_mete.h"

static void from_usage(struct lab_usage *usage, const struct mete_usage *from)
{
	usage->held_ns = from->held_ns;
	usage->exec_ns = from->exec_ns;
	usage->stolen_ns = from->stolen_ns;
	usage->wait_ns = from->wait_ns;
	usage->blocked_ns = from->blocked_ns;
	usage->switches = lab_plus(from->voluntary, from->involuntary);
	usage->wakeups = from->wakeups;
	usage->migrations = from->migrations;
	usage->tasks = from->tasks;
}

static void from_cpu(struct lab_cpu_row *row, const struct mete_cpu_usage *from)
{
	row->wall_ns = from->wall_ns;
	row->held_ns = from->held_ns;
	row->exec_ns = from->exec_ns;
	row->scheduler_ns = from->scheduler_ns;
	row->polling_ns = from->polling_ns;
	row->parked_ns = from->parked_ns;
	row->stolen_ns = from->stolen_ns;
	row->switches = lab_plus(from->voluntary, from->involuntary);
}

static void from_ledger(struct lab_audit *audit, const struct mete_ledger *from)
{
	audit->wall_ns = from->wall_ns;
	audit->held_ns = from->held_ns;
	audit->exec_ns = from->exec_ns;
	audit->scheduler_ns = from->scheduler_ns;
	audit->polling_ns = from->polling_ns;
	audit->parked_ns = from->parked_ns;
	audit->stolen_ns = from->stolen_ns;
	audit->residual_ns = from->residual_ns;
	/* A tick may be less than a nanosecond: no fault rounds to 0. */
	if (audit->residual_ns == 0 && from->residual_ticks != 0)
		audit->residual_ns = from->residual_ticks < 0 ? -1 : 1;
	audit->kernel_cpu_ns = from->kernel_cpu_ns;
	audit->helper_cpu_ns = from->helper_cpu_ns;
	audit->drift_ns = from->drift_ns;
	audit->clock_error_ppm = from->clock_error_ppm;
}

/* A task's handle and its row in the books. */
struct known {
	uint64_t id;
	size_t row;
};

static int known_compare(const void *a, const void *b)
{
	const struct known *left = a;
	const struct known *right = b;

	return (left->id > right->id) - (left->id < right->id);
}

static int from_tasks(struct lab_books *books,
		      struct lab_strand *const *strands,
		      const struct mete_snapshot *snapshot)
{
	struct known *known = calloc(books->task_count + 1, sizeof(*known));

	if (!known)
		return -ENOMEM;
	for (size_t i = 0; i < books->task_count; i++)
		known[i] = (struct known){strands[i]->task.id, i};
	qsort(known, books->task_count, sizeof(*known), known_compare);
	for (size_t i = 0; i < snapshot->task_count; i++) {
		struct known key = {.id = snapshot->tasks[i].task.id};
		const struct known *found =
			bsearch(&key, known, books->task_count, sizeof(*known),
				known_compare);
		struct lab_usage *usage;

		if (!found)
			continue;
		usage = &books->tasks[found->row].usage;
		from_usage(usage, &snapshot->tasks[i].usage);
		usage->own_exec_ns = usage->exec_ns;
	}
	free(known);
	return 0;
}

/*
 * Groups from their tasks, which are booked at every switch; a group itself is
 * booked only where a CPU goes over to another one.  Children stand behind
 * their parents.
 */
static int glance_tasks(struct mete_engine *engine, struct lab_usage *usage)
{
	struct mete_snapshot *snapshot;
	int rc = mete_snapshot(&snapshot);

	if (rc)
		return rc;
	for (size_t i = 0; i < engine->groups->count; i++)
		usage[i] = (struct lab_usage){0};
	for (size_t i = 0; i < snapshot->task_count; i++) {
		const struct mete_task_row *task = &snapshot->tasks[i];
		const char *path = snapshot->groups[task->group].path;
		struct lab_usage used;

		from_usage(&used, &task->usage);
		used.own_exec_ns = used.exec_ns;
		lab_usage_add(&usage[lab_groups_find(engine->groups, path)],
			      &used);
	}
	mete_snapshot_free(snapshot);
	for (size_t i = engine->groups->count; i-- > 1;)
		lab_usage_add(&usage[engine->groups->rows[i].parent],
			      &usage[i]);
	return 0;
}

void engine_mete_glance(struct lab_engine *base, struct lab_usage *usage)
{
	struct mete_engine *engine = (struct mete_engine *)base;

	/* A task that has changed groups takes its past along. */
	if (engine->books == METE_BOOKS_TASK && !engine->moved &&
	    glance_tasks(engine, usage) == 0)
		return;
	for (size_t i = 0; i < engine->groups->count; i++) {
		struct mete_usage now;

		usage[i] = lab_usage_unknown;
		if (mete_group_usage(engine->handles[i], 0, &now,
				     sizeof(now)) == 0)
			from_usage(&usage[i], &now);
	}
}

int engine_mete_books(struct lab_engine *base, struct lab_books *books,
		      struct lab_strand *const *strands)
{
	struct mete_engine *engine = (struct mete_engine *)base;
	struct mete_snapshot *snapshot;
	int rc;

	for (size_t i = 0; i < books->task_count; i++) {
		books->tasks[i].group = strands[i]->group;
		books->tasks[i].usage.tasks = 1;
	}
	if (engine->books == METE_BOOKS_OFF)
		return 0;
	rc = mete_snapshot(&snapshot);
	if (rc)
		return rc;
	for (size_t i = 0; i < snapshot->group_count; i++) {
		const struct mete_group_row *row = &snapshot->groups[i];
		struct lab_usage *usage =
			&books->groups[lab_groups_find(engine->groups,
						       row->path)]
				 .usage;

		from_usage(usage, &row->usage);
		usage->own_exec_ns = row->own.exec_ns;
	}
	for (size_t i = 0; i < snapshot->cpu_count && i < books->cpu_count; i++)
		from_cpu(&books->cpu[i], &snapshot->cpus[i]);
	from_ledger(&books->audit, &snapshot->ledger);
	rc = from_tasks(books, strands, snapshot);
	for (size_t i = 0; i < books->task_count; i++)
		books->tasks[i].usage.tasks = 1;
	mete_snapshot_free(snapshot);
	return rc;
}

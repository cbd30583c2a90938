/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A snapshot of all groups, tasks and CPUs.
 *
 * One block of memory: the structure, its rows, the paths.  Sizes are found
 * under the locks that keep groups and tasks from being added, so the block
 * always has room.
 *
 * Whole sums.  Groups stand in depth-first order and tasks in the order of
 * their groups; each time is converted as the difference of two prefixes of
 * that order.  At rest a group's own ticks are the sum of its tasks', and a
 * subtree's the sum of its groups' own, so the prefixes meet at every border of
 * a group or subtree, and with them the nanoseconds.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "os/mem.h"
#include "sched/pool.h"
#include "stat/stat.h"

#define DESTROYED " (destroyed)"

struct build {
	struct mete_snapshot *snapshot;
	struct acct_usage *own;       /* ticks, by group row */
	struct acct_usage *inclusive; /* ticks, by group row */
	struct acct_usage *task;      /* ticks, by task row before sorting */
	uint32_t *row_of;             /* group number -> row */
	char *paths;
};

struct sizes {
	size_t groups;
	size_t numbers;
	size_t tasks;
	size_t path_bytes;
};

static bool is_destroyed(const struct acct_group *group)
{
	/* relaxed: changes under the tree's lock */
	return a32_load_relaxed(&group->life) != ACCT_LIVE;
}

static size_t path_bytes(const struct acct_group *group)
{
	size_t bytes = 2 + (is_destroyed(group) ? strlen(DESTROYED) : 0);

	for (; group->parent; group = group->parent)
		bytes += 1 + strlen(group->name);
	return bytes;
}

/* Under both locks. */
static struct sizes measure(void)
{
	struct acct_tree *tree = &sched.tree;
	struct sizes sizes = {0};

	for (struct acct_group *g = tree->root; g; g = acct_group_next(g)) {
		sizes.groups++;
		sizes.path_bytes += path_bytes(g);
	}
	/* relaxed: the locks keep it */
	sizes.numbers = a32_load_relaxed(&tree->groups.count);
	sizes.tasks = task_numbers();
	return sizes;
}

static int build_begin(const struct sizes *sizes, struct build *b)
{
	struct mete_snapshot *s = os_alloc(sizeof(*s));

	memset(b, 0, sizeof(*b));
	if (!s)
		return -ENOMEM;
	b->snapshot = s;
	s->groups = os_alloc(sizes->groups * sizeof(*s->groups) +
			     sizes->path_bytes);
	s->tasks = os_alloc((sizes->tasks + 1) * sizeof(*s->tasks));
	s->cpus = os_alloc(sched.cpus * sizeof(*s->cpus));
	b->own = os_alloc(sizes->groups * sizeof(*b->own));
	b->inclusive = os_alloc(sizes->groups * sizeof(*b->inclusive));
	b->task = os_alloc((sizes->tasks + 1) * sizeof(*b->task));
	b->row_of = os_alloc(sizes->numbers * sizeof(*b->row_of));
	if (!s->groups || !s->tasks || !s->cpus || !b->own || !b->inclusive ||
	    !b->task || !b->row_of)
		return -ENOMEM;
	b->paths = (char *)(s->groups + sizes->groups);
	return 0;
}

static void build_end(struct build *b)
{
	os_free(b->own);
	os_free(b->inclusive);
	os_free(b->task);
	os_free(b->row_of);
}

static void write_path(struct build *b, struct mete_group_row *row,
		       const struct acct_group *group)
{
	const char *above =
		row->parent < 0 ? "" : b->snapshot->groups[row->parent].path;
	size_t length = row->parent > 0 ? strlen(above) : 0;

	/* A destroyed parent's mark is not part of the path. */
	if (row->parent > 0 && is_destroyed(group->parent))
		length -= strlen(DESTROYED);
	row->path = b->paths;
	memcpy(b->paths, above, length);
	b->paths += length;
	*b->paths++ = '/';
	strcpy(b->paths, group->name);
	b->paths += strlen(group->name);
	if (is_destroyed(group)) {
		strcpy(b->paths, DESTROYED);
		b->paths += strlen(DESTROYED);
	}
	*b->paths++ = '\0';
}

/* Under the tree's lock: rows and their ticks. */
static void read_groups(struct build *b)
{
	struct acct_tree *tree = &sched.tree;
	struct mete_snapshot *s = b->snapshot;

	for (struct acct_group *g = tree->root; g; g = acct_group_next(g)) {
		size_t i = s->group_count++;
		struct mete_group_row *row = &s->groups[i];

		b->row_of[g->number] = (uint32_t)i;
		row->group.id = acct_group_id(g);
		row->parent =
			g->parent ? (int)b->row_of[g->parent->number] : -1;
		row->depth = g->depth - 1;
		write_path(b, row, g);
		acct_read_own(tree, g, &b->own[i]);
		acct_read_group(tree, g, &b->inclusive[i]);
	}
}

struct task_key {
	uint64_t born;
	struct task *task;
	uint32_t number;
	unsigned group;
};

static int by_group_then_age(const void *left, const void *right)
{
	const struct task_key *a = left;
	const struct task_key *b = right;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (a->born != b->born)
		return a->born < b->born ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

/* Under the tree's lock: the tasks that live, sorted. */
static size_t list_tasks(struct build *b, struct task_key *keys, size_t most)
{
	size_t count = 0;

	for (uint32_t i = 0; i < most; i++) {
		struct task *task = task_at(i);
		struct acct_group *group;

		if (!task || !sched_find(task_id(task)))
			continue;
		group = task_group(task);
		if (!group)
			continue;
		keys[count].task = task;
		keys[count].number = i;
		/* relaxed: only sorted by */
		keys[count].born = a64_load_relaxed(&task->born);
		keys[count].group = b->row_of[group->number];
		count++;
	}
	qsort(keys, count, sizeof(*keys), by_group_then_age);
	return count;
}

static void read_tasks(struct build *b, const struct task_key *keys,
		       size_t count)
{
	struct mete_snapshot *s = b->snapshot;

	for (size_t i = 0; i < count; i++) {
		struct mete_task_row *row = &s->tasks[i];
		struct task *task = keys[i].task;

		row->task.id = task_id(task);
		row->group = keys[i].group;
		row->state = stat_task_state(task);
		task_name_get(task, row->name);
		acct_read_task(&task->books, &b->task[i]);
	}
	s->task_count = count;
}

/* One time of every row: `at` finds it in the ticks, `ns` in the public row. */
struct column {
	bool counted; /* among the counts, not the meters */
	unsigned index;
	size_t ns;
};

static uint64_t ticks_of(const struct acct_usage *usage,
			 const struct column *column)
{
	return column->counted ? usage->count[column->index]
			       : usage->meter[column->index];
}

static uint64_t *ns_of(struct mete_usage *usage, const struct column *column)
{
	return (uint64_t *)(void *)((char *)usage + column->ns);
}

/* The row after the last of the subtree that begins at `i`. */
static size_t subtree_end(const struct mete_snapshot *s, size_t i)
{
	size_t end = i + 1;

	while (end < s->group_count &&
	       s->groups[end].depth > s->groups[i].depth)
		end++;
	return end;
}

static void convert_groups(struct build *b, const struct column *column)
{
	struct mete_snapshot *s = b->snapshot;
	struct stat_prefix prefix = {0};

	for (size_t i = 0; i < s->group_count; i++)
		*ns_of(&s->groups[i].own, column) =
			stat_part(&prefix, ticks_of(&b->own[i], column));
	for (size_t i = 0; i < s->group_count; i++) {
		uint64_t inclusive = ticks_of(&b->inclusive[i], column);
		uint64_t ticks = 0;
		uint64_t ns = 0;

		for (size_t j = i; j < subtree_end(s, i); j++) {
			ticks += ticks_of(&b->own[j], column);
			ns += *ns_of(&s->groups[j].own, column);
		}
		if (ticks != inclusive)
			ns = os_ticks_to_ns(&sched.base, inclusive);
		*ns_of(&s->groups[i].usage, column) = ns;
	}
}

static void convert_tasks(struct build *b, const struct column *column)
{
	struct mete_snapshot *s = b->snapshot;
	struct stat_prefix prefix = {0};

	for (size_t i = 0; i < s->task_count; i++)
		*ns_of(&s->tasks[i].usage, column) =
			stat_part(&prefix, ticks_of(&b->task[i], column));
}

static void finish_usage(const struct acct_usage *ticks, bool known,
			 struct mete_usage *usage)
{
	stat_counts(ticks, usage);
	usage->held_ns = usage->exec_ns + usage->stolen_ns;
	if (known)
		return;
	usage->wait_ns = METE_UNKNOWN;
	usage->blocked_ns = METE_UNKNOWN;
}

static void convert(struct build *b)
{
	static const struct column columns[] = {
		{false, ACCT_EXEC, offsetof(struct mete_usage, exec_ns)},
		{true, ACCT_STOLEN, offsetof(struct mete_usage, stolen_ns)},
		{false, ACCT_WAIT, offsetof(struct mete_usage, wait_ns)},
		{false, ACCT_BLOCKED, offsetof(struct mete_usage, blocked_ns)},
	};
	struct mete_snapshot *s = b->snapshot;
	bool by_task = sched.config.mode == ACCT_TASK;

	for (size_t c = 0; c < sizeof(columns) / sizeof(columns[0]); c++) {
		convert_groups(b, &columns[c]);
		convert_tasks(b, &columns[c]);
	}
	for (size_t i = 0; i < s->group_count; i++) {
		finish_usage(&b->own[i], by_task, &s->groups[i].own);
		finish_usage(&b->inclusive[i], by_task, &s->groups[i].usage);
	}
	for (size_t i = 0; i < s->task_count; i++) {
		finish_usage(&b->task[i], true, &s->tasks[i].usage);
		if (!by_task)
			/* Every figure: the mode keeps none by task. */
			memset(&s->tasks[i].usage, 0xff,
			       sizeof(s->tasks[i].usage));
	}
}

/* Under both locks. */
static int take(struct build *b)
{
	struct sizes sizes = measure();
	struct task_key *keys = os_alloc((sizes.tasks + 1) * sizeof(*keys));
	int error = build_begin(&sizes, b);

	if (!keys || error) {
		os_free(keys);
		return -ENOMEM;
	}
	read_groups(b);
	read_tasks(b, keys, list_tasks(b, keys, sizes.tasks));
	os_free(keys);
	return 0;
}

int mete_snapshot(struct mete_snapshot **ret_snapshot)
{
	struct build b;
	int error = stat_books(false);

	if (error)
		return error;
	acct_group_reap(&sched.tree);
	lock_acquire(&sched.tree.lock, LOCK_TREE);
	lock_acquire(&sched.lock, LOCK_POOL);
	error = take(&b);
	lock_release(&sched.lock, LOCK_POOL);
	lock_release(&sched.tree.lock, LOCK_TREE);
	if (!error) {
		convert(&b);
		b.snapshot->stamp_ns = os_monotonic_ns();
		b.snapshot->cpu_count = sched.cpus;
		error = stat_audit(b.snapshot->cpus, &b.snapshot->ledger);
	}
	build_end(&b);
	if (error)
		mete_snapshot_free(b.snapshot);
	else
		*ret_snapshot = b.snapshot;
	return error;
}

void mete_snapshot_free(struct mete_snapshot *snapshot)
{
	if (!snapshot)
		return;
	os_free(snapshot->groups);
	os_free(snapshot->tasks);
	os_free(snapshot->cpus);
	os_free(snapshot);
}

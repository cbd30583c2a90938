/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dump: all CPUs, groups and tasks as text, from a signal handler too.
 *
 * Nothing is locked, allocated or kept: entries of tables are read one by one
 * and written out as a small buffer fills up, so a million tasks take no more
 * room than one.  What is read may change meanwhile.  Tasks and groups live in
 * tables whose entries never go away while somebody looks (sched_look_begin()),
 * so the worst that can be seen is a line made of two lives: names and paths may
 * be torn, never out of bounds.  No pointer is followed but those to entries of
 * the two tables and to CPUs.
 **/
#include "stat/dump.h"

#include <errno.h>

#include "os/file.h"

static void flush(struct dump *dump)
{
	if (!dump->error)
		dump->error =
			os_file_write(dump->fd, dump->buffer, dump->text.used);
	dump->text.used = 0;
}

struct text *dump_room(struct dump *dump, size_t bytes)
{
	if (dump->text.room - dump->text.used < bytes)
		flush(dump);
	return &dump->text;
}

void dump_column(struct text *text, const char *string, size_t width)
{
	size_t from = text->used;

	text_string(text, string);
	text_pad(text, from, width);
}

void dump_number(struct text *text, uint64_t number, size_t width)
{
	size_t from = text->used;

	text_decimal(text, number);
	text_pad(text, from, width);
}

void dump_handle(struct text *text, uint64_t id)
{
	size_t from = text->used;

	text_hex(text, id, 16);
	text_pad(text, from, HANDLE_WIDTH);
}

void dump_ticks(struct text *text, uint64_t ticks)
{
	size_t from = text->used;

	text_seconds(text, os_ticks_to_ns(&sched.base, ticks));
	text_pad(text, from, TIME_WIDTH);
}

static void dump_head(struct dump *dump)
{
	static const char *const modes[] = {"task", "group", "off"};
	struct text *text = dump_room(dump, LINE_BYTES);

	text_string(text, "mete dump: ");
	text_decimal(text, sched.cpus);
	text_string(text, " CPUs, books ");
	text_string(text, modes[sched.config.mode]);
	text_string(text, ", monotonic ");
	text_seconds(text, os_monotonic_ns());
	text_char(text, '\n');
}

static const char *cpu_state(const struct cpu *cpu)
{
	if (cpu_current(cpu))
		return "busy";
	/* relaxed: a look, stale as soon as it is known */
	if (a32_load_relaxed(&cpu->parked))
		return "parked";
	/* relaxed: as above */
	if (a64_load_relaxed(&cpu->books.watch[ACCT_POLLING].start))
		return "polling";
	return "scheduler";
}

/* The number stands in its entry before the first of its lives begins. */
static uint64_t current_id(const struct task *task)
{
	/* order: dump.current pairs join.begin: its number */
	a64_load_acquire(&task->join);
	return task_id(task);
}

static void dump_cpus(struct dump *dump)
{
	text_string(dump_room(dump, LINE_BYTES),
		    "#     CPU  STATE      TASK               QUEUED   "
		    "BOUND    WAKES\n");
	for (unsigned i = 0; i < sched.cpus && !dump->error; i++) {
		const struct cpu *cpu = sched.cpu[i];
		const struct task *task = cpu_current(cpu);
		struct text *text = dump_room(dump, LINE_BYTES);

		dump_column(text, "cpu", ROW_WIDTH);
		dump_number(text, i, CPU_WIDTH);
		dump_column(text, cpu_state(cpu), CPU_STATE_WIDTH);
		if (task)
			dump_handle(text, current_id(task));
		else
			dump_column(text, "-", HANDLE_WIDTH);
		dump_number(text, workq_length(&cpu->queue), COUNT_WIDTH);
		/* relaxed: as in cpu_state() */
		dump_number(text, a32_load_relaxed(&cpu->bound_count),
			    COUNT_WIDTH);
		text_string(text, sched_has_wakes(cpu) ? "some\n" : "none\n");
	}
}

/* A group's name and parent are no atomics, and may change as we read: a name is
 * an array that ends in time, a parent an entry of the table or NULL.  Thread
 * sanitizer would call the race what it is. */
#define RACES __attribute__((noinline, no_sanitize("thread")))

RACES static const struct acct_group *parent_of(const struct acct_group *group)
{
	return *(struct acct_group *const volatile *)&group->parent;
}

RACES static void name_of(const struct acct_group *group,
			  char ret_name[ACCT_NAME_MAX + 1])
{
	const volatile char *from = group->name;

	for (unsigned i = 0; i < ACCT_NAME_MAX; i++)
		ret_name[i] = from[i];
	ret_name[ACCT_NAME_MAX] = '\0';
}

void dump_path(struct dump *dump, const struct acct_group *group)
{
	const struct acct_group *chain[ACCT_DEPTH_MAX + 1];
	unsigned depth = 0;

	while (group && depth < ACCT_DEPTH_MAX + 1) {
		chain[depth++] = group;
		group = parent_of(group);
	}
	if (depth < 2)
		text_char(dump_room(dump, 1), '/');
	/* The last of the chain is the root, which has no name. */
	for (unsigned i = depth; i-- > 1;) {
		struct text *text = dump_room(dump, ACCT_NAME_MAX + 1);
		char name[ACCT_NAME_MAX + 1];

		name_of(chain[i - 1], name);
		text_char(text, '/');
		text_name(text, name, ACCT_NAME_MAX);
	}
}

/* Tasks that are inside, as of some moment. */
static uint64_t inside(const struct acct_group *group)
{
	/* relaxed: counts that only grow; those that leave are read first */
	uint64_t count = -a64_load_relaxed(&group->departed);

	for (unsigned i = 0; i < sched.cpus; i++)
		/* relaxed: as above */
		count -= a64_load_relaxed(&group->slot[i].departed);
	for (unsigned i = 0; i < sched.cpus; i++)
		/* relaxed: as above */
		count += a64_load_relaxed(&group->slot[i].arrived);
	/* relaxed: as above */
	count += a64_load_relaxed(&group->arrived);
	return (int64_t)count > 0 ? count : 0;
}

static void dump_group(struct dump *dump, const struct acct_group *group,
		       uint32_t life)
{
	struct text *text = dump_room(dump, LINE_BYTES);
	struct acct_usage usage;

	dump_column(text, "group", ROW_WIDTH);
	dump_handle(text, acct_group_id(group));
	dump_number(text, inside(group), COUNT_WIDTH);
	acct_read_group(&sched.tree, group, &usage);
	if (sched.config.mode == ACCT_OFF)
		dump_column(text, "-", TIME_WIDTH);
	else
		dump_ticks(text, usage.meter[ACCT_EXEC]);
	dump_path(dump, group);
	text_string(dump_room(dump, LINE_BYTES),
		    life == ACCT_DYING ? " (destroyed)\n" : "\n");
}

static void dump_groups(struct dump *dump)
{
	const struct acct_group *group;

	text_string(dump_room(dump, LINE_BYTES),
		    "#     GROUP              TASKS    EXEC               "
		    "PATH\n");
	for (uint32_t i = 0;
	     (group = table_at(&sched.tree.groups, i)) && !dump->error; i++) {
		/* order: dump.group pairs group.live: its slots are there */
		uint32_t life = a32_load_acquire(&group->life);

		if (life != ACCT_FREE)
			dump_group(dump, group, life);
	}
}

static void dump_end(struct dump *dump)
{
	static const enum mete_task_state order[] = {METE_TASK_RUNNING,
						     METE_TASK_READY,
						     METE_TASK_BLOCKED,
						     METE_TASK_DEAD};
	struct text *text = dump_room(dump, LINE_BYTES);
	uint64_t all = 0;

	for (unsigned i = 0; i < 4; i++)
		all += dump->tasks[order[i]];
	dump_column(text, "end", ROW_WIDTH);
	text_decimal(text, all);
	text_string(text, " tasks:");
	for (unsigned i = 0; i < 4; i++) {
		text_char(text, ' ');
		text_decimal(text, dump->tasks[order[i]]);
		text_char(text, ' ');
		text_string(text, dump_state_name(order[i]));
		text_char(text, i < 3 ? ',' : '\n');
	}
	flush(dump);
}

int mete_dump(int fd)
{
	struct dump dump = {.fd = fd};

	if (!sched_look_begin())
		return -ENOSYS;
	dump.text.at = dump.buffer;
	dump.text.room = sizeof(dump.buffer);
	dump_head(&dump);
	dump_cpus(&dump);
	dump_groups(&dump);
	dump_tasks(&dump);
	dump_end(&dump);
	sched_look_end();
	return dump.error;
}

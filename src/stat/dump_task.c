/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dump's tasks: each is looked at in one go, its state word before and after
 * what belongs to it; where the word has changed meanwhile, again.
 */
#include "sched/pool.h"
#include "stat/dump.h"

#define TRIES 16

static const char *const kind_names[WAIT_KINDS] = {
	[WAIT_OTHER] = "something", [WAIT_SLEEP] = "sleep",
	[WAIT_JOIN] = "join",       [WAIT_SEM] = "semaphore",
	[WAIT_MUTEX] = "mutex",     [WAIT_COND] = "condition",
	[WAIT_BARRIER] = "barrier", [WAIT_RWLOCK] = "rwlock",
	[WAIT_ONCE] = "once",       [WAIT_WAITGROUP] = "waitgroup",
	[WAIT_EVENT] = "event",     [WAIT_CHANNEL] = "channel",
	[WAIT_SELECT] = "select",   [WAIT_PARK] = "park",
	[WAIT_FD] = "fd",           [WAIT_BLOCKING] = "blocking",
};

/* What is known of a task at one moment. */
struct sight {
	uint64_t id;
	uint64_t state; /* its word */
	uint64_t since; /* stamp; 0: unknown */
	uintptr_t awaits;
	uint32_t cpu;
	enum mete_task_state is;
	struct acct_group *group;
	char name[TASK_NAME_MAX + 1];
};

const char *dump_state_name(enum mete_task_state state)
{
	static const char *const names[] = {
		[METE_TASK_READY] = "ready",
		[METE_TASK_RUNNING] = "running",
		[METE_TASK_BLOCKED] = "blocked",
		[METE_TASK_DEAD] = "ended",
	};

	return names[state];
}

static bool runs_on(const struct task *task, uint32_t cpu)
{
	return cpu < sched.cpus && cpu_current(sched.cpu[cpu]) == task;
}

static enum mete_task_state state_of(const struct task *task, uint64_t state,
				     uint32_t cpu)
{
	if ((state & TASK_STATE_MASK) == TASK_ENDED)
		return METE_TASK_DEAD;
	if ((state & TASK_STATE_MASK) == TASK_BLOCKED)
		return METE_TASK_BLOCKED;
	return runs_on(task, cpu) ? METE_TASK_RUNNING : METE_TASK_READY;
}

/* Since when the task is what it is; 0 where nobody knows. */
static uint64_t since(const struct task *task, uint64_t state)
{
	/* relaxed: compared with the clock, no more */
	uint64_t left = a64_load_relaxed(&task->books.since);
	uint64_t woken;

	if (sched.config.mode != ACCT_TASK)
		return 0;
	if ((state & TASK_STATE_MASK) != TASK_READY)
		return left;
	/* relaxed: as above; who has claimed it may not have dated it yet */
	woken = a64_load_relaxed(&task->books.ready);
	return (int64_t)(woken - left) >= 0 ? woken : 0;
}

/* Its number is known from its place: that in the entry may not be there yet. */
static uint64_t id_of(const struct task *task, uint32_t number)
{
	/* relaxed: compared by sched_find() */
	return (uint64_t)a32_load_relaxed(&task->generation) << 32 |
	       (number + 1);
}

static void look(const struct task *task, struct sight *ret)
{
	/* relaxed: a look; the object may be that of another wait */
	ret->state = a64_load_relaxed(&task->state);
	/* relaxed: believed only if the word stays */
	ret->awaits = (uintptr_t)aptr_load_relaxed(&task->awaits);
	/* relaxed: as above */
	ret->cpu = a32_load_relaxed(&task->books.cpu);
	ret->since = since(task, ret->state);
	ret->is = state_of(task, ret->state, ret->cpu);
	ret->group = task_group(task);
	task_name_get(task, ret->name);
}

/* False when there is no such task.  One that changes faster than we read is
 * shown as it was last seen. */
static bool see(const struct task *task, uint32_t number, struct sight *ret)
{
	for (int i = 0; i < TRIES; i++) {
		ret->id = id_of(task, number);
		if (!sched_find(ret->id))
			return false;
		look(task, ret);
		/* relaxed: as in look() */
		if (a64_load_relaxed(&task->state) == ret->state)
			break;
	}
	return sched_find(ret->id) == task;
}

/* What a join waits for is told by the low half of the handle. */
static uint64_t joined_id(uintptr_t awaits)
{
	uint32_t number = (uint32_t)awaits - 1;
	const struct task *task = task_at(number);

	return task ? id_of(task, number) : awaits;
}

static void waits_column(struct text *text, const struct sight *sight)
{
	unsigned kind = sight->state / TASK_KIND % WAIT_KINDS;
	size_t from = text->used;

	text_string(text,
		    sight->is == METE_TASK_BLOCKED ? kind_names[kind] : "-");
	if (sight->is == METE_TASK_BLOCKED && sight->awaits) {
		text_char(text, ' ');
		text_hex(text,
			 kind == WAIT_JOIN ? joined_id(sight->awaits)
					   : sight->awaits,
			 1);
	}
	text_pad(text, from, WAITS_WIDTH);
}

static void dump_task(struct dump *dump, const struct sight *sight)
{
	struct text *text = dump_room(dump, LINE_BYTES);
	int64_t span = (int64_t)(os_ticks() - sight->since);

	dump_column(text, "task", ROW_WIDTH);
	dump_handle(text, sight->id);
	dump_column(text, dump_state_name(sight->is), STATE_WIDTH);
	if (sight->cpu < sched.cpus)
		dump_number(text, sight->cpu, CPU_WIDTH);
	else
		dump_column(text, "-", CPU_WIDTH);
	if (sight->since)
		/* Stamps of two CPUs may disagree by their skew. */
		dump_ticks(text, span > 0 ? (uint64_t)span : 0);
	else
		dump_column(text, "-", TIME_WIDTH);
	waits_column(text, sight);
	text_char(text, '"');
	text_name(text, sight->name, TASK_NAME_MAX);
	text_string(text, "\" ");
	if (sight->group)
		dump_path(dump, sight->group);
	else
		text_char(text, '-');
	text_char(dump_room(dump, 1), '\n');
}

void dump_tasks(struct dump *dump)
{
	struct sight sight;

	text_string(dump_room(dump, LINE_BYTES),
		    "#     TASK               STATE   CPU  FOR                "
		    "WAITS FOR                    NAME GROUP\n");
	for (uint32_t i = 0; i < task_numbers() && !dump->error; i++) {
		const struct task *task = task_at(i);

		if (!task || !see(task, i, &sight))
			continue;
		dump->tasks[sight.is]++;
		dump_task(dump, &sight);
	}
}

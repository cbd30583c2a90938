/* SPDX-License-Identifier: Apache-2.0 */
/* What a run has to tell beside its books: warnings, and who waits for what. */
#include <stdlib.h>
#include <string.h>

#include "lab/exec.h"
#include "lab/tasks.h"

/* More tasks than these are only counted. */
#define TASKS_SHOWN 20

static const char *const complaint_text[LAB_COMPLAINTS] = {
	[LAB_UNLOCKS_UNHELD] = "unlocks what it does not hold; ignored",
	[LAB_WAITS_UNHELD] = "waits without the mutex; taken for the wait",
	[LAB_SCHED_REFUSED] = "policy or priority refused",
	[LAB_SCHED_UNSERVED] = "policy and priority do nothing on this engine",
	[LAB_BIND_REFUSED] = "can't be bound to these CPUs",
	[LAB_FORK_REFUSED] = "can't fork",
	[LAB_MEMORY_REFUSED] = "no buffer for it; left out",
	[LAB_IO_REFUSED] = "can't write to the device; left out",
	[LAB_PAGES_REFUSED] = "pages can't be locked",
};

char *lab_report_warnings(const struct lab_run *run)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (int i = 0; i < LAB_COMPLAINTS; i++) {
		const struct lab_complaint *complaint = &run->complaints[i];

		if (complaint->count == 0)
			continue;
		fprintf(out, "%s:%u:%u: warning: %s", run->program->file,
			complaint->place.line, complaint->place.column,
			complaint->task->name);
		if (complaint->object != LAB_NONE)
			fprintf(out, ", \"%s\"",
				run->program->objects[complaint->object].name);
		fprintf(out, ": %s", complaint_text[i]);
		if (complaint->error)
			fprintf(out, ": %s", strerror(-complaint->error));
		if (complaint->count > 1)
			fprintf(out, " (%u times in all)", complaint->count);
		fputc('\n', out);
	}
	fclose(out);
	if (text && !*text) {
		free(text);
		text = NULL;
	}
	return text;
}

static void report_wait(FILE *out, const struct lab_run *run,
			const struct lab_task *task)
{
	const struct lab_object *object;
	struct lab_thing *thing;
	struct lab_task *owner;
	enum lab_op_kind kind;
	uint32_t index;

	if (!lab_task_waits(task->doing, &kind, &index))
		return;
	object = &run->program->objects[index];
	thing = &run->things[index];
	fprintf(out, "  %s ", task->name);
	switch (object->kind) {
	case LAB_MUTEX:
		owner = thing->owner;
		fprintf(out, "waits for mutex \"%s\", held by %s", object->name,
			!owner          ? "nobody"
			: owner == task ? "itself"
					: owner->name);
		break;
	case LAB_BARRIER_OBJECT:
		pthread_mutex_lock(&thing->guard);
		fprintf(out,
			"waits at barrier \"%s\", where %u of %u have come",
			object->name, thing->arrived, object->users);
		pthread_mutex_unlock(&thing->guard);
		break;
	case LAB_SEM_OBJECT:
		fprintf(out, "waits for semaphore \"%s\", and nobody posts it",
			object->name);
		break;
	default:
		fprintf(out,
			kind == LAB_SUSPEND
				? "is suspended on \"%s\", and nobody resumes "
				  "it"
				: "waits for condition \"%s\", and nobody "
				  "signals it",
			object->name);
	}
	fprintf(out, " (%s:%u:%u)\n", run->program->file, object->place.line,
		object->place.column);
}

char *lab_report_deadlock(const struct lab_run *run)
{
	char *text = NULL;
	size_t size;
	size_t shown = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (size_t i = 0; i < run->task_count; i++) {
		if (!lab_task_at(run, i)->alive)
			continue;
		if (shown++ < TASKS_SHOWN)
			report_wait(out, run, lab_task_at(run, i));
	}
	if (shown > TASKS_SHOWN)
		fprintf(out, "  and %zu more\n", shown - TASKS_SHOWN);
	fclose(out);
	return text;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What only the whole program shows: references to nothing, and barriers that
 * can't be met.
 *
 * Mutexes come from "lock" and "sync", conditions from what waits for them.  An
 * unlock or a wait with a mutex that nothing ever takes is refused, and so is
 * a resume of nobody; a signal for which nothing waits is only idle.  Whether
 * a task holds its mutex when it comes there is the engine's to see.
 */
#include <errno.h>

#include "lab/grammar/reader.h"

/* The name of an object, in quotes. */
static struct lab_quoted name_of(const struct lab_reader *r, uint32_t object)
{
	return lab_quote(r->program->objects[object].name);
}

static int check_mutex(struct lab_reader *r, const struct lab_op *op,
		       uint32_t mutex)
{
	if (r->uses[mutex].taken)
		return 0;
	return lab_refuse(r, op->place,
			  "\"%s\" with the mutex %s, which no task locks, "
			  "expected a \"lock\" of it before",
			  lab_op_name(op->kind), name_of(r, mutex).text);
}

static int check_reference(struct lab_reader *r, const struct lab_op *op)
{
	const char *name = r->program->objects[op->object].name;

	if (r->uses[op->object].awaited)
		return 0;
	if (op->kind != LAB_RESUME)
		return lab_warn(r, op->place,
				"\"%s\" of %s wakes nobody: nothing waits for "
				"it",
				lab_op_name(op->kind), lab_quote(name).text);
	if (lab_find_task(r, name) != LAB_NONE)
		return 0;
	return lab_refuse(r, op->place,
			  "\"resume\" of %s, expected the name of a task or of "
			  "a \"suspend\"",
			  lab_quote(name).text);
}

static int check_op(struct lab_reader *r, const struct lab_op *op)
{
	switch (op->kind) {
	case LAB_UNLOCK:
		return check_mutex(r, op, op->object);
	case LAB_WAIT:
		return check_mutex(r, op, op->mutex);
	case LAB_SIGNAL:
	case LAB_BROAD:
	case LAB_RESUME:
		return check_reference(r, op);
	default:
		return 0;
	}
}

static int check_phase(struct lab_reader *r, const struct lab_phase *phase)
{
	int error = 0;

	for (size_t i = 0; i < phase->op_count && error == 0; i++)
		error = check_op(r, &phase->ops[i]);
	return error;
}

static int check_spec(struct lab_reader *r, const struct lab_task_spec *spec)
{
	int error = 0;

	for (size_t i = 0; i < spec->phase_count && error == 0; i++)
		error = check_phase(r, &spec->phases[i]);
	return error;
}

static int check_barrier(struct lab_reader *r, uint32_t index)
{
	struct lab_object *object = &r->program->objects[index];
	const struct lab_use *use = &r->uses[index];

	if (use->users > use->parties)
		return lab_refuse(r, object->place,
				  "the barrier %s can't be met: it waits for "
				  "%llu, but %llu tasks come to it, expected "
				  "each task to name it once",
				  lab_quote(object->name).text,
				  (unsigned long long)use->users,
				  (unsigned long long)use->parties);
	object->users = (uint32_t)use->users;
	if (object->users != 1)
		return 0;
	return lab_warn(r, object->place,
			"the barrier %s has one user: it never waits",
			lab_quote(object->name).text);
}

/* How many come to a barrier must be known: a forked task comes or not. */
static int check_forks(struct lab_reader *r)
{
	for (size_t i = 0; i < r->fork_count; i++) {
		const struct lab_fork *fork = &r->forks[i];
		uint32_t spec = lab_find_task(r, fork->target);

		if (spec == LAB_NONE)
			return lab_refuse(r, fork->place,
					  "\"fork\" of %s, expected the name "
					  "of a task",
					  lab_quote(fork->target).text);
		if (r->meets[spec])
			return lab_refuse(r, fork->place,
					  "\"fork\" of %s, which comes to a "
					  "barrier, expected a task without",
					  lab_quote(fork->target).text);
		r->program->specs[fork->spec]
			.phases[fork->phase]
			.ops[fork->op]
			.object = spec;
	}
	return 0;
}

int lab_check(struct lab_reader *r)
{
	struct lab_program *program = r->program;
	int error = check_forks(r);

	for (uint32_t i = 0; i < program->spec_count && error == 0; i++)
		error = check_spec(r, &program->specs[i]);
	for (uint32_t i = 0; i < program->object_count && error == 0; i++)
		if (program->objects[i].kind == LAB_BARRIER_OBJECT)
			error = check_barrier(r, i);
	return error;
}

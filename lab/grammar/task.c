/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks and their phases.
 *
 * A task without "phases" is one phase itself: its events are that phase's, and
 * a "loop" of its own is the phase's, gone through once; without one it goes
 * round for ever.  A task with "phases" has no events of its own: those beside
 * them do nothing, and "runtime" there is the deadline scheduler's budget, as
 * "period" and "deadline" are.
 *
 * "instance" is read before the events, wherever it stands: barriers count.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lab/grammar/grow.h"
#include "lab/grammar/reader.h"

static const struct lab_range instances = {0, LAB_TASKS_MAX, "tasks"};
static const struct lab_range spans = {0, LAB_TIME_US_MAX, "microseconds"};

static bool is(const struct lab_reader *r, const struct lab_node *node,
	       const char *word)
{
	return strcmp(lab_tree_key(&r->tree, node), word) == 0;
}

/* The form that tasks had before events: nothing of it would run. */
static int refuse_dead_form(struct lab_reader *r, const struct lab_node *node)
{
	if (!is(r, node, "exec") && !is(r, node, "lock_order"))
		return 0;
	return lab_refuse(r, node->key_place,
			  "\"%s\" is of the old form of tasks, expected events "
			  "such as \"run\", \"sleep\" and \"lock\"",
			  lab_tree_key(&r->tree, node));
}

/* A phase of `spec`, to be filled; counted, so that it is freed with it. */
static int add_phase(struct lab_task_spec *spec, const char *name,
		     struct lab_place place, struct lab_phase **ret_phase)
{
	struct lab_phase *grown;
	struct lab_phase *phase;

	grown = lab_grow(spec->phases, spec->phase_count, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	spec->phases = grown;
	phase = &spec->phases[spec->phase_count];
	*phase = (struct lab_phase){.loop = 1, .place = place};
	phase->name = strdup(name);
	if (!phase->name)
		return -ENOMEM;
	spec->phase_count++;
	*ret_phase = phase;
	return 0;
}

/* 0 would be no phase at all. */
static int take_loop(struct lab_reader *r, const struct lab_settings *settings,
		     struct lab_phase *phase)
{
	if (!settings->loop_given)
		return 0;
	if (settings->loop == 0)
		return lab_refuse(r, settings->loop_place,
				  "\"loop\" of a phase is 0, expected at least "
				  "1, or -1 for ever");
	phase->loop = settings->loop;
	return 0;
}

/* A phase does something: an empty one would spin past every safe point. */
static int end_phase(struct lab_reader *r, const struct lab_node *node,
		     const struct lab_phase *phase)
{
	if (phase->op_count > 0)
		return 0;
	return lab_refuse(r, node->place,
			  "%s has no events, expected at least one such as "
			  "\"run\" or \"sleep\"",
			  lab_quote(lab_tree_key(&r->tree, node)).text);
}

static int read_phase_members(struct lab_reader *r, const struct lab_node *node,
			      uint32_t spec, struct lab_settings *settings)
{
	struct lab_task_spec *owner = &r->program->specs[spec];
	struct lab_phase *phase = &owner->phases[owner->phase_count - 1];
	const struct lab_node *item;
	int error = 0;

	for (item = lab_tree_child(&r->tree, node); item;
	     item = lab_tree_next(&r->tree, item)) {
		error = refuse_dead_form(r, item);
		if (error == 0)
			error = lab_setting(r, item, settings);
		if (error < 0)
			return error;
		if (error > 0)
			continue;
		if (lab_is_event(lab_tree_key(&r->tree, item)))
			error = lab_event(r, item, spec, phase);
		else
			error = lab_unknown_key(r, item);
		if (error < 0)
			return error;
	}
	error = take_loop(r, settings, phase);
	return error < 0 ? error : end_phase(r, node, phase);
}

static int read_phase(struct lab_reader *r, const struct lab_node *node,
		      uint32_t spec)
{
	struct lab_settings settings = {0};
	struct lab_phase *phase;
	int error;

	error = lab_expect(r, node, LAB_NODE_OBJECT, "an object with events");
	if (error < 0)
		return error;
	error = add_phase(&r->program->specs[spec],
			  lab_tree_key(&r->tree, node), node->key_place,
			  &phase);
	if (error < 0)
		return error;
	error = read_phase_members(r, node, spec, &settings);
	if (error == 0)
		error = lab_settings_end(r, &settings, LAB_POLICY_SAME);
	if (error < 0) {
		lab_settings_fini(&settings);
		return error;
	}
	phase->cpus = settings.cpus;
	phase->taskgroup = settings.taskgroup;
	phase->sched = settings.sched;
	return 0;
}

static int read_phases(struct lab_reader *r, const struct lab_node *node,
		       uint32_t spec)
{
	const struct lab_node *item;
	int error;

	error = lab_expect(r, node, LAB_NODE_OBJECT, "an object of phases");
	if (error < 0)
		return error;
	item = lab_tree_child(&r->tree, node);
	if (!item)
		return lab_refuse(r, node->place,
				  "\"phases\" is empty, "
				  "expected at least one phase");
	for (; item && error == 0; item = lab_tree_next(&r->tree, item))
		error = read_phase(r, item, spec);
	return error;
}

/* "runtime" beside "phases", "period", "deadline": 1; 0 where it is none. */
static int read_legacy(struct lab_reader *r, const struct lab_node *node,
		       bool has_phases, struct lab_sched *legacy)
{
	uint64_t *field = NULL;
	int64_t span;
	int error;

	if (is(r, node, "runtime") && has_phases)
		field = &legacy->dl_runtime_us;
	else if (is(r, node, "period"))
		field = &legacy->dl_period_us;
	else if (is(r, node, "deadline"))
		field = &legacy->dl_deadline_us;
	if (!field)
		return 0;
	error = lab_integer(r, node, &spans, &span);
	if (error < 0)
		return error;
	*field = (uint64_t)span;
	return 1;
}

/* A member of a task that is no setting.  *phase is NULL beside "phases". */
static int read_member(struct lab_reader *r, const struct lab_node *node,
		       uint32_t spec, struct lab_phase *phase,
		       struct lab_sched *legacy)
{
	const char *key = lab_tree_key(&r->tree, node);
	int64_t span;
	int error;

	if (is(r, node, "instance"))
		return 0;
	if (is(r, node, "phases"))
		return read_phases(r, node, spec);
	if (is(r, node, "delay")) {
		error = lab_integer(r, node, &spans, &span);
		if (error == 0)
			r->program->specs[spec].delay_us = (uint64_t)span;
		return error;
	}
	error = read_legacy(r, node, !phase, legacy);
	if (error != 0)
		return error < 0 ? error : 0;
	if (!lab_is_event(key))
		return lab_unknown_key(r, node);
	if (!phase)
		return lab_warn(r, node->key_place,
				"%s beside \"phases\" does nothing",
				lab_quote(key).text);
	return lab_event(r, node, spec, phase);
}

static void take_legacy(struct lab_sched *sched, const struct lab_sched *legacy)
{
	if (!sched->dl_runtime_us)
		sched->dl_runtime_us = legacy->dl_runtime_us;
	if (!sched->dl_period_us)
		sched->dl_period_us = legacy->dl_period_us;
	if (!sched->dl_deadline_us)
		sched->dl_deadline_us = legacy->dl_deadline_us;
}

static int read_task_members(struct lab_reader *r, const struct lab_node *node,
			     uint32_t spec, struct lab_phase *phase,
			     struct lab_settings *settings)
{
	const struct lab_node *item;
	struct lab_sched legacy = {0};
	int error;

	for (item = lab_tree_child(&r->tree, node); item;
	     item = lab_tree_next(&r->tree, item)) {
		error = refuse_dead_form(r, item);
		if (error == 0)
			error = lab_setting(r, item, settings);
		if (error == 0)
			error = read_member(r, item, spec, phase, &legacy);
		if (error < 0)
			return error;
	}
	take_legacy(&settings->sched, &legacy);
	if (!phase)
		return 0;
	error = take_loop(r, settings, phase);
	return error < 0 ? error : end_phase(r, node, phase);
}

/* What must be known before the events: how many, and whether in phases. */
static int look_ahead(struct lab_reader *r, const struct lab_node *node,
		      struct lab_task_spec *spec, bool *ret_phases)
{
	const struct lab_node *item;
	int64_t count = 1;

	*ret_phases = false;
	for (item = lab_tree_child(&r->tree, node); item;
	     item = lab_tree_next(&r->tree, item)) {
		int error = 0;

		if (is(r, item, "phases"))
			*ret_phases = true;
		else if (is(r, item, "instance"))
			error = lab_integer(r, item, &instances, &count);
		if (error < 0)
			return error;
	}
	spec->instances = (uint32_t)count;
	if (count > LAB_TASKS_MAX - r->program->task_count)
		return lab_refuse(r, node->place,
				  "too many tasks with %s, expected at most %u",
				  lab_quote(spec->name).text, LAB_TASKS_MAX);
	r->program->task_count += spec->instances;
	return 0;
}

/* A spec by the name of its key, or that with a number where it is taken. */
static int add_spec(struct lab_reader *r, const struct lab_node *node)
{
	struct lab_program *program = r->program;
	const char *key = lab_tree_key(&r->tree, node);
	uint32_t index = (uint32_t)program->spec_count;
	struct lab_task_spec *grown;
	bool *meets;
	int error;

	if (key[0] == '\0')
		return lab_refuse(r, node->key_place,
				  "a task's name is empty, expected a name");
	grown = lab_grow(program->specs, index, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	program->specs = grown;
	meets = lab_grow(r->meets, index, sizeof(*meets));
	if (!meets)
		return -ENOMEM;
	r->meets = meets;
	meets[index] = false;
	grown[index] = (struct lab_task_spec){.place = node->key_place};
	error = lab_task_name(r, key, index, &grown[index].name);
	if (error < 0)
		return error;
	program->spec_count++;
	if (strcmp(grown[index].name, key) == 0)
		return 0;
	return lab_warn(r, node->key_place,
			"there is a task %s already, this one is called %s",
			lab_quote(key).text, lab_quote(grown[index].name).text);
}

static int read_task(struct lab_reader *r, const struct lab_node *node)
{
	uint32_t index = (uint32_t)r->program->spec_count;
	struct lab_settings settings = {0};
	struct lab_phase *phase = NULL;
	struct lab_task_spec *spec;
	bool phases;
	int error;

	error = lab_expect(r, node, LAB_NODE_OBJECT,
			   "an object with events or \"phases\"");
	if (error == 0)
		error = add_spec(r, node);
	if (error < 0)
		return error;
	spec = &r->program->specs[index];
	error = look_ahead(r, node, spec, &phases);
	if (error == 0 && !phases)
		error = add_phase(spec, spec->name, node->key_place, &phase);
	if (error == 0)
		error = read_task_members(r, node, index, phase, &settings);
	if (error == 0)
		error = lab_settings_end(r, &settings,
					 r->program->default_policy);
	if (error < 0) {
		lab_settings_fini(&settings);
		return error;
	}
	spec->loop = !settings.loop_given ? LAB_FOREVER
		     : phases             ? settings.loop
					  : 1;
	spec->cpus = settings.cpus;
	spec->taskgroup = settings.taskgroup;
	spec->sched = settings.sched;
	spec->sched.given = true;
	return 0;
}

int lab_tasks(struct lab_reader *r, const struct lab_node *node)
{
	const struct lab_node *item;
	int error;

	error = lab_expect(r, node, LAB_NODE_OBJECT, "an object of tasks");
	for (item = lab_tree_child(&r->tree, node); item && error == 0;
	     item = lab_tree_next(&r->tree, item))
		error = read_task(r, item);
	return error;
}

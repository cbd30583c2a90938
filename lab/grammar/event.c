/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events: what a phase does, one after the other.
 *
 * A key is an event if it *begins* with an event's word ("run1", "lock_2").
 * Where one word begins another the longer one stands first in the table.
 */
#include <errno.h>
#include <string.h>

#include "lab/grammar/grow.h"
#include "lab/grammar/reader.h"

/* An event while it is read. */
struct event {
	const struct lab_node *node;
	uint32_t spec;
	const struct lab_phase *phase;
	struct lab_op op;
};

struct word {
	const char *begin;
	int (*read)(struct lab_reader *r, struct event *event); /* event->op */
	enum lab_op_kind kind;
};

static const struct lab_range spans = {0, LAB_TIME_US_MAX, "microseconds"};
static const struct lab_range counts = {0, INT64_MAX, "a count"};
static const struct lab_range runs = {-LAB_TIME_US_MAX, LAB_TIME_US_MAX,
				      "microseconds"};

static int read_run(struct lab_reader *r, struct event *event)
{
	return lab_integer(r, event->node, &runs, &event->op.amount_us);
}

static int read_span(struct lab_reader *r, struct event *event)
{
	return lab_integer(r, event->node, &spans, &event->op.amount_us);
}

static int read_yield(struct lab_reader *r, struct event *event)
{
	(void)r;
	(void)event;
	return 0;
}

/* The object of a kind that tasks share. */
static int find_object(struct lab_reader *r, const struct event *event,
		       enum lab_object_kind kind, const char *name,
		       uint32_t *ret_index)
{
	struct lab_object_key key = {kind, LAB_NONE, name};

	return lab_object(r, &key, event->node->place, ret_index);
}

static int name_object(struct lab_reader *r, struct event *event,
		       enum lab_object_kind kind, uint32_t *ret_index)
{
	const char *name;
	int error = lab_name(r, event->node, &name);

	if (error < 0)
		return error;
	return find_object(r, event, kind, name, ret_index);
}

static int read_mutex(struct lab_reader *r, struct event *event)
{
	return name_object(r, event, LAB_MUTEX, &event->op.object);
}

static int read_lock(struct lab_reader *r, struct event *event)
{
	int error = read_mutex(r, event);

	if (error == 0)
		r->uses[event->op.object].taken = true;
	return error;
}

static int read_signal(struct lab_reader *r, struct event *event)
{
	return name_object(r, event, LAB_COND, &event->op.object);
}

/* How many open it is the sum of the instances over every mention. */
static int read_barrier(struct lab_reader *r, struct event *event)
{
	uint32_t instances = r->program->specs[event->spec].instances;
	struct lab_use *use;
	int error;

	error = name_object(r, event, LAB_BARRIER_OBJECT, &event->op.object);
	if (error < 0)
		return error;
	use = &r->uses[event->op.object];
	use->users += instances;
	if (use->last_spec != event->spec)
		use->parties += instances;
	use->last_spec = event->spec;
	r->meets[event->spec] = true;
	return 0;
}

/* A condition and a mutex of one name: what suspend and resume are made of. */
static int name_pair(struct lab_reader *r, struct event *event,
		     const char *name)
{
	int error;

	error = find_object(r, event, LAB_COND, name, &event->op.object);
	if (error < 0)
		return error;
	return find_object(r, event, LAB_MUTEX, name, &event->op.mutex);
}

static int read_suspend(struct lab_reader *r, struct event *event)
{
	const struct lab_node *node = event->node;
	const char *name = "";
	int error;

	if (node->kind != LAB_NODE_NULL) {
		error = lab_expect(r, node, LAB_NODE_STRING, "a task's name");
		if (error < 0)
			return error;
		name = lab_tree_string(&r->tree, node);
	}
	if (name[0] == '\0')
		name = r->program->specs[event->spec].name;
	error = name_pair(r, event, name);
	if (error < 0)
		return error;
	r->uses[event->op.object].awaited = true;
	return 0;
}

static int read_resume(struct lab_reader *r, struct event *event)
{
	const char *name;
	int error = lab_name(r, event->node, &name);

	return error < 0 ? error : name_pair(r, event, name);
}

/* wait and sync: { "ref", "mutex" }. */
static int read_wait(struct lab_reader *r, struct event *event)
{
	const struct lab_node *node = event->node;
	const char *condition = "unknown";
	const char *mutex = "unknown";
	const struct lab_node *item;
	int error;

	error = lab_expect(r, node, LAB_NODE_OBJECT,
			   "an object with \"ref\" and \"mutex\"");
	for (item = lab_tree_child(&r->tree, node); item && error == 0;
	     item = lab_tree_next(&r->tree, item)) {
		const char *key = lab_tree_key(&r->tree, item);

		if (strcmp(key, "ref") == 0)
			error = lab_name(r, item, &condition);
		else if (strcmp(key, "mutex") == 0)
			error = lab_name(r, item, &mutex);
		else
			error = lab_unknown_key(r, item);
	}
	if (error < 0)
		return error;
	error = find_object(r, event, LAB_COND, condition, &event->op.object);
	if (error < 0)
		return error;
	r->uses[event->op.object].awaited = true;
	return find_object(r, event, LAB_MUTEX, mutex, &event->op.mutex);
}

/* Files lock around it, or trust that it takes its mutex itself. */
static int read_sync(struct lab_reader *r, struct event *event)
{
	int error = read_wait(r, event);

	if (error == 0)
		r->uses[event->op.mutex].taken = true;
	return error;
}

static int read_mode(struct lab_reader *r, const struct lab_node *node,
		     bool *ret_absolute)
{
	const char *mode;
	int error = lab_name(r, node, &mode);

	if (error < 0)
		return error;
	*ret_absolute = strncmp(mode, "absolute", strlen("absolute")) == 0;
	if (!*ret_absolute && strcmp(mode, "relative") != 0)
		return lab_refuse(r, node->place,
				  "\"mode\" is %s, expected \"relative\" or "
				  "\"absolute\"",
				  lab_quote(mode).text);
	return 0;
}

/* A timer that is absolute in one place is so in all: it is one timer. */
static int read_timer(struct lab_reader *r, struct event *event)
{
	const struct lab_node *node = event->node;
	const struct lab_node *item;
	struct lab_object_key timer = {LAB_TIMER_OBJECT, LAB_NONE, "unknown"};
	bool absolute = false;
	bool unique;
	int error;

	error = lab_expect(r, node, LAB_NODE_OBJECT,
			   "an object with \"ref\" and \"period\"");
	for (item = lab_tree_child(&r->tree, node); item && error == 0;
	     item = lab_tree_next(&r->tree, item)) {
		const char *key = lab_tree_key(&r->tree, item);

		if (strcmp(key, "ref") == 0)
			error = lab_name(r, item, &timer.name);
		else if (strcmp(key, "period") == 0)
			error = lab_integer(r, item, &spans,
					    &event->op.amount_us);
		else if (strcmp(key, "mode") == 0)
			error = read_mode(r, item, &absolute);
		else
			error = lab_unknown_key(r, item);
	}
	if (error < 0)
		return error;
	unique = strncmp(timer.name, "unique", strlen("unique")) == 0;
	if (unique)
		timer.owner = event->spec;
	error = lab_object(r, &timer, node->place, &event->op.object);
	if (error < 0)
		return error;
	r->program->objects[event->op.object].unique = unique;
	if (absolute)
		r->program->objects[event->op.object].absolute = true;
	return 0;
}

static int read_bytes(struct lab_reader *r, struct event *event)
{
	return lab_integer(r, event->node, &counts, &event->op.amount_us);
}

static int read_memrun(struct lab_reader *r, struct event *event)
{
	return lab_memrun(r, event->node, event->spec, &event->op);
}

static int read_sem(struct lab_reader *r, struct event *event)
{
	return name_object(r, event, LAB_SEM_OBJECT, &event->op.object);
}

/* Whom it means is known when all tasks are: check.c fills it in. */
static int read_fork(struct lab_reader *r, struct event *event)
{
	const struct lab_task_spec *spec = &r->program->specs[event->spec];
	struct lab_fork *grown;
	const char *target;
	int error = lab_name(r, event->node, &target);

	if (error < 0)
		return error;
	grown = lab_grow(r->forks, r->fork_count, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	r->forks = grown;
	r->forks[r->fork_count++] = (struct lab_fork){
		.target = target,
		.place = event->node->place,
		.spec = event->spec,
		.phase = (size_t)(event->phase - spec->phases),
		.op = event->phase->op_count,
	};
	return 0;
}

static const struct word words[] = {
	{"runtime", read_span, LAB_RUNTIME},
	{"run", read_run, LAB_RUN},
	{"sleep", read_span, LAB_SLEEP},
	{"timer", read_timer, LAB_TIMER},
	{"lock", read_lock, LAB_LOCK},
	{"unlock", read_mutex, LAB_UNLOCK},
	{"wait", read_wait, LAB_WAIT},
	{"signal", read_signal, LAB_SIGNAL},
	{"broad", read_signal, LAB_BROAD},
	{"sync", read_sync, LAB_SYNC},
	{"barrier", read_barrier, LAB_BARRIER},
	{"suspend", read_suspend, LAB_SUSPEND},
	{"resume", read_resume, LAB_RESUME},
	{"yield", read_yield, LAB_YIELD},
	{"memrun", read_memrun, LAB_MEMRUN},
	{"mem", read_bytes, LAB_MEM},
	{"iorun", read_bytes, LAB_IORUN},
	{"sem_post", read_sem, LAB_SEM_POST},
	{"sem_wait", read_sem, LAB_SEM_WAIT},
	{"fork", read_fork, LAB_FORK},
};

static const struct word *find_word(const char *key)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strncmp(key, words[i].begin, strlen(words[i].begin)) == 0)
			return &words[i];
	return NULL;
}

bool lab_is_event(const char *key)
{
	return find_word(key) != NULL;
}

int lab_event(struct lab_reader *r, const struct lab_node *node, uint32_t spec,
	      struct lab_phase *phase)
{
	const struct word *word = find_word(lab_tree_key(&r->tree, node));
	struct event event = {.node = node, .spec = spec, .phase = phase};
	struct lab_op *grown;
	int error;

	event.op = (struct lab_op){.kind = word->kind,
				   .object = LAB_NONE,
				   .mutex = LAB_NONE,
				   .place = node->key_place};
	error = word->read(r, &event);
	if (error < 0)
		return error;
	grown = lab_grow(phase->ops, phase->op_count, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	phase->ops = grown;
	phase->ops[phase->op_count++] = event.op;
	return 0;
}

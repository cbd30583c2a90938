/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects and tasks by name.  The trees are the C library's: a file may name
 * a million things, and nothing here may be quadratic in them.
 */
#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/grammar/grow.h"
#include "lab/grammar/reader.h"

struct object_name {
	struct lab_object_key key;
	uint32_t index;
};

struct task_name {
	uint32_t spec;
	unsigned next_number; /* tried next when this name comes again */
	const char *name;     /* the spec's, or the one that is looked for */
};

/* By its key, which stands first in an entry. */
static int compare_objects(const void *left, const void *right)
{
	const struct lab_object_key *a = left;
	const struct lab_object_key *b = right;

	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->owner != b->owner)
		return a->owner < b->owner ? -1 : 1;
	return strcmp(a->name, b->name);
}

static int compare_tasks(const void *left, const void *right)
{
	const struct task_name *a = left;
	const struct task_name *b = right;

	return strcmp(a->name, b->name);
}

/* Appends an object and its use; its name is not yet to be found. */
static int add_object(struct lab_reader *r, const struct lab_object_key *key,
		      struct lab_place place)
{
	struct lab_program *program = r->program;
	size_t count = program->object_count;
	struct lab_object *objects;
	struct lab_use *uses;
	char *copy;

	objects = lab_grow(program->objects, count, sizeof(*objects));
	if (!objects)
		return -ENOMEM;
	program->objects = objects;
	uses = lab_grow(r->uses, count, sizeof(*uses));
	if (!uses)
		return -ENOMEM;
	r->uses = uses;
	copy = strdup(key->name);
	if (!copy)
		return -ENOMEM;
	objects[count] = (struct lab_object){.kind = key->kind,
					     .name = copy,
					     .owner = key->owner,
					     .place = place};
	uses[count] = (struct lab_use){.last_spec = LAB_NONE};
	program->object_count++;
	return 0;
}

int lab_object(struct lab_reader *r, const struct lab_object_key *key,
	       struct lab_place place, uint32_t *ret_index)
{
	uint32_t index = (uint32_t)r->program->object_count;
	struct object_name **found;
	struct object_name *entry;
	int error;

	found = tfind(key, &r->object_names, compare_objects);
	if (found) {
		*ret_index = (*found)->index;
		return 0;
	}
	entry = malloc(sizeof(*entry));
	if (!entry)
		return -ENOMEM;
	error = add_object(r, key, place);
	if (error < 0) {
		free(entry);
		return error;
	}
	*entry = (struct object_name){.key = *key, .index = index};
	entry->key.name = r->program->objects[index].name;
	if (!tsearch(entry, &r->object_names, compare_objects)) {
		free(entry);
		return -ENOMEM;
	}
	*ret_index = index;
	return 0;
}

/* `name` with a number after it, but for 0; NULL without memory. */
static char *numbered(const char *name, unsigned number)
{
	char *text;

	if (number == 0)
		return strdup(name);
	return asprintf(&text, "%s%u", name, number) < 0 ? NULL : text;
}

int lab_task_name(struct lab_reader *r, const char *name, uint32_t spec,
		  char **ret_name)
{
	struct task_name *entry = malloc(sizeof(*entry));
	struct task_name *taken = NULL;
	struct task_name **found;
	unsigned number = 0;
	char *text;

	if (!entry)
		return -ENOMEM;
	for (;;) {
		text = numbered(name, number);
		if (!text)
			break;
		*entry = (struct task_name){.spec = spec,
					    .next_number = 1,
					    .name = text};
		found = tsearch(entry, &r->task_names, compare_tasks);
		if (found && *found == entry) {
			*ret_name = text;
			return 0;
		}
		free(text);
		if (!found)
			break;
		if (!taken)
			taken = *found;
		number = taken->next_number++;
	}
	free(entry);
	return -ENOMEM;
}

uint32_t lab_find_task(struct lab_reader *r, const char *name)
{
	struct task_name wanted = {.name = name};
	struct task_name **found;

	found = tfind(&wanted, &r->task_names, compare_tasks);
	return found ? (*found)->spec : LAB_NONE;
}

void lab_names_fini(struct lab_reader *r)
{
	tdestroy(r->object_names, free);
	tdestroy(r->task_names, free);
	r->object_names = r->task_names = NULL;
}

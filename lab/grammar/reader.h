/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader: from the tree to the program form.
 *
 * One file for each kind of object of the grammar: global.c, task.c (with its
 * phases), setting.c (what tasks and phases may both say), event.c and
 * memrun.c (what they do); names.c finds objects and tasks by
 * name; check.c looks at what only the whole shows; read.c leads.  Each function
 * gives 0 or -errno: -EINVAL once lab_refuse() has filled the error, -ENOMEM.
 */
#ifndef LAB_GRAMMAR_READER_H
#define LAB_GRAMMAR_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lab/grammar/message.h"
#include "lab/grammar/tree.h"
#include "lab/program.h"

/* Distinct unknown words that are warned of; the rest is only counted. */
#define LAB_UNKNOWN_MAX 32u

/* Words of the grammar that this version leaves out. */
#define LAB_LEFT_OUT_MAX 32u

/* Who uses an object, beyond what the program form keeps of it. */
struct lab_use {
	uint32_t last_spec; /* the last spec that named it, or LAB_NONE */
	uint64_t parties;   /* barrier: instances of the specs that name it */
	uint64_t users;     /* barrier: the same, once for each mention */
	bool taken;         /* mutex: something locks it */
	bool awaited;       /* condition: something waits for it */
};

/* A fork: its target may stand further down. */
struct lab_fork {
	const char *target; /* in the tree */
	struct lab_place place;
	uint32_t spec; /* where its op stands */
	size_t phase;
	size_t op;
};

struct lab_left_out {
	const char *word;       /* static */
	struct lab_place place; /* where it comes first */
};

struct lab_reader {
	struct lab_program *program;
	struct lab_tree tree;
	struct lab_error *error;

	void *object_names; /* tsearch(3) trees, see names.c */
	void *task_names;
	struct lab_use *uses; /* one for each of program->objects */
	bool *meets;          /* for each spec: comes to a barrier */

	struct lab_fork *forks;
	size_t fork_count;
	struct lab_left_out left_out[LAB_LEFT_OUT_MAX];
	size_t left_out_count;
	const char *unknown[LAB_UNKNOWN_MAX]; /* in the tree */
	size_t unknown_count;
	size_t unknown_more;
	struct lab_place unknown_more_place;
};

/* What may be said of a task and of a phase alike; taken over by them. */
struct lab_settings {
	int64_t loop;
	bool loop_given;
	struct lab_place loop_place;
	char *taskgroup;
	struct lab_cpus cpus;
	struct lab_sched sched;
};

/* Bounds of an integer, and what it counts. */
struct lab_range {
	int64_t min;
	int64_t max;
	const char *of; /* "microseconds", … */
};

/* read.c: messages, warnings and plain values. */

/* Fills the reader's error; -EINVAL. */
int lab_refuse(struct lab_reader *r, struct lab_place place, const char *format,
	       ...) __attribute__((format(printf, 3, 4)));

int lab_warn(struct lab_reader *r, struct lab_place place, const char *format,
	     ...) __attribute__((format(printf, 3, 4)));

/* A key that the grammar does not have: warned of once. */
int lab_unknown_key(struct lab_reader *r, const struct lab_node *node);

/* A word that this version leaves out: all of them in one warning. */
void lab_leave_out(struct lab_reader *r, const char *word,
		   struct lab_place place);

/* The kind is right, or refused: "`expected`" as in "expected a string". */
int lab_expect(struct lab_reader *r, const struct lab_node *node,
	       enum lab_node_kind kind, const char *expected);

int lab_integer(struct lab_reader *r, const struct lab_node *node,
		const struct lab_range *range, int64_t *ret_value);

/* A string that is not empty; it stays in the tree. */
int lab_name(struct lab_reader *r, const struct lab_node *node,
	     const char **ret_name);

int lab_bool(struct lab_reader *r, const struct lab_node *node,
	     bool *ret_truth);

/* setting.c */

/* "SCHED_OTHER", …; refused otherwise. */
int lab_policy(struct lab_reader *r, const struct lab_node *node,
	       enum lab_policy *ret_policy);

/* Reads one member if it is a setting: 1; 0 where it is none; -errno. */
int lab_setting(struct lab_reader *r, const struct lab_node *node,
		struct lab_settings *settings);

/* Defaults, and what only all settings together show.  `policy`: the one that
 * counts where none is given. */
int lab_settings_end(struct lab_reader *r, struct lab_settings *settings,
		     enum lab_policy policy);

void lab_settings_fini(struct lab_settings *settings);

/* global.c, task.c */
int lab_global(struct lab_reader *r, const struct lab_node *node);
int lab_tasks(struct lab_reader *r, const struct lab_node *node);

/* event.c */

/* Whether a key is an event's: by its beginning. */
bool lab_is_event(const char *key);

/* Reads one event of a task's into the phase. */
int lab_event(struct lab_reader *r, const struct lab_node *node, uint32_t spec,
	      struct lab_phase *phase);

/* memrun.c: a memrun's object into its op. */
int lab_memrun(struct lab_reader *r, const struct lab_node *node, uint32_t spec,
	       struct lab_op *op);

/* names.c */

/* What makes an object one and the same. */
struct lab_object_key {
	enum lab_object_kind kind;
	uint32_t owner; /* the spec of a unique timer, else LAB_NONE */
	const char *name;
};

/* The object of that key; new, first mentioned at `place`, if there is none. */
int lab_object(struct lab_reader *r, const struct lab_object_key *key,
	       struct lab_place place, uint32_t *ret_index);

/* Gives the task a name of its own, as the work generator does: a name that is
 * taken gets a number.  *ret_name is the caller's. */
int lab_task_name(struct lab_reader *r, const char *name, uint32_t spec,
		  char **ret_name);

/* The index of the spec of that name; LAB_NONE. */
uint32_t lab_find_task(struct lab_reader *r, const char *name);

void lab_names_fini(struct lab_reader *r);

/* check.c: references and barriers. */
int lab_check(struct lab_reader *r);

#endif

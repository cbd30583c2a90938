/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An engine: what runs a program's tasks.
 *
 * The interpreter (run.c and what belongs to it) gives the program form its
 * meaning once, for all engines; an engine supplies what differs: carriers of
 * tasks (called strands here, whatever they are), locks and conditions, and
 * the books.  An engine that has been started is used by one run and stopped.
 *
 * Waits that must be left when a run is cut short are built on each strand's
 * own permit: `pause` waits for it and takes it, `nudge` gives it.  Locks and
 * conditions are the engine's own, because how they behave is part of what is
 * studied.
 */
#ifndef LAB_ENGINE_H
#define LAB_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mete/types.h>

#include "lab/books.h"
#include "lab/machine.h"
#include "lab/program.h"

struct lab_engine_options {
	unsigned cpus; /* 0: as many as the process may use */
	enum mete_books books;
	bool pi;       /* locks inherit priorities, where the engine can */
	uint64_t seed; /* of an engine that draws */
	const struct lab_groups *groups;
	const struct lab_machine *machine;
};

/* A started engine; engines extend it. */
struct lab_engine {
	const struct lab_engine_ops *ops;
	unsigned cpus;
};

struct lab_time;
struct lab_strand;
struct lab_lock;
struct lab_cond;

struct lab_spawn {
	const char *name;
	uint32_t group;
	const unsigned *cpus; /* numbers from 0 to the engine's cpus - 1 */
	size_t cpu_count;     /* 0: every CPU */
	/* Gets its own strand, which `spawn` may not have returned yet. */
	void (*fn)(struct lab_strand *strand, void *arg);
	void *arg;
};

struct lab_engine_ops {
	const char *name;
	const char *summary;

	/* Time, and with it the CPUs, of its own; NULL: the machine's. */
	const struct lab_time *time;

	/* From the thread that runs the program. */

	int (*start)(struct lab_engine **ret_engine,
		     const struct lab_engine_options *options);
	/* Every strand has been waited for.  -EUCLEAN: the audit is wrong. */
	int (*stop)(struct lab_engine *engine);
	int (*spawn)(struct lab_engine *engine, const struct lab_spawn *spawn,
		     struct lab_strand **ret_strand);
	/* Until the strand has ended; its books are complete then. */
	void (*wait)(struct lab_strand *strand);
	/* Releases a strand that has been waited for. */
	void (*release)(struct lab_strand *strand);
	/* Does it wait for something, as far as the engine can see? */
	bool (*asleep)(struct lab_strand *strand);
	int (*lock_create)(struct lab_engine *engine,
			   struct lab_lock **ret_lock);
	void (*lock_free)(struct lab_lock *lock);
	int (*cond_create)(struct lab_engine *engine,
			   struct lab_cond **ret_cond);
	void (*cond_free)(struct lab_cond *cond);
	/* Fills in what it knows; strands[i] belongs to books->tasks[i].
	 * Only books->wall_ns is already known. */
	int (*books)(struct lab_engine *engine, struct lab_books *books,
		     struct lab_strand *const *strands);

	/* Where time is the engine's own: the program's thread waits for the
	 * run's event, which a strand tells of. */
	void (*await_event)(struct lab_engine *engine, uint64_t deadline_ns);
	void (*tell_event)(struct lab_engine *engine);

	/* Settled figures of every group with its subtree, while strands run:
	 * exec, wait and switches at least, where it knows them at all. */
	void (*glance)(struct lab_engine *engine, struct lab_usage *usage);

	/* From a strand, about itself. */

	void (*checkpoint)(void);
	void (*yield)(void);
	int (*pause)(struct lab_strand *strand, uint64_t deadline_ns);
	int (*move)(struct lab_strand *strand, uint32_t group);
	int (*bind)(struct lab_strand *strand, const unsigned *cpus,
		    size_t count);
	/* -ENOTSUP: this engine serves all alike. */
	int (*sched)(struct lab_strand *strand, const struct lab_sched *sched);

	/* From strands; `nudge` and `cond_wake` from anywhere. */

	void (*nudge)(struct lab_strand *strand);
	int (*lock)(struct lab_lock *lock, uint64_t deadline_ns);
	int (*unlock)(struct lab_lock *lock);
	int (*cond_wait)(struct lab_cond *cond, struct lab_lock *lock,
			 uint64_t deadline_ns);
	void (*cond_wake)(struct lab_cond *cond, bool all);
};

extern const struct lab_engine_ops lab_engine_mete;
extern const struct lab_engine_ops lab_engine_threads;
extern const struct lab_engine_ops lab_engine_sim;

/* The engine of a name, NULL: there is none. */
const struct lab_engine_ops *lab_engine_find(const char *name);

/* The engines there are, NULL behind the last; the first is the default. */
extern const struct lab_engine_ops *const lab_engines[];

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interpreter's insides, shared by run.c (setting up), exec_task.c and
 * exec_ops.c (the tasks) and watch.c (the thread that looks on).
 *
 * Concurrency.  A lab_task is written by itself; the watcher reads `doing` and
 * `alive`.  A lab_thing is reached by all tasks: `owner` is atomic and set by
 * who holds the lock, the rest of it stands under `guard`, which is held for
 * some instructions only and never across a switch.
 *
 * Waiting.  A task sleeps and waits at barriers by pausing on its strand's
 * permit; nobody gives that permit without a reason that the task looks at
 * when it wakes, or the run is ending.  Waits for a lock are cut into slices,
 * because a cycle of locks must be left when the run ends.
 */
#ifndef LAB_EXEC_H
#define LAB_EXEC_H

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>

#include "lab/latency.h"
#include "lab/loops.h"
#include "lab/run.h"

struct lab_task;
struct lab_intervals;

/* An object of the program, at work. */
struct lab_thing {
	pthread_mutex_t guard;
	struct lab_lock *lock; /* mutex */
	struct lab_cond *cond; /* condition */
	_Atomic(struct lab_task *) owner;
	uint64_t next_ns;          /* shared timer; 0: not yet used */
	uint32_t slot;             /* unique timer: its place in each task */
	uint32_t arrived;          /* barrier */
	_Atomic uint64_t woken_ns; /* condition, barrier: the last time */
	struct lab_task *waiters; /* barrier: latest first; semaphore: oldest */
	struct lab_task *last;    /* semaphore: the latest of them */
	uint64_t permits;         /* semaphore */
	char *buffer;             /* shared memory, under the guard */
};

/* A phase with its names resolved for this engine. */
struct lab_phase_plan {
	unsigned *cpus; /* engine's numbers; count 0: every CPU */
	size_t cpu_count;
	bool own_cpus; /* not its task's */
	uint32_t group;
	bool moves; /* the phase names a group */
};

struct lab_plan {
	struct lab_phase_plan *phases;
	size_t phase_count;
	unsigned *cpus;
	uint32_t group;
	size_t timers; /* unique ones */
};

struct lab_task {
	struct lab_run *run;
	const struct lab_task_spec *spec;
	const struct lab_plan *plan;
	char *name;
	_Atomic(struct lab_strand *) strand; /* NULL: not started */
	uint32_t group;
	const struct lab_phase_plan *bound; /* whose CPUs it is bound to */
	uint64_t *timers;                   /* next_ns of unique timers */
	uint64_t first_ns;                  /* start of the run + delay */
	struct lab_thing **held;            /* locks, oldest first */
	size_t held_count, held_room;
	/* What it waits for: count of waits, kind + 1, object; see exec_ops.c.
	 * The low byte is 0 while it waits for nothing. */
	_Atomic uint64_t doing;
	uint64_t waits;
	atomic_bool alive;
	atomic_bool released; /* from a barrier */
	struct lab_task *next_waiter;
	uint32_t index; /* of its row in the books */
	struct lab_histogram wakeups;
	struct lab_histogram slacks;
	struct lab_loop loop;
	char *scratch;  /* of mem and iorun */
	char **buffers; /* of memrun, by slot; NULL: none used yet */
	FILE *log;      /* of its loops; NULL: none wanted */
};

enum lab_complaint_kind {
	LAB_UNLOCKS_UNHELD,
	LAB_WAITS_UNHELD,
	LAB_SCHED_REFUSED,
	LAB_SCHED_UNSERVED,
	LAB_BIND_REFUSED,
	LAB_FORK_REFUSED,
	LAB_MEMORY_REFUSED,
	LAB_IO_REFUSED,
	LAB_PAGES_REFUSED, /* the first task stands for all */
	LAB_COMPLAINTS
};

struct lab_complaint {
	atomic_uint count;
	const struct lab_task *task;
	struct lab_place place;
	uint32_t object;
	int error;
};

/* Chunks of forked tasks: more than LAB_TASKS_MAX of them. */
#define LAB_FORK_CHUNKS 11

struct lab_run {
	const struct lab_program *program;
	const struct lab_run_options *options;
	const struct lab_engine_ops *ops;
	struct lab_engine *engine;
	struct lab_machine *machine;
	struct lab_groups *groups;
	struct lab_plan *plans;   /* of each spec */
	struct lab_thing *things; /* of each object */
	struct lab_task *tasks;
	_Atomic size_t task_count; /* with those in `forked`; see tasks.h */
	struct lab_task *forked[LAB_FORK_CHUNKS];
	_Atomic uint32_t *fork_counts; /* of each spec */
	pthread_mutex_t fork_guard;
	int device; /* that iorun writes to */
	double ns_per_loop;
	uint64_t loops_per_slice;
	uint64_t start_ns;
	uint64_t end_ns; /* METE_FOREVER: no end */
	uint64_t last_ns;
	atomic_bool ending;
	_Atomic uint32_t live;
	sigset_t signals;                /* the mask to watch with */
	sem_t event;                     /* the last task has ended */
	struct lab_intervals *intervals; /* NULL: none wanted; interval.h */
	struct lab_complaint complaints[LAB_COMPLAINTS];
};

/* exec_task.c */
void lab_task_main(struct lab_strand *strand, void *arg);

/* exec_ops.c */
void lab_op_do(struct lab_task *task, const struct lab_op *op);
void lab_task_sleep(struct lab_task *task, uint64_t until_ns);
void lab_task_let_go(struct lab_task *task);
void lab_complain(struct lab_task *task, enum lab_complaint_kind kind,
		  struct lab_place place, uint32_t object, int error);

/* What a task waits for; false: nothing without an end of its own. */
bool lab_task_waits(uint64_t doing, enum lab_op_kind *ret_kind,
		    uint32_t *ret_object);

/* watch.c: until the run is over and every task has ended. */
enum lab_outcome lab_watch(struct lab_run *run, char **ret_deadlock);
/* The last task has ended. */
void lab_tell(struct lab_run *run);
/* Makes every task end. */
void lab_end(struct lab_run *run);

/* report.c */
char *lab_report_warnings(const struct lab_run *run);
char *lab_report_deadlock(const struct lab_run *run);

#endif

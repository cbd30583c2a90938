/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A storm: a small random workload over everything that Mete has.
 *
 * A seed makes the machine, the workload and the order of steps.  Workloads are
 * made so that they end whatever the order is: ops are laid out one after the
 * other, each appended to one of the actors (tasks, and threads foreign to
 * Mete), and an op waits without end only for ops laid out before it.  So an
 * actor that waits for ever has found a fault.
 *
 * What each op sees is checked where it stands (storm_ops.c, storm_tasks.c), the laws of the
 * machine at every change of thread (laws.h), the books at the end.
 */
#ifndef TESTS_SIM_STORM_H
#define TESTS_SIM_STORM_H

#include <stdbool.h>
#include <stdint.h>

#include <mete/mete.h>

#include "sim/sim.h"

#define STORM_ACTORS   14
#define STORM_OPS      48
#define STORM_SHARED   3
#define STORM_GROUPS   3
#define STORM_PAIRS    64
#define STORM_CHILDREN 3
#define STORM_ITEMS    512

enum storm_kind {
	STORM_RUN,
	STORM_RUN_LONG, /* long enough for a deadline to be passed over */
	STORM_YIELD,
	STORM_SLEEP,
	STORM_LOCK,      /* a mutex, with something inside */
	STORM_LOCK_SOON, /* the same with a deadline */
	STORM_SEM,       /* a semaphore of 1 as a lock */
	STORM_SEM_SOON,  /* wait with a deadline for what others post */
	STORM_POST,
	STORM_COND_SOON,
	STORM_SIGNAL,
	STORM_BROADCAST,
	STORM_SPAWN,
	STORM_DETACH,
	STORM_MOVE,
	STORM_CHARGE,
	STORM_BIND,
	STORM_BIND_OTHER,
	STORM_GROUP,
	STORM_READ,
	STORM_FD_SOON, /* wait with a deadline for a descriptor */
	STORM_FD_FLIP,
	STORM_FD_CANCEL,
	STORM_READ_LOCK, /* a reader-writer lock, with something inside */
	STORM_READ_SOON,
	STORM_WRITE,
	STORM_WRITE_SOON,
	STORM_EVENT_SOON,
	STORM_EVENT_SET,
	STORM_EVENT_RESET,
	STORM_SEND_SOON,
	STORM_RECV_SOON,
	STORM_SELECT_SOON,
	STORM_CHAN_CLOSE,
	STORM_REGION, /* short, long, nested, with a wait within */
	STORM_DRAWN,  /* up to here: drawn at random by themselves */
	STORM_GIVE = STORM_DRAWN,
	STORM_TAKE,
	STORM_SET,
	STORM_AWAIT,
	STORM_FD_FILL,
	STORM_FD_READ,
	STORM_FD_DRAIN,
	STORM_FD_WRITE,
	STORM_REGION_TAKE,
	STORM_BARRIER,
	STORM_EVENT_GIVE,
	STORM_EVENT_TAKE,
	STORM_WORK_DONE,
	STORM_WORK_WAIT,
	STORM_STREAM_OUT, /* all of a pair's items, and then it is closed */
	STORM_STREAM_IN,
};

struct storm_op {
	enum storm_kind kind;
	unsigned object;
	unsigned other; /* another actor, or a group */
	uint64_t ns;
};

struct storm_actor {
	unsigned number;
	bool foreign;
	unsigned op_count;
	struct storm_op ops[STORM_OPS];
	mete_task task;
	struct sim_thread *thread;
	uint64_t random;
	/* How many items it has made, and which one it received last, by channel
	 * and sender. */
	unsigned items;
	unsigned last[STORM_SHARED][STORM_ACTORS];
};

/* What goes through the channels. */
struct storm_item {
	unsigned actor;
	unsigned number; /* of that actor's, from 1 */
	uint64_t check;
};

/* What has become of one. */
struct storm_fate {
	bool sent;
	bool received;
};

/* Two ops that belong together. */
struct storm_pair {
	struct mete_sem sem;
	struct mete_mutex mutex;
	struct mete_cond cond;
	bool set;
	unsigned events; /* what its descriptor is ready for */
	struct mete_barrier barrier;
	unsigned lasts; /* how many were told to be the last at the barrier */
	struct mete_event event;
	struct mete_waitgroup work;
	unsigned done; /* pieces of the work */
	struct mete_chan chan;
	size_t capacity;
	unsigned items; /* that go through the channel */
};

struct storm {
	uint64_t random;
	unsigned cpus;
	struct mete_options start;
	enum storm_kind kinds[STORM_DRAWN];
	unsigned kind_count;
	unsigned actor_count;
	struct storm_actor actor[STORM_ACTORS];
	struct mete_mutex mutex[STORM_SHARED];
	unsigned inside_mutex[STORM_SHARED];
	struct mete_sem lock[STORM_SHARED];
	unsigned inside_lock[STORM_SHARED];
	struct mete_sem sem[STORM_SHARED];
	uint64_t posted[STORM_SHARED];
	uint64_t taken[STORM_SHARED];
	struct mete_mutex cond_mutex;
	struct mete_cond cond;
	struct mete_rwlock rwlock[STORM_SHARED];
	unsigned reading[STORM_SHARED];
	unsigned writing[STORM_SHARED];
	struct mete_event event[STORM_SHARED];
	struct mete_chan chan[STORM_SHARED];
	size_t capacity[STORM_SHARED];
	bool closing[STORM_SHARED]; /* maybe closed, certainly closed */
	bool closed[STORM_SHARED];
	struct storm_fate fate[STORM_ACTORS][STORM_ITEMS];
	struct storm_pair pair[STORM_PAIRS];
	unsigned pair_count;
	mete_group group[STORM_GROUPS];
	uint64_t dead_exec_ns; /* of tasks that are gone */
	bool detached;         /* some went without telling */
};

struct storm_result {
	struct sim_figures figures;
	uint64_t books; /* a hash over all figures of the books */
};

/* Everything drawn from here is part of the workload. */
uint64_t storm_draw(uint64_t *random, uint64_t below);

/* The workload of a seed. */
void storm_make(struct storm *storm, uint64_t seed);

/* One actor's ops; `arg` is a struct storm_actor. */
void *storm_act(void *arg);

/* The channels before and after: what was sent was received once, or is still
 * there. */
void storm_chan_begin(void);
void storm_chan_end(void);

/* The storm that runs; one at a time. */
extern struct storm storm;

/* From begin to end; whatever breaks ends the process by sim_fail(). */
void storm_run(uint64_t seed, struct storm_result *ret_result);

#endif

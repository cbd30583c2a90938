/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the books are made of.
 *
 * Model.  A CPU charges exactly one thing at a time: a task (in its group), the
 * scheduler, polling, parked.  Every one of these, and every group on the path
 * from the task's group to the root, has a stopwatch: a base (what it showed
 * when it was last stopped) and, while it runs, a start.  A press takes one
 * time stamp, stops what ends and starts what begins with it: no tick falls
 * between two watches or into both.
 *
 * Meters.  For a group the time is only one of several amounts that run on
 * while it is charged.  Each CPU has a row of meters that never go back (the
 * time itself, waits and blocks of the tasks that came to run, switches,
 * wake-ups); a group's slot treats each as a clock: on entry it notes where the
 * meter stands, on exit it adds the difference.  So what happens within a group
 * costs its slots nothing at any depth, and a switch between groups touches
 * only the levels in which their paths differ.
 *
 * Stolen time.  When a press finds that the operating system took s ticks of
 * the interval that ends, every running start on the path is moved forward by s
 * and s is added to the stolen count beside it (press.c): exec + stolen == held
 * by construction, and the sum is continuous, so nothing steps back.
 *
 * Invariants, outside of a press:
 *   - exactly one of a CPU's four watches runs;
 *   - a slot runs (start != 0) iff it is on the path of cpu->slot;
 *   - every running start <= cpu->last <= now.
 *
 * Concurrency.  Only the CPU's owner writes a struct acct_cpu, its slots, and
 * the books of the task that runs on it, between mark_begin() and mark_end().
 * Anyone reads: settled readings load single words that only grow, live ones
 * load several under the mark.
 */
#ifndef ACCT_BOOKS_H
#define ACCT_BOOKS_H

#include "base/base.h"
#include "conc/atomic.h"
#include "conc/mark.h"
#include "os/steal.h"

/* What is kept; the public enum's values. */
enum acct_mode {
	ACCT_TASK = 0,
	ACCT_GROUP = 1,
	ACCT_OFF = 2,
};

/* Amounts that run on while a group is charged. */
enum acct_meter {
	ACCT_EXEC,
	ACCT_VOLUNTARY,
	ACCT_WAKEUPS,
	ACCT_WAIT,
	ACCT_BLOCKED,
	ACCT_METERS,
	/* Those kept when the books are kept by group only. */
	ACCT_METERS_GROUP = ACCT_WAIT,
};

/* Rare amounts, added to every group of the path when they happen. */
enum acct_count {
	ACCT_STOLEN,
	ACCT_INVOLUNTARY,
	ACCT_MIGRATIONS,
	ACCT_CREATED, /* tasks created in the group */
	ACCT_COUNTS,
};

/* How much older than a CPU's last press a settled reading of a group that it
 * charges without a break may be, where the books are kept by task. */
#define ACCT_FRESH_NS 1000000

/* books.cpu of a task that never ran. */
#define ACCT_NOWHERE UINT32_MAX

struct acct_group;

/* A group's part on one CPU.  Owner only; start[ACCT_EXEC] is 0 while it does
 * not run.  The CPU's outermost slot, "outside", is the parent of the root's
 * and stands for no group. */
struct acct_slot {
	struct a64 base[ACCT_METERS];
	struct acct_slot *parent; /* immutable while the group lives */
	struct a64 start[ACCT_METERS];
	uint32_t depth; /* immutable; outside 0, root 1 */
	uint32_t reserved;
	struct acct_group *group; /* immutable; NULL: outside */
	struct a64 own[ACCT_METERS];
	struct a64 count[ACCT_COUNTS];
	struct a64 own_count[ACCT_COUNTS];
	struct a64 arrived; /* tasks that came in on this CPU; see group.h */
	struct a64 departed;
} cache_aligned;

/* A task's books.  Written by the CPU that runs it; `ready` and `woken` by
 * whoever has claimed it while it does not run. */
struct acct_task {
	struct a64 since; /* stamp of its last change of state */
	struct a64 exec;
	struct a64 wait;
	struct a64 voluntary;
	struct a64 blocked;
	struct a64 stolen;
	struct a64 involuntary;
	struct a64 wakeups;
	struct a64 migrations;
	struct a64 ready; /* stamp of the wake-up that `woken` tells of */
	uint32_t woken;   /* woken since it last ran */
	struct a32 cpu;   /* where it last ran */
};

/* The things a CPU can charge. */
enum acct_charge {
	ACCT_HELD,
	ACCT_SCHEDULER,
	ACCT_POLLING,
	ACCT_PARKED,
	ACCT_CHARGES,
};

/* A stopwatch of a CPU; start is 0 while it does not run. */
struct acct_watch {
	struct a64 base;
	struct a64 start;
};

/* The books of one CPU. */
struct acct_cpu {
	/* owner only, at every press */
	struct mark mark cache_aligned;
	struct a32 watched;  /* set by live readers, see press.h */
	enum acct_mode mode; /* immutable */
	uint32_t index;      /* immutable */
	struct a64 last;     /* stamp of the last press */
	struct acct_slot *slot;
	struct a64 meter[ACCT_METERS]; /* [ACCT_EXEC]: the last crossing */
	struct aptr task;              /* books of the task that runs */
	struct a64 switches; /* counted after each; see group.h on grace */
	struct os_steal steal;
	uint64_t settled;     /* stamp of the last acct_settle() */
	uint64_t fresh_ticks; /* immutable */
	/* owner only, at crossings and when the CPU changes its charge */
	uint64_t own_start[ACCT_METERS];
	struct acct_watch watch[ACCT_CHARGES] cache_aligned;
	struct a64 count[ACCT_COUNTS];
	struct a32 asleep;    /* parked: looks at no group */
	uint64_t park_cpu_ns; /* the carrier's CPU clock when it parked */
	struct a64 begun;     /* the ledger's stamp of this CPU's start */
	struct a64 slept;     /* in exec: asleep before a take-over */
	struct acct_slot outside;
};

#endif

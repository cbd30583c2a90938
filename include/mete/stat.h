/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file stat.h
 * The books: what every task, group and CPU has used, and their audit.
 *
 * Laws, in ticks of the time source, at every moment:
 *
 *   exec + stolen == held                               task, group, CPU
 *   held + scheduler + polling + parked == wall         CPU
 *   sum of the groups' own == sum of the tasks          at rest
 *
 * held     time for which a CPU was charged to the task or group
 * stolen   the part of it in which the operating system ran something else
 * exec     the rest: CPU time used, including what passed in its own system
 *          calls, asleep there or stopped by a signal (the ledger's drift
 *          shows such sleeps)
 * wait     ready to run, but not running
 * blocked  asleep or waiting for something
 *
 * Two kinds of reading.  Settled, the default: as of the last press (a switch,
 * a change of group, a safe point that the tick asked for), for groups and CPUs
 * at most 1 ms older (with METE_BOOKS_GROUP: as of the CPU's last change of
 * group); wait-free, never goes back, exact at rest; signal handlers may use it.
 * Live (METE_LIVE): the time in flight is added to held, and only to held, since
 * a press must tell first how much of it was stolen; never goes back either;
 * lags by at most 5 us; may have to wait for a carrier that was preempted in
 * mid-press and then gives -EAGAIN; not for signal handlers.  wait and blocked
 * grow when an interval ends.
 */
#ifndef METE_STAT_H
#define METE_STAT_H

#include <mete/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Flags of the usage calls. */
enum {
	METE_LIVE = 1u << 0, /**< add the time in flight */
	METE_OWN = 1u << 1,  /**< a group's own usage, without its subtree */
};

/** Usage of a task or group.  METE_UNKNOWN where the mode keeps no such. */
struct mete_usage {
	uint64_t held_ns;   /**< exec_ns + stolen_ns; live: more by what runs */
	uint64_t exec_ns;   /**< CPU time used */
	uint64_t stolen_ns; /**< taken away by the operating system */
	uint64_t wait_ns;   /**< ready, not running */
	uint64_t blocked_ns;  /**< waiting for something */
	uint64_t voluntary;   /**< switches by yield, wait or end */
	uint64_t involuntary; /**< switches because a slice was over */
	uint64_t wakeups;     /**< times it was woken */
	uint64_t migrations;  /**< times it continued on another CPU */
	uint64_t tasks;       /**< group: tasks that ever were created in it */
};

/** Usage of a CPU; the first four parts add up to wall_ns. */
struct mete_cpu_usage {
	uint64_t wall_ns;      /**< since this CPU started */
	uint64_t held_ns;      /**< charged to tasks */
	uint64_t scheduler_ns; /**< looking for work */
	uint64_t polling_ns;   /**< looking for work while there is none */
	uint64_t parked_ns;    /**< asleep, or robbed while it had no work */
	uint64_t exec_ns;      /**< part of held */
	uint64_t stolen_ns;    /**< part of held */
	uint64_t voluntary;
	uint64_t involuntary;
	uint64_t wakeups;       /**< woken tasks that began to run here */
	uint64_t migrations;    /**< tasks that came here from another CPU */
	uint64_t steals;        /**< successful steals by this CPU */
	uint64_t notifications; /**< system calls made to wake this CPU */
	uint64_t parks;         /**< times it went to sleep */
	uint64_t polls; /**< times it looked for work before it would sleep */
	/** Tasks that others put on this CPU's wake list: woken, or created by
	 *  foreign threads.  All other wake-ups stay with their waker. */
	uint64_t sent;
	uint64_t handed; /**< of those: woken while they still left this CPU */
	uint64_t suppressed; /**< of those: it was awake, no call was made */
	uint64_t regions;    /**< blocking regions that began here */
	uint64_t takeovers;  /**< of those: another thread took the CPU over */
};

/** Where a task is. */
enum mete_task_state {
	METE_TASK_READY = 0,
	METE_TASK_RUNNING = 1,
	METE_TASK_BLOCKED = 2,
	METE_TASK_DEAD = 3,
};

/** The audit of the whole process. */
struct mete_ledger {
	unsigned cpus;
	uint64_t wall_ns; /**< sum over the CPUs */
	uint64_t held_ns; /**< exec_ns + stolen_ns + in_flight_ns */
	uint64_t exec_ns;
	uint64_t stolen_ns;
	/** Held since a CPU's last press, which alone can tell how much of it
	 *  was stolen.  0 at rest. */
	uint64_t in_flight_ns;
	uint64_t scheduler_ns;
	uint64_t polling_ns;
	uint64_t parked_ns;
	/** wall less the accounts, in ticks; the largest deviation of a CPU by
	 *  magnitude.  Anything but 0 is a fault in Mete. */
	int64_t residual_ticks;
	int64_t residual_ns;
	/** The CPUs' held less the root group's, and less the sum of all
	 *  groups' own, in ticks; the larger by magnitude.  0 at rest. */
	int64_t groups_residual_ticks;
	uint64_t kernel_cpu_ns; /**< the carriers' own CPU clocks */
	/** kernel_cpu_ns and asleep_ns less our exec + scheduler + polling: what
	 *  nobody flags (hypervisor steal, interrupts, other sleeps in own system
	 *  calls). */
	int64_t drift_ns;
	uint64_t helper_cpu_ns; /**< CPU clock of the tick's thread */
	/** Error of the time source's rate against CLOCK_MONOTONIC_RAW. */
	double clock_error_ppm;
	uint64_t ticks_per_second;
	/** CPU clocks of the carriers while they drove no CPU: starting, resting,
	 *  or in a blocking region whose CPU was taken over. */
	uint64_t away_cpu_ns;
	/** In exec_ns: asleep in blocking regions until another thread took the
	 *  CPU over. */
	uint64_t asleep_ns;
};

/**
 * Usage of a task, alive or ended but not yet joined.
 *
 * @param flags     0 or METE_LIVE.
 * @param size      sizeof *ret_usage of the caller.
 * @return 0; -ESRCH; -EINVAL; -ENOTSUP unless the books are METE_BOOKS_TASK;
 *         -EAGAIN (METE_LIVE only).
 * Context: any thread; signal handlers without METE_LIVE.  Never switches.
 * Cost: some 5 ns.  Since 0.1.
 */
METE_API int mete_task_usage(mete_task task, unsigned flags,
			     struct mete_usage *ret_usage, size_t size);

/** Where a task is now.  0; -ESRCH.  Any context.  Since 0.1. */
METE_API int mete_task_state(mete_task task, enum mete_task_state *ret_state);

/**
 * Usage of a group, of its subtree unless METE_OWN.  As mete_task_usage();
 * -ENOTSUP with METE_BOOKS_OFF.  METE_OWN cannot be live.  Cost: O(CPUs),
 * whatever hangs below.  Since 0.1.
 */
METE_API int mete_group_usage(mete_group group, unsigned flags,
			      struct mete_usage *ret_usage, size_t size);

/** Usage of a CPU.  As mete_group_usage(); -EINVAL beyond mete_cpus(). */
METE_API int mete_cpu_usage(unsigned cpu, unsigned flags,
			    struct mete_cpu_usage *ret_usage, size_t size);

/** A row of a snapshot: a group. */
struct mete_group_row {
	mete_group group;
	int parent; /**< index of the parent's row, -1 for the root */
	unsigned depth;
	const char *path;        /**< " (destroyed)" is appended where it is */
	struct mete_usage usage; /**< inclusive */
	struct mete_usage own;   /**< exclusive */
};

/** A row of a snapshot: a task that lives or waits to be joined. */
struct mete_task_row {
	mete_task task;
	unsigned group; /**< index of its group's row */
	enum mete_task_state state;
	char name[METE_NAME_MAX + 1];
	struct mete_usage usage;
};

/**
 * Everything at once, settled.  Groups stand in depth-first order, parents
 * before children; tasks stand by group in that order, then by age.  At rest
 * the nanoseconds are apportioned so that all sums are whole: tasks to their
 * group's own, own usages to every inclusive one, and these to the CPUs'.
 */
struct mete_snapshot {
	uint64_t stamp_ns; /**< CLOCK_MONOTONIC */
	struct mete_group_row *groups;
	size_t group_count;
	struct mete_task_row *tasks;
	size_t task_count;
	struct mete_cpu_usage *cpus;
	size_t cpu_count;
	struct mete_ledger ledger;
};

/**
 * Take a snapshot.  0; -ENOMEM; -ENOSYS; -ENOTSUP with METE_BOOKS_OFF; -EAGAIN
 * when a carrier stayed in mid-press.
 * Ownership: mete_snapshot_free().  Allocates; blocks on the tables' locks for
 * a short time.  Cost: O(CPUs x groups + tasks).  Since 0.1.
 */
METE_API METE_NODISCARD int mete_snapshot(struct mete_snapshot **ret_snapshot);

/** Free a snapshot; NULL is ignored. */
METE_API void mete_snapshot_free(struct mete_snapshot *snapshot);

/**
 * Audit the books now: read every account back and hold it against the wall
 * time between two stamps of the ledger's own.  0; -ENOSYS; -ENOTSUP; -EAGAIN
 * when a carrier stayed in mid-press.  Context: any thread.  Cost: some
 * microseconds a CPU.  Since 0.1.
 */
METE_API int mete_ledger(struct mete_ledger *ret_ledger, size_t size);

/**
 * Write down where everything is, as text: a line for each CPU (what it does,
 * the task that runs, how many are queued, whether woken ones are on their way),
 * for each group (tasks inside, CPU time of its subtree) and for each task that
 * lives or waits to be joined:
 *
 *   task  HANDLE STATE CPU FOR WAITS-FOR "NAME" GROUP
 *
 * STATE is running, ready, blocked or ended.  CPU is where it runs or last ran.
 * FOR is how long it has been so, in seconds (running: since its last switch or
 * safe point that the tick asked for); "-" unless the books are by task, and
 * where a wake-up has no date yet.  WAITS-FOR is the kind of wait and the address
 * of the object, of a join the handle of the task.  Columns are parted by spaces;
 * in names, control characters and quotes are shown as "?".  The last line begins
 * with "end" and counts the tasks.  The text is for people and may grow.
 *
 * Everything else goes on meanwhile, so lines tell of different moments, and a
 * name may be torn where its task ends or begins just then.
 *
 * @param fd  where to write.  A descriptor that does not block is waited for.
 * @return 0; -ENOSYS; -errno of write(2), after which the text is incomplete.
 *         As with any write, a pipe that nobody reads raises SIGPIPE.
 * Context: any thread, task or signal handler, whatever that has interrupted;
 * takes some 2 KiB of its stack.  Never switches, locks or allocates; may block
 * as write(2) does.  mete_stop() waits for it.  errno is kept.
 * Cost: some 0.5 us and a hundred bytes a task.  Since 0.1.
 */
METE_API int mete_dump(int fd);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file runtime.h
 * Start and stop of the runtime.
 *
 * A process has at most one runtime at a time.  It drives its CPUs by one
 * carrier thread each; the thread that starts it stays what it was, a foreign
 * thread, and may create tasks, wait for them and read the books.
 */
#ifndef METE_RUNTIME_H
#define METE_RUNTIME_H

#include <mete/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Flags of struct mete_options. */
enum {
	/** Report a stack overflow with the task's name on stderr, then die
	 *  of the signal as before.  Installs a SIGSEGV and SIGBUS handler. */
	METE_REPORT_OVERFLOW = 1u << 0,
	/** Do not read the METE_… environment variables. */
	METE_IGNORE_ENV = 1u << 1,
	/** Never bind carriers to the operating system's CPUs.  By default they
	 *  are bound one to one when there are as many as the process may use. */
	METE_NO_BIND = 1u << 2,
};

/**
 * Options of a runtime.  Zero means the default everywhere.  Variables in the
 * environment override them (unless METE_IGNORE_ENV, or the program is
 * set-user-ID): METE_CPUS, METE_STACK (bytes; K, M and G are understood),
 * METE_BOOKS (task, group, off), METE_SLICE (microseconds), METE_MAX_TASKS,
 * METE_PLACEMENT (auto, local, spread).
 * METE_SHOW=1 prints the options in force to stderr at start.
 */
struct mete_options {
	size_t size; /**< sizeof(struct mete_options) */
	/** CPUs, 1 … 1024; 0: as many as affinity and the container's CPU
	 *  limit (the minimum over all ancestors, rounded up) allow. */
	unsigned cpus;
	enum mete_books books;
	/** Default stack of a task, 4 KiB … 1 GiB, rounded up to pages; 0:
	 *  64 KiB.  Only the pages touched take memory; up to 2.3 KiB of the
	 *  first one are the task itself and an offset for the cache's sake.
	 *  Below lies a guard; where the kernel refuses one (before Linux
	 *  6.13 beyond some 24,500 stacks), the lowest word is checked when
	 *  the task leaves its CPU. */
	size_t stack_bytes;
	/** How long a task may keep a CPU that others wait for before a safe
	 *  point yields for it; 100 us … 10 s; 0: 3 ms. */
	uint64_t slice_ns;
	/** Most tasks alive at once, 1 … 2^24; 0: 2^20.  Above 2^14 a CPU the
	 *  limit may be passed by up to 2^10 a CPU. */
	unsigned max_tasks;
	unsigned flags;
	enum mete_placement placement;
};

#define METE_OPTIONS_INIT                                                      \
 {                                                                             \
  sizeof(struct mete_options), 0, METE_BOOKS_TASK, 0, 0, 0, 0, METE_PLACE_AUTO \
 }

/**
 * Start the runtime.
 *
 * @param options  NULL for the defaults; only read during the call.
 * @return 0; -EALREADY when one runs; -EINVAL for an option or variable out of
 *         range; -ENOMEM, -EAGAIN when memory or threads are refused; -EPERM
 *         when the system does not tell which CPUs may be used.
 * Context: a foreign thread.  Blocks for about 10 ms (the clock's calibration,
 * once a process).  Thread-safe.  Cost: one thread a CPU.  Since 0.1.
 */
METE_API METE_NODISCARD int mete_start(const struct mete_options *options);

/**
 * Wait until every task has ended, then stop the runtime and free it.
 *
 * @return 0; -ENOSYS when none runs; -EPERM from a task; -EUCLEAN when the
 *         ledger does not close (a fault in Mete; the runtime is stopped).
 * Context: a foreign thread; blocks.  No other thread may use Mete meanwhile.
 * Since 0.1.
 */
METE_API int mete_stop(void);

/**
 * Start a runtime, run `fn(arg)` as its first task, on a stack of 1 MiB, wait for
 * all tasks, stop.
 *
 * @param ret_status  what fn returned; may be NULL.
 * @return as mete_start(), mete_task_create() and mete_stop().
 * Context: a foreign thread; blocks.  Since 0.1.
 */
METE_API int mete_main(const struct mete_options *options, int (*fn)(void *),
		       void *arg, int *ret_status);

/** CPUs of the running runtime, 0 when none runs.  Any context. Since 0.1. */
METE_API unsigned mete_cpus(void);

/** The CPU that runs the calling task, -EPERM outside of tasks.  May be stale
 *  as soon as it is known unless the task is bound.  Since 0.1. */
METE_API int mete_cpu_self(void);

/** The options in force, all defaults and variables resolved.  -ENOSYS when no
 *  runtime runs.  Any context.  Since 0.1. */
METE_API int mete_options_get(struct mete_options *ret_options, size_t size);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file task.h
 * Tasks: lightweight, cooperative threads with stacks of their own.
 *
 * A task runs until it waits, yields, passes a safe point after its slice, or
 * returns.  It may continue on another CPU after any of these, so the address
 * of a thread-local variable (errno's too) must not be kept across them; a
 * function that uses such a variable on both sides of a switch is unsafe, for
 * compilers keep its address.  The value of errno is saved for each task.
 *
 * Unless said otherwise the calls below are thread-safe and may be made from
 * tasks and from foreign threads, not from signal handlers.
 */
#ifndef METE_TASK_H
#define METE_TASK_H

#include <mete/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Attributes of a new task; zero means the default everywhere. */
struct mete_task_attr {
	size_t size;      /**< sizeof(struct mete_task_attr) */
	const char *name; /**< copied, cut at METE_NAME_MAX; NULL: "" */
	/** Group that pays; {0} inherits the creator's (root, outside tasks). */
	mete_group group;
	size_t stack_bytes; /**< as in mete_options; 0: the runtime's */
	/** CPUs it may run on; NULL: every CPU. */
	const struct mete_cpuset *affinity;
	bool detached; /**< nobody joins it; its handle dies with it */
	/** Rounding modes and exception masks (the floating-point control
	 *  words) are the task's own.  Without it a task must not leave them
	 *  changed over a switch.  Costs about 3 ns a switch. */
	bool fp_control;
	/** mete_task_cancel() may end it.  Its waits cost a little more. */
	bool cancellable;
};

#define METE_TASK_ATTR_INIT                                              \
 {                                                                       \
  sizeof(struct mete_task_attr), NULL, {0}, 0, NULL, false, false, false \
 }

/**
 * Create a task and make it ready to run.
 *
 * @param ret_task  its handle; may be NULL for a detached task.
 * @param attr      NULL for the defaults; only read during the call.
 * @param fn, arg   what it runs; the returned value goes to the joiner.
 * @return 0; -EINVAL; -ESRCH (group); -ENOMEM when memory or map entries are
 *         refused; -EAGAIN at max_tasks; -ENOSYS.
 * Ownership: a task that is not detached must be joined or detached.
 * May allocate; does not switch.  Cost: about 20 ns from the pool.  Since 0.1.
 */
METE_API METE_NODISCARD int mete_task_create(mete_task *ret_task,
					     const struct mete_task_attr *attr,
					     void *(*fn)(void *), void *arg);

/**
 * Wait for a task's end and release it; its handle is stale afterwards.
 *
 * @param ret_value  what its function returned; may be NULL.
 * @return 0; -ESRCH; -EDEADLK for oneself; -EINVAL when it is detached or
 *         another joins it already; -ETIMEDOUT (it may be joined again).
 * May switch.  Since 0.1.
 */
METE_API int mete_task_join(mete_task task, uint64_t deadline_ns,
			    void **ret_value);

/**
 * Wait for a task's end as mete_task_join() does, but leave it: its books are
 * complete and can still be read; join or detach it afterwards.  Since 0.1.
 */
METE_API int mete_task_wait(mete_task task, uint64_t deadline_ns);

/** Let a task release itself when it ends.  0; -ESRCH; -EINVAL when detached
 *  already or being joined.  Does not switch.  Since 0.1. */
METE_API int mete_task_detach(mete_task task);

/** The calling task; {0} outside of tasks.  Any context.  Since 0.1. */
METE_API mete_task mete_task_self(void);

/** End the calling task with a value, as returning from its function does.
 *  Never returns; outside of tasks it aborts.  Since 0.1. */
METE_API void mete_task_exit(void *value) __attribute__((noreturn));

/**
 * Let the other ready tasks of this CPU run first.  Returns at once when there
 * are none.  From a foreign thread: sched_yield().  Always 0.  Since 0.1.
 */
METE_API int mete_task_yield(void);

/**
 * Sleep for at least `ns`.  0 is a yield.  Always 0.  Since 0.1.
 */
METE_API int mete_task_sleep(uint64_t ns);

/** Sleep until a point of CLOCK_MONOTONIC.  0, or -EINVAL for METE_FOREVER.
 *  Since 0.1. */
METE_API int mete_task_sleep_until(uint64_t deadline_ns);

/** Copy a task's name, NUL-terminated, into `ret_name`.  -ESRCH; -ERANGE when
 *  `size` is too small.  Signal handlers may call it.  Since 0.1. */
METE_API int mete_task_name(mete_task task, char *ret_name, size_t size);

/**
 * Let another group pay for a task from now on: at once for the calling task,
 * at its next switch or safe point for one that runs, when it next runs for
 * one that waits.  0; -ESRCH.  Does not switch.  O(depth).  Since 0.1.
 */
METE_API int mete_task_move(mete_task task, mete_group group);

/**
 * Bind a task to CPUs.  A task that runs elsewhere goes there at its next
 * safe point (the caller, at once).  0; -ESRCH; -EINVAL for a CPU that does
 * not exist.  May switch when called for oneself.  Since 0.1.
 */
METE_API int mete_task_set_affinity(mete_task task,
				    const struct mete_cpuset *set);

/**
 * A safe point: yields if this CPU's slice is over or the task must move,
 * otherwise costs one load.  Loops that neither wait nor yield should pass one
 * every few microseconds.  Outside of tasks it does nothing.  Since 0.1.
 */
METE_API void mete_checkpoint(void);

/**
 * Wait for the calling task's token and take it.  A task has one token or none;
 * whoever builds primitives of his own waits by this.
 *
 * @return 0; -ETIMEDOUT; -EPERM outside of tasks.
 * May switch.  Since 0.2.
 */
METE_API int mete_park(uint64_t deadline_ns);

/** Give a task its token, and wake it if it waits for that; nothing when it has
 *  one.  0; -ESRCH.  Does not switch.  Since 0.2. */
METE_API int mete_unpark(mete_task task);

/** What a cancelled task returns to its joiner. */
#define METE_CANCELED ((void *)-1)

/**
 * Cancel a task that was created as `cancellable`: at its next safe point (a
 * yield, a checkpoint after this call) it runs its clean-up handlers, the last
 * pushed first, then the destructors of its keys, and ends with METE_CANCELED.
 * A wait for a semaphore, condition (which locks its mutex first), event, wait
 * group, channel, select, descriptor, task's end, token or time is ended at once;
 * one for a mutex, reader-writer lock, once or barrier, or the end of a blocking
 * region (see io.h) is not, the task goes on until it has passed.  A C++ stack is
 * not unwound.
 *
 * @return 0, also when it was cancelled before or has ended; -ESRCH; -ENOTSUP:
 *         not cancellable.
 * Does not switch.  Since 0.2.
 */
METE_API int mete_task_cancel(mete_task task);

/** A clean-up handler: the caller's memory, private fields. */
struct mete_cleanup {
	struct mete_cleanup *next;
	void (*fn)(void *arg);
	void *arg;
};

/** Push a handler that runs if the calling task is cancelled before it is
 *  popped.  Pops are in the reverse order of pushes; `run` calls it as well.  In
 *  a handler the task may wait; it is not cancelled again.  From tasks; else it
 *  aborts.  Since 0.2. */
METE_API void mete_cleanup_push(struct mete_cleanup *cleanup,
				void (*fn)(void *), void *arg);
METE_API void mete_cleanup_pop(struct mete_cleanup *cleanup, bool run);

/** A key of task-local storage. */
typedef unsigned mete_key;

/** Most keys at once. */
#define METE_KEYS_MAX 32

/**
 * Create a key.  `destructor` (may be NULL) runs at the end of each task whose
 * value is not NULL, in that task.  0; -EAGAIN when all keys are in use.
 * Since 0.1.
 */
METE_API METE_NODISCARD int mete_key_create(mete_key *ret_key,
					    void (*destructor)(void *));

/** Give a key back; destructors do not run for it any more.  0; -EINVAL. */
METE_API int mete_key_delete(mete_key key);

/** Set the calling task's value.  0; -EINVAL; -ENOMEM; -EPERM outside of
 *  tasks.  The first value of a task allocates.  Since 0.1. */
METE_API int mete_key_set(mete_key key, const void *value);

/** The calling task's value, NULL when it has none.  Since 0.1. */
METE_API void *mete_key_get(mete_key key);

#ifdef __cplusplus
}
#endif

#endif

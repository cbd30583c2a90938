/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file types.h
 * Vocabulary that every other public header uses: handles, time, errors.
 *
 * Errors.  A call returns 0 or a negative errno value and leaves its outputs
 * untouched when it fails.  -EINVAL: an argument is out of range; -ESRCH: the
 * handle names nothing that lives; -ENOMEM: memory or a slot was refused;
 * -EPERM: the caller is not what the call needs (task, foreign thread);
 * -ENOSYS: no runtime is started; -ENOTSUP: the books are not kept in the
 * present mode; -ETIMEDOUT: the deadline passed.
 *
 * Time.  Spans are uint64_t nanoseconds with the suffix _ns; deadlines are
 * absolute nanoseconds on CLOCK_MONOTONIC, METE_FOREVER waits without end and
 * 0 only tries.
 *
 * Structs that begin with `size` grow at their end from version to version:
 * set `size` with the struct's initialiser, or pass sizeof beside a result.
 */
#ifndef METE_TYPES_H
#define METE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
# define METE_API       __attribute__((visibility("default")))
# define METE_NODISCARD __attribute__((warn_unused_result))
#else
# define METE_API
# define METE_NODISCARD
#endif

/** No deadline: wait for ever. */
#define METE_FOREVER UINT64_MAX

/** A figure that is not known in the present mode of the books. */
#define METE_UNKNOWN UINT64_MAX

/** Longest task name and longest single group name, without the NUL. */
#define METE_NAME_MAX 31

/** Longest path of a group, without the NUL. */
#define METE_PATH_MAX 1024

/** Deepest nesting of groups below the root. */
#define METE_DEPTH_MAX 32

/**
 * A task.  A value: slot and generation in one word, never reused, so that a
 * stale handle gives -ESRCH and never touches what came after it.  0 is none.
 */
typedef struct {
	uint64_t id;
} mete_task;

/** A group of tasks in the tree of groups.  As mete_task; 0 is none. */
typedef struct {
	uint64_t id;
} mete_group;

/** The root group "/": it always exists and contains everything. */
#ifdef __cplusplus
# define METE_ROOT (mete_group{1})
#else
# define METE_ROOT ((mete_group){1})
#endif

/** What is written into the books; see runtime.h. */
enum mete_books {
	/** Everything, by task and group: the default. */
	METE_BOOKS_TASK = 0,
	/** Execution time and counts by group; nothing by task. */
	METE_BOOKS_GROUP = 1,
	/** No books: no ledger, no usage (-ENOTSUP), no time stamps. */
	METE_BOOKS_OFF = 2,
};

/** Where a woken task goes. */
enum mete_placement {
	/** To its waker's CPU; an idle one is asked to help when several wait
	 *  there, or when the waker has run for long: the default. */
	METE_PLACE_AUTO = 0,
	/** To its waker's CPU; idle ones are not asked.  For tasks that talk a
	 *  lot and do little. */
	METE_PLACE_LOCAL = 1,
	/** To where it last ran if that is idle, else to an idle one.  For
	 *  tasks that work long when woken. */
	METE_PLACE_SPREAD = 2,
};

/** A set of Mete's CPUs (0 … mete_cpus() - 1), by number. */
struct mete_cpuset {
	const unsigned *cpus; /**< numbers, in any order */
	size_t count;         /**< how many; 0 = every CPU */
};

#ifdef __cplusplus
}
#endif

#endif

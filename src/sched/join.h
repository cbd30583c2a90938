/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The join word: who releases a task, and exclusive use by handle.
 *
 *	tag << 48 | address | flags
 *
 * The tag is the low half of the generation, so that an operation by a stale
 * handle cannot hit the task's next life.  The address is that of the waiter
 * for the task's end, if any.
 *
 *	JOIN_OPEN      alive, to be joined           waiter or none
 *	JOIN_DETACHED  alive, releases itself
 *	JOIN_DONE      ended, to be joined
 *	JOIN_GONE      released
 *
 *	OPEN -> DETACHED   mete_task_detach()
 *	OPEN -> DONE       the successor of the ended task
 *	DONE -> GONE       the joiner: it releases the task
 *	DETACHED -> GONE   the successor: it releases the task
 *	DONE -> GONE       mete_task_detach(): it releases the task
 *
 * JOIN_PIN is set for the few instructions in which somebody works on the task
 * by its handle; everybody else waits for it.
 */
#ifndef SCHED_JOIN_H
#define SCHED_JOIN_H

#include "sched/task.h"

enum {
	JOIN_GONE = 0, /* what a new table entry holds */
	JOIN_OPEN = 1,
	JOIN_DETACHED = 2,
	JOIN_DONE = 3,
	JOIN_STATE = 3,
	JOIN_PIN = 4,
	JOIN_FLAGS = 7,
};

#define JOIN_TAG_SHIFT 48
#define JOIN_ADDRESS   ((UINT64_C(1) << JOIN_TAG_SHIFT) - 1 - JOIN_FLAGS)

static inline uint64_t join_tag(const struct task *task)
{
	/* relaxed: changes only when the word is GONE */
	return (uint64_t)(uint16_t)a32_load_relaxed(&task->generation)
	       << JOIN_TAG_SHIFT;
}

static inline void join_word_begin(struct task *task, bool detached)
{
	/* order: join.begin pairs join.pin, join.find, join.change,
	 * dump.current: the task's fields */
	a64_store_release(&task->join,
			  join_tag(task) |
				  (detached ? JOIN_DETACHED : JOIN_OPEN));
}

#endif

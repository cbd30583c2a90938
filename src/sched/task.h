/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A task: a fiber, its books, its group, and the word that says where it is.
 *
 * State word: ticket << 12 | kind << 8 | state.  The ticket counts the task's
 * waits, so a waker that comes too late for one wait cannot claim the next; the
 * kind says what a BLOCKED task waits for, for those who look at it.
 *
 *	RUNNING   on a CPU, or queued after a yield
 *	BLOCKED   waits, or is about to leave its CPU for it
 *	READY     claimed: queued on exactly one CPU or on its way there
 *	ENDED     never runs again
 *
 *	RUNNING -> BLOCKED   the task itself, before it can be found
 *	BLOCKED -> READY     a claimer, who must queue it
 *	READY -> RUNNING     the task itself
 *	RUNNING -> ENDED     its successor
 *
 * A claim has exactly one winner: a waker or the timer (LATE beside READY says
 * that it was the timer).  See claim.h for `on_cpu`.
 *
 * Join word: tag << 48 | waiter's address | flags, the tag being the low half
 * of the generation.  It decides who releases the task; see join.c.
 */
#ifndef SCHED_TASK_H
#define SCHED_TASK_H

#include <string.h>

#include "acct/books.h"
#include "conc/wakelist.h"
#include "os/stack.h"
#include "sched/waiter.h"
#include "task/fiber.h"

enum task_state {
	TASK_FREE = 0,
	TASK_READY,
	TASK_RUNNING,
	TASK_BLOCKED,
	TASK_ENDED,
	TASK_STATE_MASK = 0x0f,
	TASK_LATE = 0x10, /* beside READY: claimed by the timer */
	TASK_KIND = 0x100,
	TASK_TICKET = 0x1000,
};

enum {
	TASK_DETACHED = 1u << 0,  /* releases itself */
	TASK_FP = 1u << 1,        /* floating-point control words are its own */
	TASK_OWN_STACK = 1u << 2, /* of a size that is not pooled */
	TASK_CANARY = 1u << 3,    /* its stack has no guard */
	TASK_CANCELLABLE = 1u << 4, /* its waits are claimed by swaps alone */
};

#define TASK_NAME_MAX   31
#define TASK_NAME_WORDS ((TASK_NAME_MAX + 1) / sizeof(uint64_t))

/* CPUs that a task may run on; replaced, never changed: readers may hold an old
 * one, so all that a task ever had are freed with it. */
struct task_mask {
	struct task_mask *older;
	uint64_t bits[];
};

struct task {
	/* the CPU that runs it */
	struct fiber fiber;
	struct acct_task books;
	int error_number; /* errno while it does not run */
	uint32_t flags;   /* immutable while it lives */
	union {
		/* whoever has claimed it, then the list it is in */
		struct wakenode node;
		/* its allocator, while it is free */
		struct task *next_free;
	};
	uint64_t after; /* in the list of bound ones: see wake.c */
	/* anyone, atomically */
	struct a64 state;
	struct a32 on_cpu;  /* waits but has not left its CPU yet */
	struct aptr awaits; /* what it waits or last waited for; itself */
	struct a64 token;   /* see park.c */
	struct a32 cancel;  /* see cancel.c */
	struct aptr group;  /* struct acct_group, see move.c */
	struct aptr mask;   /* one of `masks`; NULL: every CPU */
	struct a64 join;
	struct a32 generation;
	/* immutable while it lives */
	uint32_t number;
	struct a64 born; /* stamp, where the books are kept by task */
	void *(*fn)(void *);
	void *arg; /* then its result */
	/* the task itself, then whoever serves it */
	struct mete_waiter own;
	/* the task itself */
	void *locals;                  /* see local.c */
	struct mete_cleanup *cleanups; /* see cancel.c */
	struct arch_fp fp_words;
	/* under the pin */
	struct task_mask *masks;
	/* its allocator */
	struct os_stack stack;            /* the pooled one or its own */
	struct a64 name[TASK_NAME_WORDS]; /* a string, in words */
} cache_aligned;

static inline uint64_t task_id(const struct task *task)
{
	/* relaxed: the caller keeps the task */
	return (uint64_t)a32_load_relaxed(&task->generation) << 32 |
	       (task->number + 1);
}

/* NULL: "", for which the first word is enough. */
static inline void task_name_set(struct task *task, const char *name)
{
	uint64_t words[TASK_NAME_WORDS] = {0};

	if (name)
		strncat((char *)words, name, TASK_NAME_MAX);
	for (unsigned i = 0; i < (name ? TASK_NAME_WORDS : 1); i++)
		/* order: name.set pairs name.read: this life's generation */
		a64_own_set(&task->name[i], words[i]);
}

/* Safe in signal handlers; a stale handle's reader may get another's. */
static inline void task_name_get(const struct task *task,
				 char ret_name[TASK_NAME_MAX + 1])
{
	for (unsigned i = 0; i < TASK_NAME_WORDS; i++) {
		/* order: name.read pairs name.set: who sees a later life's word
		 * sees its generation too */
		uint64_t word = a64_load_acquire(&task->name[i]);

		memcpy(ret_name + i * sizeof(word), &word, sizeof(word));
	}
	ret_name[TASK_NAME_MAX] = '\0';
}

static inline struct acct_group *task_group(const struct task *task)
{
	/* order: task.group pairs task.move, task.charge: the group is
	 * complete */
	return (struct acct_group *)aptr_load_acquire(&task->group);
}

#endif

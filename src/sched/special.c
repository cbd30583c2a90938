/* SPDX-License-Identifier: Apache-2.0 */
/* Floating-point control words, canaries and cancellations. */
#include "sched/special.h"

#include "sched/sched.h"

#define CANARY UINT64_C(0x5bd1e9955bd1e995)

/* The words of whoever has none of his own: the creating thread's. */
static __thread struct arch_fp common_words;

static uint64_t *canary(struct task *task)
{
	return task->stack.base;
}

/* Whether its words must be changed with it. */
static bool own_words(const struct task *task)
{
#ifdef ARCH_SWITCH_SAVES_FP
	(void)task;
	return false;
#else
	return task->flags & TASK_FP;
#endif
}

void special_prepare(struct task *task)
{
	if (task->flags & TASK_FP)
		arch_fp_save(&task->fp_words);
	if (task->flags & TASK_CANARY)
		*canary(task) = CANARY;
}

void special_enter(struct task *next)
{
	/* relaxed: who asks later pokes every CPU */
	if (unlikely(a32_load_relaxed(&next->cancel)))
		/* order: due.cancelled pairs due.take: nothing but the flag */
		a32_or_release(&sched_cpu()->due, DUE_HEED);
	if (!own_words(next))
		return;
	arch_fp_save(&common_words);
	arch_fp_load(&next->fp_words);
}

void special_leave(struct task *prev)
{
	bool overflowed = prev->flags & TASK_CANARY && *canary(prev) != CANARY;

	if (unlikely(overflowed))
		overflow_tell(prev);
	BUG_ON(overflowed); /* a stack that has no guard */
	if (!own_words(prev))
		return;
	arch_fp_save(&prev->fp_words);
	arch_fp_load(&common_words);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The press: what a switch writes into the books.
 *
 * One stamp for everything that ends and begins.  The hot path, a switch
 * between two tasks of one group, is inline; crossings between groups and
 * stolen time are in press.c.  A line marked `press: NAME` stops or starts
 * watches: tools/mutate-press drops or doubles each of them, and the tests must
 * notice.
 *
 * Cost on x86-64 beside the stamp: plain loads and stores, about 1 ns for a
 * switch within a group, about 2 ns for each level that differs.
 */
#ifndef ACCT_PRESS_H
#define ACCT_PRESS_H

#include "acct/books.h"
#include "os/clock.h"

/* Why a task stops running. */
enum acct_leave {
	ACCT_LEAVE_VOLUNTARY,
	ACCT_LEAVE_INVOLUNTARY,
};

/* Slow parts, owner only, between the marks. */
uint64_t acct_robbed(struct acct_cpu *cpu, struct acct_task *task,
		     uint64_t now);
void acct_cross(struct acct_cpu *cpu, struct acct_slot *to, uint64_t now);
/* Everything that runs on the path is stopped and started anew. */
void acct_settle(struct acct_cpu *cpu, uint64_t now);
void acct_count(struct acct_cpu *cpu, struct acct_slot *slot,
		enum acct_count what, uint64_t amount);
void acct_arrive_slow(struct acct_cpu *cpu, struct acct_task *task,
		      uint64_t now);

/* A live reader looks: the mark must be seen before the stamp is taken. */
void acct_show_mark(struct acct_cpu *cpu);

/*
 * A press begins.  Stores reach others in order but late: under readers that
 * never rest each waits for its line, and a whole buffer of them for some 15 us
 * (measured), while the stamp does not wait.  So a reader asks for a mark that
 * is seen at once; unwatched presses pay one load.
 */
static always_inline void acct_begin(struct acct_cpu *cpu)
{
	mark_begin(&cpu->mark);
	/* relaxed: who asks too late for this press relies on the lag */
	if (unlikely(a32_load_relaxed(&cpu->watched)))
		acct_show_mark(cpu);
}

/* A stamp that is not before the last one, stolen time seen to. */
static always_inline uint64_t acct_stamp(struct acct_cpu *cpu,
					 struct acct_task *task)
{
	uint64_t now = os_ticks();

	if (unlikely(os_steal_disturbed(&cpu->steal)))
		now = acct_robbed(cpu, task, now);
	if (unlikely((int64_t)(now - a64_own(&cpu->last)) < 0))
		now = a64_own(&cpu->last);
	a64_own_set(&cpu->last, now);
	return now;
}

/* `task` stops running at `now`; it counts as ready, or as blocked, from now
 * on: whoever makes it run again tells which. */
static always_inline void acct_leave(struct acct_cpu *cpu,
				     struct acct_task *task,
				     enum acct_leave how, uint64_t now)
{
	if (likely(how == ACCT_LEAVE_VOLUNTARY)) {
		a64_own_add(&task->voluntary, 1);
		a64_own_add(&cpu->meter[ACCT_VOLUNTARY], 1);
	} else {
		a64_own_add(&task->involuntary, 1);
		acct_count(cpu, cpu->slot, ACCT_INVOLUNTARY, 1);
	}
	a64_own_add(&task->exec,
		    now - a64_own(&task->since)); /* press: leave */
	a64_own_set(&task->since, now);           /* press: ready */
}

/* `task` begins to run at `now`; its group's slot runs already. */
static always_inline void acct_arrive(struct acct_cpu *cpu,
				      struct acct_task *task, uint64_t now)
{
	uint64_t wait;

	if (unlikely(task->woken | (a32_own(&task->cpu) ^ cpu->index)))
		acct_arrive_slow(cpu, task, now);
	/* Stamps of two CPUs may disagree by their skew. */
	wait = now - a64_own(&task->since);
	if (likely((int64_t)wait > 0)) {
		a64_own_add(&task->wait, wait); /* press: wait */
		a64_own_add(&cpu->meter[ACCT_WAIT],
			    wait); /* press: group-wait */
	}
	a64_own_set(&task->since, now); /* press: run */
	aptr_own_set(&cpu->task, task);
}

/* Books by task: `prev` gives the CPU to `next`, which pays through `slot`. */
static always_inline void acct_switch_task(struct acct_cpu *cpu,
					   struct acct_task *prev,
					   struct acct_task *next,
					   struct acct_slot *slot,
					   enum acct_leave how)
{
	uint64_t now;

	acct_begin(cpu);
	now = acct_stamp(cpu, prev);
	acct_leave(cpu, prev, how, now);
	if (unlikely(slot != cpu->slot))
		acct_cross(cpu, slot, now); /* press: cross, idempotent */
	if (unlikely(now - cpu->settled > cpu->fresh_ticks))
		acct_settle(cpu, now); /* press: settle, idempotent */
	acct_arrive(cpu, next, now);
	mark_end(&cpu->mark);
}

/* Books by group only: no stamp within one. */
static always_inline void acct_switch_group(struct acct_cpu *cpu,
					    struct acct_task *prev,
					    struct acct_task *next,
					    struct acct_slot *slot,
					    enum acct_leave how)
{
	(void)prev;
	if (likely(how == ACCT_LEAVE_VOLUNTARY))
		a64_own_add(&cpu->meter[ACCT_VOLUNTARY], 1);
	else
		acct_count(cpu, cpu->slot, ACCT_INVOLUNTARY, 1);
	if (unlikely(slot != cpu->slot)) {
		acct_begin(cpu);
		acct_cross(
			cpu, slot,
			acct_stamp(cpu,
				   NULL)); /* press: cross-group, idempotent */
		mark_end(&cpu->mark);
	}
	if (unlikely(next->woken | (a32_own(&next->cpu) ^ cpu->index)))
		acct_arrive_slow(cpu, next, 0);
}

/* The CPU's switch from one task to another, in any mode. */
static always_inline void acct_switch(struct acct_cpu *cpu,
				      struct acct_task *prev,
				      struct acct_task *next,
				      struct acct_slot *slot,
				      enum acct_leave how)
{
	if (likely(cpu->mode == ACCT_TASK))
		acct_switch_task(cpu, prev, next, slot, how);
	else if (cpu->mode == ACCT_GROUP)
		acct_switch_group(cpu, prev, next, slot, how);
	else
		a32_own_set(&next->cpu, cpu->index);
}

/* After every switch, whatever it pressed. */
static always_inline void acct_switched(struct acct_cpu *cpu)
{
	/* order: grace.switch pairs grace.again: the press is done */
	a64_own_add(&cpu->switches, 1);
}

/* From a task to the scheduler, and back. */
void acct_suspend(struct acct_cpu *cpu, struct acct_task *prev,
		  enum acct_leave how);
void acct_resume(struct acct_cpu *cpu, struct acct_task *next,
		 struct acct_slot *slot);

/* Between the charges of a CPU that runs no task. */
void acct_charge(struct acct_cpu *cpu, enum acct_charge from,
		 enum acct_charge to);

/* As acct_charge() from polling to parked and back.  What of it was not
 * sleep proper but the way there and back in the kernel is polling. */
void acct_park(struct acct_cpu *cpu);
void acct_unpark(struct acct_cpu *cpu);

/* The running task goes on in another group. */
void acct_move(struct acct_cpu *cpu, struct acct_task *task,
	       struct acct_slot *to);

/* Settle everything that runs, so that readers see it fresh. */
void acct_refresh(struct acct_cpu *cpu, struct acct_task *task);

/* The books of a task begin; it is ready from `now` on, on that CPU or
 * ACCT_NOWHERE. */
static inline void acct_task_begin(struct acct_task *task, uint32_t cpu,
				   uint64_t now)
{
	a64_own_set(&task->since, now);
	a64_own_set(&task->exec, 0);
	a64_own_set(&task->wait, 0);
	a64_own_set(&task->voluntary, 0);
	a64_own_set(&task->blocked, 0);
	a64_own_set(&task->stolen, 0);
	a64_own_set(&task->involuntary, 0);
	a64_own_set(&task->wakeups, 0);
	a64_own_set(&task->migrations, 0);
	task->woken = 0;
	a32_own_set(&task->cpu, cpu);
}

/* A task was created by this CPU in the group of `slot`, or is born there. */
static inline void acct_created(struct acct_cpu *cpu, struct acct_slot *slot)
{
	if (cpu->mode == ACCT_OFF)
		return;
	a64_own_add(&cpu->count[ACCT_CREATED], 1);
	a64_own_add(&slot->own_count[ACCT_CREATED], 1);
	for (; slot; slot = slot->parent)
		a64_own_add(&slot->count[ACCT_CREATED], 1);
}

/* A stamp for a wake-up, where the books keep waits. */
static inline void acct_woken(enum acct_mode mode, struct acct_task *task)
{
	task->woken = 1;
	if (mode == ACCT_TASK)
		a64_own_set(&task->ready, os_ticks());
}

/* A wake-up that the task's next press will date. */
static inline void acct_woken_now(struct acct_task *task)
{
	task->woken = 1;
	a64_own_set(&task->ready, 0);
}

/*
 * The CPU is taken over from the thread `left`, which is away in a blocking call
 * of `task`: the task blocks from here on.  What told of the old thread's stolen
 * time is put into `kept`, what tells of the caller's is taken from `brought`.
 */
void acct_take_over(struct acct_cpu *cpu, struct acct_task *task,
		    const struct os_thread *left, struct os_steal *kept,
		    const struct os_steal *brought);

/* The books of a CPU begin: it is charged to the scheduler from here on. */
void acct_cpu_begin(struct acct_cpu *cpu, const struct os_timebase *base);
void acct_cpu_end(struct acct_cpu *cpu);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The switch: from one task to the next, directly, without a scheduler's
 * stack in between.
 *
 * The old task cannot be queued, completed or released while its stack is in
 * use, so its successor does that: it finds in cpu->prev and cpu->after whom it
 * followed and what is to be done (finish()), first thing after the switch.
 * Only if there is no next task does a CPU go to its own stack (idle.c).
 *
 * Nothing thread-local is kept over a switch: the task may go on elsewhere, so
 * the CPU is looked up afresh on the other side.
 *
 * Each public function holds the switch inline: see arch/x86_64 for why.
 */
#include "sched/claim.h"
#include "sched/sched.h"
#include "sched/special.h"

/* Do for the task that ran before us what it could not do itself. */
static always_inline void finish(struct cpu *cpu)
{
	struct task *prev = cpu->prev;

	if (likely(cpu->after == AFTER_YIELD)) {
		sched_queue(cpu, prev);
	} else if (cpu->after == AFTER_BLOCK) {
		claim_settle(prev);
	} else if (cpu->after >= AFTER_END) {
		sched_ended(cpu, prev);
	}
}

/* All that changes hands but the stack. */
static always_inline void hand_over(struct cpu *cpu, struct task *prev,
				    struct task *next, enum sched_after after)
{
	cpu->prev = prev;
	cpu->after = after;
	aptr_own_set(&cpu->current, next);
	acct_switched(&cpu->books);
	prev->error_number = *cpu->error_number;
	*cpu->error_number = next->error_number;
	if (unlikely((prev->flags | next->flags) & TASK_SPECIAL))
		special_switch(prev, next);
}

static always_inline void switch_to(struct cpu *cpu, struct task *next,
				    enum sched_after after, enum acct_leave how)
{
	struct task *prev = cpu_current(cpu);

	acct_switch(&cpu->books, &prev->books, &next->books,
		    sched_slot(cpu, next), how);
	hand_over(cpu, prev, next, after);
	if (after >= AFTER_END)
		fiber_switch_last(&prev->fiber, &next->fiber);
	else
		fiber_switch(&prev->fiber, &next->fiber);
	finish(sched_cpu());
}

/* There is no next task: leave the CPU to its own fiber. */
static always_inline void suspend(struct cpu *cpu, enum sched_after after)
{
	struct task *prev = cpu_current(cpu);

	acct_suspend(&cpu->books, &prev->books, ACCT_LEAVE_VOLUNTARY);
	cpu->prev = prev;
	cpu->after = after;
	aptr_own_set(&cpu->current, NULL);
	acct_switched(&cpu->books);
	prev->error_number = *cpu->error_number;
	if (unlikely(prev->flags & TASK_SPECIAL))
		special_leave(prev);
	if (after == AFTER_END)
		fiber_switch_last(&prev->fiber, cpu->own);
	else
		fiber_switch(&prev->fiber, cpu->own);
	finish(sched_cpu());
}

/* From the CPU's own fiber to a task, and back when there is none left; false
 * when another carrier has taken the CPU meanwhile. */
bool sched_run(struct cpu *cpu, struct task *next)
{
	acct_resume(&cpu->books, &next->books, sched_slot(cpu, next));
	cpu->prev = NULL;
	cpu->after = AFTER_NOTHING;
	aptr_own_set(&cpu->current, next);
	acct_switched(&cpu->books);
	*cpu->error_number = next->error_number;
	if (unlikely(next->flags & TASK_SPECIAL))
		special_enter(next);
	fiber_switch(cpu->own, &next->fiber);
	if (unlikely(!sched_cpu()))
		return false;
	finish(cpu);
	return true;
}

/* From a task that has lost its CPU to the carrier's own fiber; it goes on where
 * it is next run. */
void sched_abandon(struct carrier *carrier, struct task *task)
{
	task->error_number = *carrier->error_number;
	if (unlikely(task->flags & TASK_SPECIAL))
		special_leave(task);
	fiber_switch(&task->fiber, &carrier->own);
	finish(sched_cpu());
	claim_resume(task);
}

/* What others have asked of the running task: its new group pays from here on;
 * false when it may not stay on this CPU, which it has then left. */
static bool heed(struct cpu *cpu)
{
	struct task *task = cpu_current(cpu);
	struct acct_slot *slot = sched_slot(cpu, task);

	if (slot != cpu->books.slot)
		acct_move(&cpu->books, &task->books, slot);
	if (likely(sched_allowed(task, cpu->index)))
		return true;
	/* By way of the CPU's own fiber, which sends it on. */
	suspend(cpu, AFTER_YIELD);
	return false;
}

static uint32_t take_due(struct cpu *cpu)
{
	/* order: due.take pairs due.heed, due.stay,
	 * due.cancel, due.cancelled: the changed task */
	return a32_exchange_acquire(&cpu->due, 0);
}

/* All that is due but the slice; false when the task has left this CPU. */
static bool do_due(struct cpu *cpu, uint32_t due)
{
	if (due & DUE_PULL)
		sched_pull(cpu);
	if (!(due & DUE_HEED))
		return true;
	sched_cancel_point(cpu_current(cpu));
	return heed(cpu);
}

void sched_yield_task(struct cpu *cpu)
{
	struct task *next;

	/* relaxed: a flag that is set just now is seen the next time */
	if (unlikely(a32_load_relaxed(&cpu->due))) {
		if (!do_due(cpu, take_due(cpu)))
			return;
		cpu = sched_cpu();
	}
	next = sched_pick(cpu);
	if (next)
		switch_to(cpu, next, AFTER_YIELD, ACCT_LEAVE_VOLUNTARY);
}

void sched_give_way(uint64_t crowd)
{
	struct cpu *cpu = sched_cpu();

	if (cpu && cpu_current(cpu) &&
	    workq_length(&cpu->queue) + a32_own(&cpu->bound_count) >= crowd)
		sched_yield_task(cpu);
}

void sched_preempt(struct cpu *cpu)
{
	struct task *next = sched_pick(cpu);

	if (next)
		switch_to(cpu, next, AFTER_YIELD, ACCT_LEAVE_INVOLUNTARY);
}

/* The CPU stays busy: it fires what is due, and the tick minds the rest. */
static __attribute__((noinline)) void mind_timers(struct cpu *cpu)
{
	sched_ready_chain(timers_expire(&cpu->timers, os_monotonic_ns()));
	tick_cover(timers_earliest(&cpu->timers));
}

/* The wait was over before the task had left: it runs on. */
static void stay(struct cpu *cpu, struct task *next)
{
	struct task *task = cpu_current(cpu);

	cpu->stay = false;
	claim_settle(task);
	task->books.woken = 0;
	/* Who changed it while it seemed to wait has asked nobody to look.
	 * order: due.stay pairs due.take: as due.heed */
	a32_or_release(&cpu->due, DUE_HEED);
	if (next)
		sched_queue(cpu, next);
}

void sched_block(struct cpu *cpu)
{
	struct task *next = sched_pick(cpu);

	if (unlikely(cpu->stay)) {
		stay(cpu, next);
		return;
	}
	if (unlikely(!next)) {
		suspend(cpu, AFTER_BLOCK);
		return;
	}
	if (unlikely(timers_earliest(&cpu->timers) != UINT64_MAX))
		mind_timers(cpu);
	switch_to(cpu, next, AFTER_BLOCK, ACCT_LEAVE_VOLUNTARY);
}

/* Inline in whoever calls it: a call that never returns would leave an entry in
 * the return predictor behind, and the next task would mispredict every one of
 * its returns. */
static always_inline __attribute__((noreturn)) void end(struct task *task,
							void *result)
{
	struct cpu *cpu;
	struct task *next;

	local_end(task);
	task->arg = result;
	cpu = sched_cpu();
	BUG_ON(!cpu); /* it ends in a blocking region */
	next = sched_pick(cpu);
	if (next) {
		switch_to(cpu, next, AFTER_END, ACCT_LEAVE_VOLUNTARY);
	} else {
		next = sched_joiner(cpu, task);
		if (next)
			switch_to(cpu, next, AFTER_HANDED,
				  ACCT_LEAVE_VOLUNTARY);
		else
			suspend(cpu, AFTER_END);
	}
	BUG_ON(true); /* an ended task was switched to */
	__builtin_unreachable();
}

void sched_end(void *result)
{
	end(sched_current(), result);
}

/* The first frame of every task. */
void sched_entry(void)
{
	struct task *task;

	fiber_entered();
	finish(sched_cpu());
	task = sched_current();
	end(task, task->fn(task->arg));
}

void sched_checkpoint_slow(struct cpu *cpu)
{
	uint32_t due = take_due(cpu);

	if (!do_due(cpu, due) || !(due & DUE_SLICE))
		return;
	if (sched_has_wakes(cpu) || workq_length(&cpu->queue) ||
	    cpu->bound_head)
		sched_preempt(cpu);
	else
		acct_refresh(&cpu->books, &cpu_current(cpu)->books);
}

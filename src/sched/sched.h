/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scheduler's face to the rooms above.
 */
#ifndef SCHED_SCHED_H
#define SCHED_SCHED_H

#include "sched/cpu.h"

/* Start and stop: start.c.  `allowed` are the system's CPUs to bind to. */
int sched_start(const struct sched_config *config, const unsigned *allowed);
/* Until no task is alive. */
void sched_drain_tasks(void);
/* End the carriers and the tick; the books can still be read. */
void sched_halt(void);
void sched_free(void);
/* Whoever looks at the whole of it, from signal handlers too, says so: false
 * when nothing runs.  sched_free() waits until they have left. */
bool sched_look_begin(void);
void sched_look_end(void);

/* Creation: spawn.c. */
struct spawn {
	void *(*fn)(void *);
	void *arg;
	const char *name;     /* may be NULL */
	uint64_t group;       /* handle; 0: the creator's */
	size_t stack_bytes;   /* 0: the default */
	const unsigned *cpus; /* affinity: numbers below sched.cpus */
	size_t cpu_count;     /* 0: all */
	uint32_t flags;       /* TASK_DETACHED, TASK_FP */
};
int sched_spawn(const struct spawn *spawn, uint64_t *ret_id);

/* Switching: switch.c.  From tasks only. */
void sched_yield_task(struct cpu *cpu);
void sched_preempt(struct cpu *cpu);
/* The caller, if it is a task, yields where so many are ready here. */
void sched_give_way(uint64_t crowd);
void sched_block(struct cpu *cpu);
void sched_end(void *result) __attribute__((noreturn));
void sched_checkpoint_slow(struct cpu *cpu);
bool sched_run(struct cpu *cpu, struct task *next);
void sched_abandon(struct carrier *carrier, struct task *task);
void sched_entry(void);

/* Waking: wake.c. */
void sched_ready(struct task *task);
/* A chain of claimed tasks, oldest first. */
void sched_ready_chain(struct wakenode *chain);
/* Send a task that may not run here to a CPU where it may. */
void sched_send(struct task *task);
void sched_queue_bound(struct cpu *cpu, struct task *task);
/* Queue a task that nobody else can reach on this CPU. */
static always_inline void sched_queue(struct cpu *cpu, struct task *task)
{
	/* relaxed: whether it has a mask; its bits are read by acquire */
	if (likely(!aptr_load_relaxed(&task->mask)))
		workq_push(&cpu->queue, task);
	else
		sched_queue_bound(cpu, task);
}
/* Has anything been sent here? */
static always_inline bool sched_has_wakes(const struct cpu *cpu)
{
	return !wakelist_empty(&cpu->wakes) ||
	       !wakelist_empty(&cpu->bound_wakes);
}
/* An idle CPU queues what was sent to another: false when there was nothing. */
bool sched_take_wakes(struct cpu *cpu, struct cpu *victim);
/* What only the owner may drain, but does not: to wherever else it may run. */
void sched_resend(struct cpu *cpu);
/* Everything on the wake lists goes into the queue. */
void sched_drain(struct cpu *cpu);
/* Wake a CPU that sleeps. */
bool sched_notify(struct cpu *cpu);
/* Wake one that sleeps, if any does. */
bool sched_notify_any(void);
void sched_notify_idle_slow(void);
/* There may be work for a CPU that sleeps. */
static inline void sched_notify_idle(void)
{
	/* relaxed: a look that is too early is made up for by the tick */
	if (unlikely(a32_load_relaxed(&sched.parked)))
		sched_notify_idle_slow();
}

/* Tokens: park.c. */
int sched_park(uint64_t deadline_ns);
int sched_unpark(uint64_t id);

/* Cancellation: cancel.c. */
int sched_cancel(uint64_t id);
/* For cancellable tasks: was it asked for, and not acted upon yet? */
bool sched_cancel_asked(struct task *task);
/* The task's own: run its handlers and end. */
void sched_cancel_act(struct task *task) __attribute__((noreturn));
/* At the end of a call that may have waited, when nothing is left to be done,
 * and at safe points. */
static inline void sched_cancel_point(struct task *task)
{
	if (unlikely(task->flags & TASK_CANCELLABLE) &&
	    sched_cancel_asked(task))
		sched_cancel_act(task);
}
/* Every CPU looks, at its next safe point, what was asked of its task. */
void sched_poke(void);

/* Handles, joining: join.c. */
struct task *sched_find(uint64_t id);
int sched_join(uint64_t id, uint64_t deadline_ns, bool release,
	       void **ret_value);
int sched_detach(uint64_t id);
/* The successor of a task that has ended. */
void sched_ended(struct cpu *cpu, struct task *task);
/* A task that waits for this one's end and could run here now, taken off it;
 * else NULL. */
struct task *sched_joiner(struct cpu *cpu, struct task *task);
/* Exclusive use of a task by its handle, for a few instructions. */
struct task *sched_pin(uint64_t id);
void sched_unpin(struct task *task);

/* Group and affinity of a task: move.c. */
int sched_move(uint64_t id, uint64_t group_id);
uint64_t sched_charge(uint64_t group_id);
int sched_set_affinity(uint64_t id, const unsigned *cpus, size_t count);
int task_mask_make(const unsigned *cpus, size_t count,
		   struct task_mask **ret_mask);
void task_mask_free(struct task_mask *mask);
/* At a switch: the slot by which the task pays on this CPU. */
static inline struct acct_slot *sched_slot(struct cpu *cpu, struct task *task)
{
	return &task_group(task)->slot[cpu->index];
}

/* Task-local storage: local.c. */
int local_key_create(unsigned *ret_key, void (*destructor)(void *));
int local_key_delete(unsigned key);
int local_set(struct task *task, unsigned key, const void *value);
void *local_get(const struct task *task, unsigned key);
void local_end_slow(struct task *task);
/* Run the destructors of a task that ends. */
static inline void local_end(struct task *task)
{
	if (unlikely(task->locals))
		local_end_slow(task);
}

/* The tick: tick.c. */
int tick_start(void);
void tick_stop(void);
/* Several tasks compete, or a deadline must be watched while a CPU is busy. */
void tick_want(void);
void tick_cover(uint64_t deadline_ns);
/* It is to look at once. */
void tick_ring(void);
uint64_t tick_cpu_ns(void);

/* Life of a carrier: idle.c, steal.c. */
void carrier_begin(struct carrier *self, struct cpu *cpu);
/* Until all is to end; false when another carrier has taken the CPU. */
bool carrier_run(struct cpu *cpu);
struct task *sched_steal(struct cpu *cpu);
/* Is there anything to steal, or sent to us? */
bool sched_work_in_sight(struct cpu *cpu);
/* A busy CPU evens out what waits. */
void sched_pull(struct cpu *cpu);

struct task *sched_pick_slow(struct cpu *cpu);

/* The next task to run here, or NULL. */
static always_inline struct task *sched_pick(struct cpu *cpu)
{
	struct task *task;

	if (unlikely(sched_has_wakes(cpu) || cpu->bound_head))
		return sched_pick_slow(cpu);
	task = workq_take(&cpu->queue);
	/* relaxed: a mask that came while it was queued; bits by acquire */
	if (unlikely(task && aptr_load_relaxed(&task->mask))) {
		sched_queue_bound(cpu, task);
		return sched_pick_slow(cpu);
	}
	return task;
}

/* Overflow reports: overflow.c. */
bool overflow_report(void *address, int signal);
void overflow_tell(const struct task *task);

extern struct a32 tick_active;

/* Call when a task was queued behind one that runs. */
static inline void tick_compete(struct cpu *cpu)
{
	/* relaxed: a tick that is missed is wanted again by the next queueing;
	 * one that goes to sleep looks at all queues before */
	if (unlikely(!a32_load_relaxed(&tick_active)) && cpu_current(cpu))
		tick_want();
}

#endif

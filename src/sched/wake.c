/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waking: where a claimed task goes.
 *
 * A task that may run on the waker's CPU is queued there, by a plain push: its
 * data is warm, and idle CPUs steal.  Everything else goes through a wake list
 * of the target, without any lock.  There are two: one that an idle CPU may take
 * from a busy one, whole, as its owner does; and one for the owner alone, of
 * tasks that may run only there or have not left it yet.
 *
 * That is the placement `auto`.  By `local` an idle CPU is never asked to help
 * at a wake-up (it still steals, and the tick tells it of what has waited for a
 * slice); by `spread` a woken task goes to where it last ran, if that is idle,
 * else to another idle CPU, else back to where it last ran.
 *
 * Telling sleepers.  For the wake list the parking pair (parking.h) is complete.
 * For a push into the own queue no barrier is paid: an idle CPU that misses it
 * in the instant it falls asleep is told by the tick, which runs while tasks
 * wait behind a running one.
 *
 * Whether to wake an idle CPU for one task: a waker that is about to wait
 * itself makes room sooner than a sleeping CPU wakes up (some 20 us), so it is
 * told only when several tasks wait, or when the waker has run for more than
 * that already and so will probably run on.
 */
#include "sched/claim.h"
#include "sched/parking.h"
#include "sched/sched.h"
#include "sched/watch.h"

/* Lists that a batch fills at a time. */
#define OUTBOXES 8

/* Newest first. */
struct chain {
	struct wakenode *newest;
	struct wakenode *oldest;
	uint64_t count;
};

bool sched_notify(struct cpu *cpu)
{
	enum parking_bed bed = parking_claim(&cpu->parked);

	if (bed == PARKED_NOT)
		return false;
	/* relaxed: a count */
	a64_add_relaxed(&cpu->notifications, 1);
	if (bed == PARKED_WATCH)
		watch_ring();
	else
		os_futex_wake(&cpu->parked.value, 1);
	return true;
}

bool sched_notify_any(void)
{
	for (unsigned i = 0; i < sched.cpus; i++)
		if (sched_notify(sched.cpu[i]))
			return true;
	return false;
}

void sched_notify_idle_slow(void)
{
	/* relaxed: those who poll find it themselves */
	if (!a32_load_relaxed(&sched.polling))
		sched_notify_any();
}

void sched_queue_bound(struct cpu *cpu, struct task *task)
{
	if (!sched_allowed(task, cpu->index)) {
		sched_send(task);
		return;
	}
	task->node.next = NULL;
	task->after = a64_own(&cpu->queue.tail);
	if (cpu->bound_head)
		cpu->bound_tail->next = &task->node;
	else
		cpu->bound_head = &task->node;
	cpu->bound_tail = &task->node;
	a32_own_set(&cpu->bound_count, a32_own(&cpu->bound_count) + 1);
}

static struct task *bound_take(struct cpu *cpu)
{
	struct wakenode *node = cpu->bound_head;

	if (!node)
		return NULL;
	cpu->bound_head = node->next;
	a32_own_set(&cpu->bound_count, a32_own(&cpu->bound_count) - 1);
	return container_of(node, struct task, node);
}

static void queue_all(struct cpu *cpu, struct wakenode *node)
{
	while (node) {
		struct task *task = container_of(node, struct task, node);

		node = node->next;
		/* Woken while it is on its way out, on our own stack: it stays
		 * (sched_block() looks), for a thief could not run it yet. */
		if (unlikely(task == cpu_current(cpu)))
			cpu->stay = true;
		else
			sched_queue(cpu, task);
	}
	tick_compete(cpu);
}

void sched_drain(struct cpu *cpu)
{
	if (!wakelist_empty(&cpu->bound_wakes))
		queue_all(cpu, wakelist_take(&cpu->bound_wakes));
	if (!wakelist_empty(&cpu->wakes))
		queue_all(cpu, wakelist_take(&cpu->wakes));
}

bool sched_take_wakes(struct cpu *cpu, struct cpu *victim)
{
	struct wakenode *node;

	if (wakelist_empty(&victim->wakes))
		return false;
	node = wakelist_take(&victim->wakes);
	queue_all(cpu, node);
	return node != NULL;
}

/* Has everything left the queue that stood there before the first bound one? */
static bool bound_is_next(const struct cpu *cpu)
{
	struct wakenode *node = cpu->bound_head;

	/* relaxed: thieves may have taken more */
	return node &&
	       (int64_t)(a64_load_relaxed(&cpu->queue.head) -
			 container_of(node, struct task, node)->after) >= 0;
}

/* Wakes to be drained, or tasks that are bound here, which stand in a list of
 * their own that thieves do not see: in the order in which they came, whichever
 * of the two they stand in. */
struct task *sched_pick_slow(struct cpu *cpu)
{
	struct task *task;

	sched_drain(cpu);
	do {
		task = bound_is_next(cpu) ? bound_take(cpu) : NULL;
		if (!task)
			task = workq_take(&cpu->queue);
		if (!task)
			task = bound_take(cpu);
		/* Its mask may have changed while it was queued. */
		if (!task || sched_allowed(task, cpu->index))
			return task;
		sched_send(task);
	} while (true);
}

/* The CPU for a task that does not stay with its waker: where it was, if that
 * is idle or no idle one is allowed.  New ones take turns. */
static struct cpu *choose(const struct task *task)
{
	/* One mask for the whole search: it may be replaced meanwhile. */
	const struct task_mask *mask = sched_mask(task);
	/* relaxed: where its data may be warm */
	unsigned home = a32_load_relaxed(&task->books.cpu);
	struct cpu *allowed = NULL;

	if (home == ACCT_NOWHERE)
		/* relaxed: any spread will do */
		home = a32_add_relaxed(&sched.next_cpu, 1) % sched.cpus;
	/* Most go there: one transfer instead of two, to look and to push. */
	arch_prefetch_write(&sched.cpu[home]->wakes);
	for (unsigned i = 0; i < sched.cpus; i++) {
		unsigned index = (home + i) % sched.cpus;
		struct cpu *cpu = sched.cpu[index];

		if (!task_mask_has(mask, index))
			continue;
		if (!allowed)
			allowed = cpu;
		/* relaxed: a hint; the push decides nothing by it */
		if (a32_load_relaxed(&cpu->parked))
			return cpu;
	}
	BUG_ON(!allowed);
	return allowed;
}

/* A chain of `count` tasks, newest first, by one swap. */
static void push_chain(struct cpu *cpu, struct wakelist *list,
		       const struct chain *chain)
{
	wakelist_push_chain(list, chain->newest, chain->oldest);
	/* After the push, whose line it is in.
	 * relaxed: counts */
	a64_add_relaxed(&cpu->sent, chain->count);
	if (sched_notify(cpu))
		/* relaxed: as above */
		a64_add_relaxed(&cpu->told, 1);
	else
		tick_want();
}

static void push(struct cpu *cpu, struct wakelist *list, struct task *task)
{
	const struct chain one = {&task->node, &task->node, 1};

	push_chain(cpu, list, &one);
}

static struct wakelist *list_of(struct cpu *cpu, const struct task *task)
{
	/* relaxed: whether it has a mask */
	return aptr_load_relaxed(&task->mask) ? &cpu->bound_wakes : &cpu->wakes;
}

void sched_resend(struct cpu *cpu)
{
	struct wakenode *node = wakelist_take(&cpu->bound_wakes);

	while (node) {
		struct task *task = container_of(node, struct task, node);

		node = node->next;
		if (claim_settled(task))
			sched_send(task);
		else
			push(cpu, &cpu->bound_wakes, task);
	}
}

/* Is it worth a system call to have an idle CPU take it? */
static bool wants_help(struct cpu *cpu, uint64_t ready)
{
	if (sched.config.placement == SCHED_LOCAL)
		return false;
	if (workq_length(&cpu->queue) > 1)
		return true;
	return sched.config.mode == ACCT_TASK &&
	       ready - a64_own(&cpu->books.last) > sched.busy_ticks;
}

/* Still descheduling there: its owner queues it afterwards. */
static void hand_over(struct task *task)
{
	/* relaxed: it runs there, as claim_settled() has seen */
	struct cpu *cpu = sched.cpu[a32_load_relaxed(&task->books.cpu)];

	/* relaxed: a count */
	a64_add_relaxed(&cpu->handed, 1);
	push(cpu, &cpu->bound_wakes, task);
}

static always_inline bool stays(const struct cpu *cpu, const struct task *task)
{
	return likely(cpu != NULL) &&
	       likely(sched.config.placement != SCHED_SPREAD) &&
	       sched_allowed(task, cpu->index);
}

static always_inline void queue_here(struct cpu *cpu, struct task *task)
{
	/* Once it is queued, it is no longer ours to look at. */
	uint64_t ready = a64_own(&task->books.ready);

	sched_queue(cpu, task);
	tick_compete(cpu);
	/* relaxed: see sched_notify_idle() */
	if (unlikely(a32_load_relaxed(&sched.parked)) && wants_help(cpu, ready))
		sched_notify_idle_slow();
}

/* `here` is the waker's CPU, or NULL where the task may not stay there. */
static void place(struct cpu *here, struct task *task)
{
	struct cpu *target = choose(task);

	if (target == here)
		queue_here(here, task);
	else
		push(target, list_of(target, task), task);
}

void sched_send(struct task *task)
{
	place(NULL, task);
}

void sched_ready(struct task *task)
{
	struct cpu *cpu = sched_cpu();

	acct_woken(sched.config.mode, &task->books);
	if (unlikely(!claim_settled(task)))
		hand_over(task);
	else if (likely(stays(cpu, task)))
		queue_here(cpu, task);
	else
		place(cpu, task);
}

/* What goes to other CPUs, gathered by list: one swap, and at most one
 * notification, for all that goes there. */
struct outbox {
	struct cpu *cpu;
	struct wakelist *list;
	struct chain chain;
};

static void post_box(struct outbox *box)
{
	if (box->list)
		push_chain(box->cpu, box->list, &box->chain);
	box->list = NULL;
}

static void put_into(struct outbox *boxes, struct cpu *here, struct task *task)
{
	struct cpu *cpu = choose(task);
	struct wakelist *list = list_of(cpu, task);
	struct outbox *box = &boxes[cpu->index % OUTBOXES];

	/* Of those that may go anywhere each goes to a CPU that sleeps, as long as
	 * there is one. */
	/* relaxed: a hint */
	if (cpu == here ||
	    (list == &cpu->wakes && a32_load_relaxed(&cpu->parked))) {
		post_box(box);
		place(here, task);
		return;
	}

	if (box->list != list) {
		post_box(box);
		*box = (struct outbox){cpu, list, {NULL, &task->node, 0}};
	}
	task->node.next = box->chain.newest;
	box->chain.newest = &task->node;
	box->chain.count++;
}

void sched_ready_chain(struct wakenode *chain)
{
	struct cpu *cpu = sched_cpu();
	struct outbox boxes[OUTBOXES];
	bool used = false;

	while (chain) {
		struct task *task = container_of(chain, struct task, node);

		chain = chain->next;
		acct_woken(sched.config.mode, &task->books);
		if (unlikely(!claim_settled(task))) {
			/* Not past those who were woken before. */
			for (int i = 0; i < OUTBOXES && used; i++)
				post_box(&boxes[i]);
			hand_over(task);
		} else if (likely(stays(cpu, task))) {
			queue_here(cpu, task);
		} else {
			for (int i = 0; i < OUTBOXES && !used; i++)
				boxes[i].list = NULL;
			used = true;
			put_into(boxes, cpu, task);
		}
	}
	for (int i = 0; i < OUTBOXES && used; i++)
		post_box(&boxes[i]);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The press: crossings between groups, stolen time, a CPU's change of charge.
 *
 * acct_cross() walks from both slots to the first that they share.  With
 * E the set of slots left and N the set entered, it does, for every meter m:
 *
 *	for s in E:  s.base[m] += meter[m] - s.start[m]
 *	for s in N:  s.start[m] = meter[m]
 *
 * and shared slots run on untouched.  Since meter[ACCT_EXEC] is the stamp of
 * the press, the sum over any antichain of slots grows exactly as the CPU's
 * held watch does.
 */
#include "acct/press.h"

#include "acct/group.h"
#include "os/thread.h"

static inline unsigned meters_kept(const struct acct_cpu *cpu)
{
	return cpu->mode == ACCT_TASK ? ACCT_METERS : ACCT_METERS_GROUP;
}

/* The CPU's meters at a press, in registers. */
struct reading {
	uint64_t at[ACCT_METERS];
};

static always_inline void read_meters(struct acct_cpu *cpu, uint64_t now,
				      unsigned meters, struct reading *ret)
{
	a64_own_set(&cpu->meter[ACCT_EXEC], now);
#pragma GCC unroll 8
	for (unsigned m = 0; m < meters; m++)
		ret->at[m] = a64_own(&cpu->meter[m]);
}

static always_inline void slot_stop(struct acct_slot *slot, unsigned meters,
				    const struct reading *reading)
{
#pragma GCC unroll 8
	for (unsigned m = 0; m < meters; m++)
		a64_own_add(&slot->base[m],
			    reading->at[m] - a64_own(&slot->start[m]));
	a64_own_set(&slot->start[ACCT_EXEC], 0);
}

static always_inline void slot_start(struct acct_slot *slot, unsigned meters,
				     const struct reading *reading)
{
#pragma GCC unroll 8
	for (unsigned m = 0; m < meters; m++)
		a64_own_set(&slot->start[m], reading->at[m]);
}

/* The exclusive part: whoever is innermost gets the difference. */
static always_inline void settle_own(struct acct_cpu *cpu, unsigned meters,
				     const struct reading *reading)
{
	struct acct_slot *slot = cpu->slot;

#pragma GCC unroll 8
	for (unsigned m = 0; m < meters; m++) {
		a64_own_add(&slot->own[m], reading->at[m] - cpu->own_start[m]);
		cpu->own_start[m] = reading->at[m];
	}
}

static always_inline void cross(struct acct_cpu *cpu, struct acct_slot *to,
				uint64_t now, unsigned meters)
{
	struct acct_slot *from = cpu->slot;
	struct acct_slot *enter = to;
	struct reading reading = {{0}}; /* for those that are not kept */

	read_meters(cpu, now, meters, &reading);
	settle_own(cpu, meters, &reading); /* press: own, idempotent */
	for (; from->depth > enter->depth; from = from->parent) {
		slot_stop(from, meters, &reading); /* press: slot-out */
	}
	for (; enter->depth > from->depth; enter = enter->parent) {
		slot_start(enter, meters,
			   &reading); /* press: slot-in, idempotent */
	}
	for (; from != enter; from = from->parent, enter = enter->parent) {
		slot_stop(from, meters, &reading); /* press: slot-stop */
		slot_start(enter, meters,
			   &reading); /* press: slot-start, idempotent */
	}
	cpu->slot = to;
}

/* Twice, so that each knows how many meters it has. */
void acct_cross(struct acct_cpu *cpu, struct acct_slot *to, uint64_t now)
{
	if (cpu->mode == ACCT_TASK)
		cross(cpu, to, now, ACCT_METERS);
	else
		cross(cpu, to, now, ACCT_METERS_GROUP);
}

void acct_show_mark(struct acct_cpu *cpu)
{
	/* order: watch.show pairs mark.read: the mark is seen by whoever takes
	 * a later stamp than ours */
	a32_exchange_seq_cst(&cpu->watched, 0);
	arch_ticks_barrier();
}

void acct_count(struct acct_cpu *cpu, struct acct_slot *slot,
		enum acct_count what, uint64_t amount)
{
	a64_own_add(&cpu->count[what], amount);
	a64_own_add(&slot->own_count[what], amount);
	for (; slot; slot = slot->parent)
		a64_own_add(&slot->count[what], amount);
}

/* s ticks of the interval that ends at this press were not ours. */
static void cut_out(struct acct_cpu *cpu, struct acct_task *task, uint64_t s)
{
	struct acct_watch *held = &cpu->watch[ACCT_HELD];

	if (!a64_own(&held->start)) {
		/* What is taken from an idle CPU is as good as slept. */
		for (int i = ACCT_SCHEDULER; i <= ACCT_POLLING; i++) {
			if (!a64_own(&cpu->watch[i].start))
				continue;
			a64_own_add(&cpu->watch[i].start, s);
			a64_own_add(&cpu->watch[ACCT_PARKED].base, s);
		}
		return;
	}
	a64_own_add(&held->start, s);               /* press: cut-cpu */
	acct_count(cpu, cpu->slot, ACCT_STOLEN, s); /* press: stolen */
	for (struct acct_slot *slot = cpu->slot; slot->depth;
	     slot = slot->parent) {
		a64_own_add(&slot->start[ACCT_EXEC], s); /* press: cut-slot */
	}
	cpu->own_start[ACCT_EXEC] += s; /* press: cut-own */
	if (task && cpu->mode == ACCT_TASK) {
		a64_own_add(&task->since, s);  /* press: cut-task */
		a64_own_add(&task->stolen, s); /* press: stolen-task */
	}
}

uint64_t acct_robbed(struct acct_cpu *cpu, struct acct_task *task, uint64_t now)
{
	uint64_t stolen;

	os_steal_rearm(&cpu->steal);
	now = os_ticks();
	stolen = os_steal_collect(&cpu->steal, now - a64_own(&cpu->last), &now);
	if (stolen)
		cut_out(cpu, task, stolen);
	return now;
}

void acct_arrive_slow(struct acct_cpu *cpu, struct acct_task *task,
		      uint64_t now)
{
	if (a32_own(&task->cpu) != cpu->index) {
		if (a32_own(&task->cpu) != ACCT_NOWHERE) {
			a64_own_add(&task->migrations, 1);
			acct_count(cpu, cpu->slot, ACCT_MIGRATIONS, 1);
		}
		a32_own_set(&task->cpu, cpu->index);
	}
	if (!task->woken)
		return;
	task->woken = 0;
	a64_own_add(&cpu->meter[ACCT_WAKEUPS], 1);
	if (cpu->mode == ACCT_TASK) {
		uint64_t stamp = a64_own(&task->ready);
		uint64_t ready = stamp ? stamp : now;
		uint64_t blocked = ready - a64_own(&task->since);

		a64_own_add(&task->wakeups, 1);
		/* It blocked, if the waker's stamp came after its own. */
		if ((int64_t)blocked > 0) {
			a64_own_add(&task->blocked,
				    blocked); /* press: blocked */
			a64_own_add(&cpu->meter[ACCT_BLOCKED],
				    blocked); /* press: group-blocked */
			a64_own_set(&task->since, ready); /* press: woken */
		}
	}
}

/* One of the CPU's watches stops as another starts. */
static void turn(struct acct_cpu *cpu, enum acct_charge from,
		 enum acct_charge to, uint64_t now)
{
	struct acct_watch *stop = &cpu->watch[from];

	a64_own_add(&stop->base,
		    now - a64_own(&stop->start)); /* press: turn-stop */
	a64_own_set(&stop->start, 0);
	a64_own_set(&cpu->watch[to].start, now); /* press: turn-start */
}

/* From a task to the scheduler, at `now`. */
static void leave_task(struct acct_cpu *cpu, struct acct_task *prev,
		       enum acct_leave how, uint64_t now)
{
	if (cpu->mode == ACCT_TASK)
		acct_leave(cpu, prev, how, now);
	else
		a64_own_add(&cpu->meter[ACCT_VOLUNTARY], 1);
	acct_cross(cpu, &cpu->outside,
		   now); /* press: cross-suspend, idempotent */
	turn(cpu, ACCT_HELD, ACCT_SCHEDULER, now); /* press: suspend */
	aptr_own_set(&cpu->task, NULL);
}

void acct_suspend(struct acct_cpu *cpu, struct acct_task *prev,
		  enum acct_leave how)
{
	if (cpu->mode == ACCT_OFF)
		return;
	acct_begin(cpu);
	leave_task(cpu, prev, how, acct_stamp(cpu, prev));
	mark_end(&cpu->mark);
}

void acct_take_over(struct acct_cpu *cpu, struct acct_task *task,
		    const struct os_thread *left, struct os_steal *kept,
		    const struct os_steal *brought)
{
	uint64_t stolen;
	uint64_t slept;
	uint64_t now;

	if (cpu->mode == ACCT_OFF)
		return;
	acct_begin(cpu);
	stolen = os_steal_collect_from(&cpu->steal, left,
				       os_ticks() - a64_own(&cpu->last), &now,
				       &slept);
	if ((int64_t)(now - a64_own(&cpu->last)) < 0)
		now = a64_own(&cpu->last);
	if (stolen > now - a64_own(&cpu->last))
		stolen = now - a64_own(&cpu->last);
	if (stolen)
		cut_out(cpu, task, stolen);
	a64_own_set(&cpu->last, now);
	a64_own_add(&cpu->slept, slept);
	leave_task(cpu, task, ACCT_LEAVE_VOLUNTARY, now);
	os_steal_move(kept, &cpu->steal);
	os_steal_move(&cpu->steal, brought);
	os_steal_anchor(&cpu->steal, &now);
	mark_end(&cpu->mark);
}

void acct_resume(struct acct_cpu *cpu, struct acct_task *next,
		 struct acct_slot *slot)
{
	uint64_t now;

	if (cpu->mode == ACCT_OFF) {
		a32_own_set(&next->cpu, cpu->index);
		return;
	}
	acct_begin(cpu);
	now = acct_stamp(cpu, NULL);
	turn(cpu, ACCT_SCHEDULER, ACCT_HELD, now); /* press: resume */
	acct_cross(cpu, slot, now); /* press: cross-resume, idempotent */
	if (cpu->mode == ACCT_TASK)
		acct_arrive(cpu, next, now);
	else if (next->woken | (a32_own(&next->cpu) ^ cpu->index))
		acct_arrive_slow(cpu, next, now);
	mark_end(&cpu->mark);
}

void acct_charge(struct acct_cpu *cpu, enum acct_charge from,
		 enum acct_charge to)
{
	if (cpu->mode == ACCT_OFF)
		return;
	acct_begin(cpu);
	turn(cpu, from, to, acct_stamp(cpu, NULL)); /* press: charge */
	mark_end(&cpu->mark);
}

void acct_park(struct acct_cpu *cpu)
{
	acct_charge(cpu, ACCT_POLLING, ACCT_PARKED);
	/* order: grace.sleep pairs grace.look: whatever group it looked at
	 * before is done with */
	a32_store_release(&cpu->asleep, 1);
	if (cpu->mode != ACCT_OFF)
		cpu->park_cpu_ns = os_thread_cpu_ns();
}

void acct_unpark(struct acct_cpu *cpu)
{
	struct acct_watch *parked = &cpu->watch[ACCT_PARKED];
	uint64_t spent;
	uint64_t now;

	/* order: grace.rise pairs grace.look: groups are looked at only after
	 * it, and then no freed one is found */
	a32_exchange_acquire(&cpu->asleep, 0);
	if (cpu->mode == ACCT_OFF)
		return;
	acct_begin(cpu);
	os_steal_anchor(&cpu->steal, &now);
	spent = cpu->steal.cpu_ns - cpu->park_cpu_ns;
	if ((int64_t)(now - a64_own(&cpu->last)) < 0)
		now = a64_own(&cpu->last);
	a64_own_set(&cpu->last, now);
	spent = os_ns_to_ticks(cpu->steal.base, spent);
	if (spent > now - a64_own(&parked->start))
		spent = now - a64_own(&parked->start);
	a64_own_add(&parked->start, spent); /* press: park-spent */
	a64_own_add(&cpu->watch[ACCT_POLLING].base,
		    spent);                        /* press: park-own */
	turn(cpu, ACCT_PARKED, ACCT_POLLING, now); /* press: unpark */
	mark_end(&cpu->mark);
}

void acct_move(struct acct_cpu *cpu, struct acct_task *task,
	       struct acct_slot *to)
{
	if (cpu->mode == ACCT_OFF || cpu->slot == to)
		return;
	acct_begin(cpu);
	acct_cross(cpu, to,
		   acct_stamp(cpu, task)); /* press: move, idempotent */
	mark_end(&cpu->mark);
}

void acct_settle(struct acct_cpu *cpu, uint64_t now)
{
	unsigned meters = meters_kept(cpu);
	struct acct_watch *held = &cpu->watch[ACCT_HELD];
	struct reading reading = {{0}}; /* for those that are not kept */

	read_meters(cpu, now, meters, &reading);
	settle_own(cpu, meters, &reading); /* press: settle-own, idempotent */
	for (struct acct_slot *s = cpu->slot; s->depth; s = s->parent) {
		slot_stop(s, meters, &reading); /* press: settle-stop */
		slot_start(s, meters,
			   &reading); /* press: settle-start, idempotent */
	}
	a64_own_add(&held->base,
		    now - a64_own(&held->start)); /* press: settle-held */
	a64_own_set(&held->start, now);           /* press: settle-run */
	cpu->settled = now;
}

void acct_refresh(struct acct_cpu *cpu, struct acct_task *task)
{
	uint64_t now;

	if (cpu->mode == ACCT_OFF)
		return;
	acct_begin(cpu);
	os_steal_ask(&cpu->steal);
	now = acct_stamp(cpu, task);
	if (cpu->mode == ACCT_TASK) {
		a64_own_add(
			&task->exec,
			now - a64_own(&task->since)); /* press: refresh-task */
		a64_own_set(&task->since, now);       /* press: refresh-since */
	}
	acct_settle(cpu, now); /* press: refresh, idempotent */
	mark_end(&cpu->mark);
}

void acct_cpu_begin(struct acct_cpu *cpu, const struct os_timebase *base)
{
	uint64_t now;

	if (cpu->mode == ACCT_OFF)
		return;
	os_steal_init(&cpu->steal, base);
	acct_begin(cpu);
	os_steal_anchor(&cpu->steal, &now);
	a64_own_set(&cpu->last, now);
	a64_own_set(&cpu->meter[ACCT_EXEC], now);
	cpu->own_start[ACCT_EXEC] = now;
	a64_own_set(&cpu->outside.start[ACCT_EXEC], now);
	a64_own_set(&cpu->watch[ACCT_SCHEDULER].start, now);
	a64_own_set(&cpu->begun, now);
	cpu->settled = now;
	cpu->fresh_ticks = os_ns_to_ticks(base, ACCT_FRESH_NS);
	mark_end(&cpu->mark);
}

void acct_cpu_end(struct acct_cpu *cpu)
{
	if (cpu->mode == ACCT_OFF)
		return;
	/* Its carrier is gone: what passes from here on is nobody's work. */
	acct_charge(cpu, ACCT_SCHEDULER, ACCT_PARKED);
	os_steal_fini(&cpu->steal);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tick: a thread that exists for what a busy CPU cannot see to itself.
 *
 * It (1) sets the flag that the next safe point sees, on a CPU whose task has
 * run for a slice while others wait behind it; (2) fires the timers of CPUs
 * that run tasks; (3) wakes a sleeping CPU when work has been waiting; (4) sees
 * to it that descriptors are looked at.  It beats only while tasks compete
 * somewhere; after some beats without it sleeps until the earliest timer of a
 * busy CPU or the next look at descriptors that nobody watches, or for ever: an
 * idle runtime uses no CPU.  In between it looks at blocking regions, as often as
 * region_look() wants it to.
 *
 * Sleeping uses the same pair as parking: it publishes until when it will
 * sleep, looks at all timers again, sleeps; who adds a timer publishes the
 * timer, then looks until when the tick sleeps.
 */
#include "sched/region.h"
#include "sched/sched.h"
#include "sched/watch.h"

#define BEATS_IDLE  16
#define QUIET_BEATS 4
#define GRACE_NS    200000

struct a32 tick_active;

static struct {
	struct a32 bell;   /* the futex: counts calls */
	struct a64 asleep; /* until when, 0 while it looks */
	struct a32 ending;
	struct os_thread thread;
	uint64_t gap_ns; /* at least, between two beats */
	unsigned idle;   /* beats since anybody competed; the thread alone */
} tick;

void tick_ring(void)
{
	/* order: tick.bell pairs tick.hear: what was published before */
	a32_add_release(&tick.bell, 1);
	os_futex_wake(&tick.bell.value, 1);
}

void tick_want(void)
{
	/* order: tick.want pairs tick.rest: two swaps of one word: either we
	 * see it resting or it sees the queue */
	if (!a32_exchange_release(&tick_active, 1))
		tick_ring();
}

void tick_cover(uint64_t deadline_ns)
{
	/* order: tick.cover pairs tick.doze, timer.set, park.leave: the
	 * timer was added before, and we are seen awake */
	uint64_t asleep = a64_load_seq_cst(&tick.asleep);

	if (asleep > deadline_ns && asleep - deadline_ns > GRACE_NS)
		tick_ring();
}

static bool sleeps(const struct cpu *cpu)
{
	/* order: tick.parked pairs park.publish, park.leave, tick.doze: it minds
	 * its timers itself, and asks us when it does no longer */
	return a32_load_seq_cst(&cpu->parked);
}

static bool competes(const struct cpu *cpu)
{
	/* relaxed: looked at again at the next beat; see tick.rest */
	return workq_length(&cpu->queue) || sched_has_wakes(cpu) ||
	       a32_load_relaxed(&cpu->bound_count);
}

/*
 * Since when the CPU runs the same task, as far as we know: its last press,
 * where the books are kept by task; else when we first saw that it had
 * switched, or when we asked for the switch that we see now.
 */
static void note_switches(struct cpu *cpu, uint64_t now)
{
	/* relaxed: a count that only has to differ, a stamp that may be old */
	uint64_t switches = a64_load_relaxed(&cpu->books.switches);
	uint64_t last = a64_load_relaxed(&cpu->books.last);
	uint64_t age;

	if (switches == cpu->tick_switches)
		return;
	if (switches != cpu->tick_switches + 1 || !cpu->tick_asked)
		cpu->tick_since = now;
	cpu->tick_switches = switches;
	cpu->tick_asked = false;
	if (sched.config.mode != ACCT_TASK)
		return;
	age = os_ticks() - last;
	if ((int64_t)age > 0)
		cpu->tick_since = now - os_ticks_to_ns(&sched.base, age);
}

/* Where no thief has come for some beats, the owner need not swap. */
static void shut_queue(struct cpu *cpu)
{
	/* relaxed: a count that only has to differ */
	uint32_t visits = a32_load_relaxed(&cpu->queue.gate.visits);

	if (visits != cpu->tick_visits)
		cpu->tick_quiet = 0;
	else if (++cpu->tick_quiet == QUIET_BEATS)
		gate_shut(&cpu->queue.gate);
	cpu->tick_visits = visits;
}

/* One beat for one CPU: when it wants to be looked at again. */
static uint64_t look_after(struct cpu *cpu, uint64_t now)
{
	if (sleeps(cpu)) {
		/* A push whose waker was stopped before it told. */
		if (sched_has_wakes(cpu))
			sched_notify(cpu);
		return UINT64_MAX;
	}
	sched_ready_chain(timers_expire(&cpu->timers, now));
	note_switches(cpu, now);
	if (!competes(cpu))
		return UINT64_MAX;
	sched_notify_idle();
	shut_queue(cpu);
	if (now - cpu->tick_since < sched.config.slice_ns)
		return cpu->tick_since + sched.config.slice_ns;
	/* relaxed: nothing but the flag */
	a32_or_relaxed(&cpu->due, DUE_SLICE);
	/* Woken while they left this CPU, whose task may never rest. */
	if (!wakelist_empty(&cpu->bound_wakes))
		sched_resend(cpu);
	cpu->tick_asked = true;
	cpu->tick_since = now;
	return now + sched.config.slice_ns;
}

/* Both CPUs are busy, so neither will steal of itself: the one with less waiting
 * is asked to, when the difference is two or more. */
static void balance(void)
{
	struct cpu *least = sched.cpu[0];
	uint64_t most = 0;

	for (unsigned i = 0; i < sched.cpus; i++) {
		uint64_t length = workq_length(&sched.cpu[i]->queue);

		if (length < workq_length(&least->queue))
			least = sched.cpu[i];
		if (length > most)
			most = length;
	}
	if (most >= workq_length(&least->queue) + 2)
		/* relaxed: nothing but the flag */
		a32_or_relaxed(&least->due, DUE_PULL);
}

/* One beat: when the next is wanted, UINT64_MAX if nobody competes. */
static uint64_t beat(uint64_t now)
{
	uint64_t next = UINT64_MAX;

	for (unsigned i = 0; i < sched.cpus; i++) {
		uint64_t wanted = look_after(sched.cpu[i], now);

		if (wanted < next)
			next = wanted;
	}
	if (next != UINT64_MAX)
		balance();
	/* CPUs share beats: each costs several microseconds. */
	if (next < now + tick.gap_ns)
		next = now + tick.gap_ns;
	return next;
}

/* When the timers of busy CPUs want us: a little late, since a CPU that switches
 * sees to its own (see switch.c). */
static uint64_t wanted_by_timers(void)
{
	uint64_t earliest = watch_wanted() ? watch_due() : UINT64_MAX;

	for (unsigned i = 0; i < sched.cpus; i++) {
		struct cpu *cpu = sched.cpu[i];
		uint64_t deadline = timers_earliest(&cpu->timers);

		if (deadline < earliest && !sleeps(cpu))
			earliest = deadline;
	}
	return earliest < UINT64_MAX - GRACE_NS ? earliest + GRACE_NS
						: UINT64_MAX;
}

static bool anybody_competes(void)
{
	for (unsigned i = 0; i < sched.cpus; i++)
		if (!sleeps(sched.cpu[i]) && competes(sched.cpu[i]))
			return true;
	return false;
}

static void doze(uint32_t bell, uint64_t until)
{
	/* order: tick.doze pairs tick.cover, timer.look, tick.parked: a timer
	 * we do not see below is added by someone who sees us asleep */
	a64_exchange_seq_cst(&tick.asleep, until);
	if (wanted_by_timers() >= until)
		os_futex_wait(&tick.bell.value, bell, until);
	/* relaxed: who still sees it rings once too often */
	a64_store_relaxed(&tick.asleep, 0);
}

/* A beat, and when to look next. */
static uint64_t pass(uint64_t now)
{
	uint64_t next;
	uint64_t until;

	watch_mind(now);
	next = beat(now);
	tick.idle = next == UINT64_MAX ? tick.idle + 1 : 0;
	if (tick.idle && tick.idle < BEATS_IDLE)
		next = now + sched.config.slice_ns;
	until = wanted_by_timers();
	if (next < until)
		until = next;
	if (tick.idle < BEATS_IDLE)
		return until;
	/* order: tick.rest pairs tick.want: see there */
	a32_exchange_acquire(&tick_active, 0);
	if (anybody_competes()) {
		tick.idle = 0;
		/* relaxed: whoever found 0 has rung */
		a32_store_relaxed(&tick_active, 1);
		return now;
	}
	/* A push may still be on its way whose waker saw us active: look once
	 * more before the long rest. */
	if (tick.idle == BEATS_IDLE && now + sched.config.slice_ns < until)
		until = now + sched.config.slice_ns;
	return until;
}

static void tick_run(void *unused)
{
	uint32_t heard = 0;
	uint64_t due = 0;

	(void)unused;
	os_timer_slack_min();
	while (true) {
		/* order: tick.hear pairs tick.bell: what was published */
		uint32_t bell = a32_load_acquire(&tick.bell);
		uint64_t now = os_monotonic_ns();
		uint64_t regions;

		/* relaxed: set before the bell was rung, and that was heard */
		if (a32_load_relaxed(&tick.ending))
			return;
		if (bell != heard || now >= due || wanted_by_timers() < due)
			due = pass(now);
		heard = bell;
		regions = region_look(now);
		doze(bell, due < regions ? due : regions);
		/* relaxed: rung or not, a flag that is up means beats */
		if (tick.idle >= BEATS_IDLE && a32_load_relaxed(&tick_active))
			tick.idle = 0;
	}
}

int tick_start(void)
{
	const struct os_thread_attr attr = {
		.name = "mete-tick",
		.block_signals = true,
	};

	tick.gap_ns = sched.config.slice_ns / 4 * 3;
	tick.idle = 0;
	/* relaxed: no other thread knows them yet */
	a32_store_relaxed(&tick.ending, 0);
	a32_store_relaxed(&tick_active, 0);
	a64_store_relaxed(&tick.asleep, 0);
	return os_thread_create(&tick.thread, &attr, tick_run, NULL);
}

void tick_stop(void)
{
	/* relaxed: see tick_run() */
	a32_store_relaxed(&tick.ending, 1);
	tick_ring();
	os_thread_join(&tick.thread);
}

uint64_t tick_cpu_ns(void)
{
	uint64_t ns = 0;

	os_thread_clock_ns(&tick.thread, &ns);
	return ns;
}

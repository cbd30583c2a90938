/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A carrier's life: look for work, poll a little, park.
 *
 * How a sleeper and its wakers find each other is in parking.h, what it sleeps
 * in, in watch.h.
 *
 * How long to poll.  Going to sleep and being woken costs about as much as
 * POLL_MOST_NS of polling: who polls so long before it sleeps never spends more
 * than twice what the best choice would have been (the ski rental problem;
 * Karlin, Manasse, McGeoch, Owicki, 1994).  Where sleeps turn out long it is
 * wasted, though: a sleep longer than that halves the time for which the CPU
 * polls before the next, a shorter one, which polling would have spared,
 * doubles it.  (As Linux's haltpoll governor.)
 */
#include "sched/parking.h"
#include "sched/pool.h"
#include "sched/sched.h"
#include "sched/watch.h"

/* More than the first look costs, and what it takes to wake a CPU up. */
#define POLL_LEAST_NS 1000
#define POLL_MOST_NS  20000
/* Looks at the queues for each at the descriptors, a system call. */
#define LOOKS_A_POLL 64

ARCH_TLS_MODEL __thread struct cpu *sched_this __attribute__((used));
#if defined(ARCH_TLS_READER)
ARCH_TLS_READER(sched_this)
#endif

static bool stopping(void)
{
	return parking_sees_flag(&sched.stopping);
}

/* Is there anything that this CPU could run? */
static bool work_in_sight(struct cpu *cpu)
{
	return parking_sees(&cpu->wakes) || parking_sees(&cpu->bound_wakes) ||
	       sched_work_in_sight(cpu) || stopping();
}

static bool poll_for_work(struct cpu *cpu)
{
	uint64_t begin = os_ticks();

	a64_own_add(&cpu->polls, 1);
	for (unsigned i = 0; os_ticks() - begin < cpu->poll_ticks; i++) {
		if (work_in_sight(cpu) ||
		    (i % LOOKS_A_POLL == 0 && watch_poll()))
			return true;
		arch_relax();
	}
	return false;
}

/* What the last sleep says about how long to poll before the next. */
static void learn(struct cpu *cpu, uint64_t slept_ticks)
{
	uint64_t least = os_ns_to_ticks(&sched.base, POLL_LEAST_NS);
	uint64_t most = os_ns_to_ticks(&sched.base, POLL_MOST_NS);
	uint64_t ticks =
		slept_ticks > most ? cpu->poll_ticks / 2 : cpu->poll_ticks * 2;

	cpu->poll_ticks = ticks < least ? least : ticks > most ? most : ticks;
}

static void sleep_in(struct cpu *cpu, enum parking_bed bed)
{
	uint64_t trim = pool_trim_ns();
	uint64_t until = timers_earliest(&cpu->timers);
	uint64_t begin;

	if (until > trim)
		until = trim;
	a64_own_add(&cpu->parks, 1);
	acct_park(&cpu->books);
	begin = os_ticks();
	if (bed == PARKED_WATCH)
		watch_sleep(until);
	else
		os_futex_wait(&cpu->parked.value, bed, until);
	learn(cpu, os_ticks() - begin);
	acct_unpark(&cpu->books);
}

/* Publish, look again, sleep until notified, the next timer, or a descriptor. */
static void park(struct cpu *cpu)
{
	enum parking_bed bed = watch_take() ? PARKED_WATCH : PARKED_FUTEX;

	/* relaxed: a count that wakers take as a hint */
	a32_add_relaxed(&sched.parked, 1);
	parking_publish(&cpu->parked, bed);
	if (!work_in_sight(cpu) && (bed == PARKED_WATCH || !watch_wanted()))
		sleep_in(cpu, bed);
	parking_leave(&cpu->parked);
	/* relaxed: as above */
	a32_add_relaxed(&sched.parked, (uint32_t)-1);
	if (bed == PARKED_WATCH) {
		watch_deliver();
		watch_give();
	}
}

static void idle(struct cpu *cpu)
{
	bool found;

	acct_charge(&cpu->books, ACCT_SCHEDULER, ACCT_POLLING);
	/* relaxed: a hint */
	a32_add_relaxed(&sched.polling, 1);
	found = poll_for_work(cpu);
	/* relaxed: a hint */
	a32_add_relaxed(&sched.polling, (uint32_t)-1);
	if (!found)
		park(cpu);
	acct_charge(&cpu->books, ACCT_POLLING, ACCT_SCHEDULER);
}

static void run_timers(struct cpu *cpu)
{
	if (timers_earliest(&cpu->timers) == UINT64_MAX)
		return;
	sched_ready_chain(timers_expire(&cpu->timers, os_monotonic_ns()));
}

/* While a task runs here, the tick minds timers, slices and descriptors. */
static void mind(struct cpu *cpu)
{
	uint64_t earliest = timers_earliest(&cpu->timers);

	if (earliest != UINT64_MAX)
		tick_cover(earliest);
	if (workq_length(&cpu->queue) || cpu->bound_head)
		tick_want();
	watch_cover();
}

void carrier_begin(struct carrier *self, struct cpu *cpu)
{
	sched_this = cpu;
	cpu->error_number = self->error_number;
	cpu->own = &self->own;
	acct_cpu_begin(&cpu->books, &sched.base);
	cpu->poll_ticks = os_ns_to_ticks(&sched.base, POLL_MOST_NS / 2);
	a64_own_set(&self->since_ns, os_thread_cpu_ns());
	aptr_own_set(&cpu->carrier, self);
}

bool carrier_run(struct cpu *cpu)
{
	while (true) {
		struct task *next;

		run_timers(cpu);
		next = sched_pick(cpu);
		if (!next)
			next = sched_steal(cpu);
		if (next) {
			mind(cpu);
			if (!sched_run(cpu, next))
				return false;
		} else if (stopping()) {
			break;
		} else if (!pool_trim()) {
			idle(cpu);
		}
	}
	acct_cpu_end(&cpu->books);
	sched_this = NULL;
	return true;
}

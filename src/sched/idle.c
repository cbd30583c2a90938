/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A carrier's life: look for work, poll a little, park.
 *
 * How a sleeper and its wakers find each other is in parking.h.
 */
#include <errno.h>

#include "sched/parking.h"
#include "sched/sched.h"

/* About 10 us: less than it takes to wake a CPU up. */
#define POLLS 128

ARCH_TLS_MODEL __thread struct cpu *sched_this __attribute__((used));
#if defined(ARCH_TLS_READER)
ARCH_TLS_READER(sched_this)
#endif

static bool stopping(void)
{
	return parking_sees_flag(&sched.stopping);
}

/* Is there anything that this CPU could run? */
static bool work_in_sight(const struct cpu *cpu)
{
	if (parking_sees(&cpu->wakes) || parking_sees(&cpu->bound_wakes))
		return true;
	for (unsigned i = 0; i < sched.cpus; i++)
		if (workq_length(&sched.cpu[i]->queue) ||
		    !wakelist_empty(&sched.cpu[i]->wakes))
			return true;
	return stopping();
}

static bool poll_for_work(const struct cpu *cpu)
{
	for (int i = 0; i < POLLS; i++) {
		if (work_in_sight(cpu))
			return true;
		arch_relax();
	}
	return false;
}

/* Publish, look again, sleep until notified or the next timer. */
static void park(struct cpu *cpu)
{
	/* relaxed: a count that wakers take as a hint */
	a32_add_relaxed(&sched.parked, 1);
	parking_publish(&cpu->parked);
	if (!work_in_sight(cpu)) {
		a64_own_add(&cpu->parks, 1);
		acct_park(&cpu->books);
		os_futex_wait(&cpu->parked.value, 1,
			      timers_earliest(&cpu->timers));
		acct_unpark(&cpu->books);
	}
	parking_leave(&cpu->parked);
	/* relaxed: as above */
	a32_add_relaxed(&sched.parked, (uint32_t)-1);
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

/* While a task runs here, the tick minds timers and slices. */
static void mind(struct cpu *cpu)
{
	uint64_t earliest = timers_earliest(&cpu->timers);

	if (earliest != UINT64_MAX)
		tick_cover(earliest);
	if (workq_length(&cpu->queue) || cpu->bound_head)
		tick_want();
}

void carrier_begin(struct cpu *cpu)
{
	sched_this = cpu;
	cpu->error_number = &errno;
	os_timer_slack_min();
	fiber_adopt(&cpu->own);
	acct_cpu_begin(&cpu->books, &sched.base);
	cpu->kernel_start_ns = os_thread_cpu_ns();
}

void carrier_run(struct cpu *cpu)
{
	while (true) {
		struct task *next;

		run_timers(cpu);
		next = sched_pick(cpu);
		if (!next)
			next = sched_steal(cpu);
		if (next) {
			mind(cpu);
			sched_run(cpu, next);
		} else if (stopping()) {
			break;
		} else {
			idle(cpu);
		}
	}
	acct_cpu_end(&cpu->books);
	sched_this = NULL;
}

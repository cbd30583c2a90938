/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From one virtual thread to the next.
 *
 * The machine's own stack switch is that of src/: a carrier that runs a task is
 * left on the task's stack, whichever that is.  Under the sanitizers a thread's
 * stack is therefore asked for when it has been left.
 */
#include "sim/explore.h"
#include "sim/heap.h"
#include "sim/sleep.h"
#include "sim/step.h"
#include "task/fiber.h"

#ifdef FIBER_ASAN
# include <sanitizer/common_interface_defs.h>
#endif
#ifdef FIBER_TSAN
# include <sanitizer/tsan_interface.h>
#endif

struct sim_machine sim_machine;

/* Steps outside of a machine cost time and nothing else. */
static const uint32_t outside_costs[256] = {[0 ... 255] = 1};

struct sim_cursor sim_cursor = {
	.clock = UINT64_C(1000000000) << SIM_UNIT_SHIFT,
	.horizon = UINT64_MAX,
	.costs = outside_costs,
};

/* On the stack of the thread that goes on. */
static void arrived(struct sim_thread *left, struct sim_thread *self)
{
#ifdef FIBER_ASAN
	__sanitizer_finish_switch_fiber(self->fake_stack, &left->stack_base,
					&left->stack_bytes);
#endif
	(void)left;
	(void)self;
}

/* What runs first on a new thread's stack. */
void thread_begin(void)
{
	struct sim_machine *m = &sim_machine;
	struct sim_thread *self = m->running;

	arrived(m->left, self);
	self->run(self->arg);
	self->ended = 1;
	sleep_wake(&self->ended, UINT32_MAX);
	thread_leave(SIM_FOREVER, NULL);
	__builtin_unreachable();
}

__attribute__((noinline, no_sanitize("thread"),
	       no_sanitize("address"))) static void
stacks(struct sim_thread *from, struct sim_thread *to)
{
#ifdef FIBER_ASAN
	__sanitizer_start_switch_fiber(from->ended ? NULL : &from->fake_stack,
				       to->stack_base, to->stack_bytes);
#endif
#ifdef FIBER_TSAN
	from->tsan = __tsan_get_current_fiber();
	__tsan_switch_to_fiber(to->tsan, 0);
#endif
	arch_switch(&from->context, &to->context);
	arrived(sim_machine.left, from);
}

static void note(struct sim_machine *m, const struct sim_thread *to)
{
	m->turns++;
	m->trace = (m->trace ^ to->number ^ sim_cursor.steps << 16) *
		   UINT64_C(0x9e3779b97f4a7c15);
	m->trace ^= m->trace >> 29;
}

/* The user's laws: their atomics are no steps, and it is the time of the one
 * that goes on, to which all have come. */
void sim_check(uint64_t present)
{
	struct sim_machine *m = &sim_machine;
	struct sim_cursor kept = sim_cursor;

	sim_cursor.clock = present;
	sim_cursor.horizon = UINT64_MAX;
	m->options.check();
	sim_cursor = kept;
}

/* How far the running thread may go: alone, to the limit. */
static uint64_t horizon(const struct sim_machine *m)
{
	uint64_t next = m->heap_count ? m->heap[0]->clock + m->grain : m->limit;

	return next < m->limit ? next : m->limit;
}

static void look_at_limit(const struct sim_machine *m, uint64_t clock)
{
	if (unlikely(clock > m->limit))
		sim_fail("no end in %llu ms of its time",
			 (unsigned long long)m->options.limit_ns / 1000000);
}

/* `self` has its time, and stands where it should. */
static void go(struct sim_machine *m, struct sim_thread *self,
	       struct sim_thread *to, const void *at)
{
	self->at = at;
	self->costs = sim_cursor.costs;
	note(m, to);
	if (m->options.check)
		sim_check(to->clock);
	self->error_number = *m->error_number;
	*m->error_number = to->error_number;
	for (size_t i = 0; i < m->locals_words; i++) {
		self->locals[i] = m->locals[i];
		m->locals[i] = to->locals[i];
	}
	m->left = self;
	m->running = to;
	sim_cursor.clock = to->clock;
	sim_cursor.costs = to->costs;
	sim_cursor.horizon = horizon(m);
	stacks(self, to);
}

void sim_turn(void)
{
	struct sim_machine *m = &sim_machine;
	struct sim_thread *self = m->running;

	look_at_limit(m, sim_cursor.clock);
	if (!m->heap_count) {
		/* Nobody else has anything to do. */
		sim_cursor.horizon = horizon(m);
		return;
	}
	self->clock = sim_cursor.clock;
	go(m, self, heap_swap_first(self), __builtin_return_address(0));
}

void thread_leave(uint64_t until, const void *at)
{
	struct sim_machine *m = &sim_machine;
	struct sim_thread *self = m->running;
	struct sim_thread *to;

	self->since = sim_cursor.clock;
	self->clock = until > self->since ? until : self->since;
	if (until != SIM_FOREVER)
		heap_insert(self);
	if (!m->heap_count) {
		self->at = at;
		sim_fail("all threads sleep for ever: a lost wake-up");
	}
	to = m->heap[0];
	look_at_limit(m, to->clock);
	heap_remove(to);
	if (to == self) {
		sim_cursor.clock = self->clock;
		sim_cursor.horizon = horizon(m);
	} else {
		go(m, self, to, at);
	}
	self->slept += sim_cursor.clock - self->since;
	self->since = 0;
}

void thread_wake(struct sim_thread *thread)
{
	struct sim_machine *m = &sim_machine;

	if (thread->heap_index != SIM_NOWHERE)
		heap_remove(thread);
	thread->woken = true;
	thread->clock = sim_cursor.clock > thread->since ? sim_cursor.clock
							 : thread->since;
	thread->clock += thread->costs[sim_random() >> 56];
	heap_insert(thread);
	sim_cursor.horizon = horizon(m);
}

uint64_t thread_busy(const struct sim_thread *thread)
{
	const struct sim_machine *m = &sim_machine;
	uint64_t now = thread == m->running ? sim_cursor.clock
		       : thread->since      ? thread->since
					    : thread->clock;

	return now - thread->born - thread->slept;
}

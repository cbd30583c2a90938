/* SPDX-License-Identifier: Apache-2.0 */
/* The life of the machine and of its threads. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/explore.h"
#include "sim/heap.h"
#include "sim/sleep.h"
#include "sim/step.h"
#include "sync/bias.h"
#include "task/fiber.h"
#include "task/valgrind.h"

#ifdef FIBER_TSAN
# include <sanitizer/tsan_interface.h>
#endif

#define STACK_BYTES ((size_t)256 * 1024)

/* The thread-local variables of src/, one section, by the linker's names.  They
 * are whole words. */
extern uint32_t __start_sim_locals[] __attribute__((visibility("default")));
extern uint32_t __stop_sim_locals[] __attribute__((visibility("default")));

/* Seeds that differ by 1 are to begin far apart (splitmix64). */
static uint64_t scramble(uint64_t seed)
{
	uint64_t z = seed + UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static void thread_add(struct sim_thread *thread, const char *name)
{
	struct sim_machine *m = &sim_machine;
	struct sim_thread **link = &m->threads;

	while (*link)
		link = &(*link)->next;
	*link = thread;
	m->thread_count++;
	thread->number = m->numbers++;
	thread->heap_index = SIM_NOWHERE;
	thread->clock = sim_cursor.clock;
	thread->born = sim_cursor.clock;
	thread->costs = explore_costs();
	strncpy(thread->name, name ? name : "thread", SIM_NAME_MAX);
}

static void thread_drop(struct sim_thread *thread)
{
	struct sim_machine *m = &sim_machine;
	struct sim_thread **link = &m->threads;

	while (*link != thread)
		link = &(*link)->next;
	*link = thread->next;
	m->thread_count--;
}

int sim_begin(const struct sim_options *options)
{
	struct sim_machine *m = &sim_machine;

	if (!options->cpus || options->cpus > SIM_CPUS_MAX)
		return -EINVAL;
	if (m->stands)
		return -EBUSY;
	memset(m, 0, sizeof(*m));
	/* What of the sources outlives a runtime must not outlive a machine. */
	bias_forget();
	if (heap_reserve(options->cpus))
		return -ENOMEM;
	m->options = *options;
	m->error_number = &errno;
	m->locals = __start_sim_locals;
	m->locals_words = (size_t)(__stop_sim_locals - __start_sim_locals);
	BUG_ON(m->locals_words > SIM_LOCALS_MAX);
	BUG_ON(((char *)__stop_sim_locals - (char *)__start_sim_locals) % 4);
	m->grain = options->grain_ns << SIM_UNIT_SHIFT;
	explore_begin(options);
	sim_cursor.random = scramble(options->seed);
	sim_cursor.steps = 0;
	sim_cursor.clock = UINT64_C(1000000000) << SIM_UNIT_SHIFT;
	m->limit = options->limit_ns ? sim_cursor.clock + (options->limit_ns
							   << SIM_UNIT_SHIFT)
				     : SIM_FOREVER;
	thread_add(&m->first, "main");
	m->running = &m->first;
	sim_cursor.costs = m->first.costs;
	sim_cursor.horizon = m->limit;
	m->stands = true;
	return 0;
}

int sim_end(void)
{
	struct sim_machine *m = &sim_machine;

	if (m->thread_count > 1)
		return -EBUSY;
	m->stands = false;
	free(m->heap);
	m->heap = NULL;
	m->heap_room = 0;
	sim_cursor.horizon = UINT64_MAX;
	return 0;
}

int sim_thread_create(struct sim_thread **ret_thread, const char *name,
		      void (*run)(void *arg), void *arg)
{
	struct sim_machine *m = &sim_machine;
	struct sim_thread *thread = calloc(1, sizeof(*thread));
	char *top;
	int error;

	if (!thread)
		return -ENOMEM;
	error = heap_reserve(m->thread_count + 1);
	if (!error)
		error = os_stack_map(STACK_BYTES, &thread->stack);
	if (error) {
		free(thread);
		return error;
	}
	thread_add(thread, name);
	thread->run = run;
	thread->arg = arg;
	thread->stack_base = thread->stack.base;
	thread->stack_bytes = thread->stack.bytes;
	top = (char *)thread->stack.base + thread->stack.bytes;
	thread->valgrind_id = valgrind_stack_register(thread->stack.base, top);
	arch_context_init(&thread->context, top, thread_begin);
#ifdef FIBER_TSAN
	thread->tsan = __tsan_create_fiber(0);
#endif
	*ret_thread = thread;
	/* It goes on from now. */
	thread_wake(thread);
	return 0;
}

void sim_thread_join(struct sim_thread *thread)
{
	while (!thread->ended)
		sleep_on(&thread->ended, 0, SIM_FOREVER,
			 __builtin_return_address(0));
	thread_drop(thread);
#ifdef FIBER_TSAN
	__tsan_destroy_fiber(thread->tsan);
#endif
	valgrind_stack_deregister(thread->valgrind_id);
	os_stack_unmap(&thread->stack);
	free(thread);
}

void sim_look(struct sim_figures *ret_figures)
{
	*ret_figures = (struct sim_figures){
		.now_ns = sim_clock_ns(),
		.steps = sim_cursor.steps,
		.turns = sim_machine.turns,
		.trace = sim_machine.trace,
	};
}

uint64_t sim_now_ns(void)
{
	return sim_clock_ns();
}

void sim_spend(uint64_t ns)
{
	sim_cursor.clock += ns << SIM_UNIT_SHIFT;
	if (sim_cursor.clock > sim_cursor.horizon)
		sim_turn();
	else if (sim_machine.options.check)
		sim_check(sim_cursor.clock);
}

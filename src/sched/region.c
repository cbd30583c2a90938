/* SPDX-License-Identifier: Apache-2.0 */
/* Begin, end and loss of blocking regions. */
#include "sched/region.h"

#include "sched/wait.h"

/* A look costs some 2 us, a call some 30: as many looks in a row as that are
 * made for what the last call was worth. */
#define LOOK_LEAST_NS 50000
#define LOOK_MOST_NS  800000
#define LOOKS_A_CALL  16

static struct {
	struct a32 watched; /* the tick looks */
	/* the tick's */
	uint64_t due;
	uint64_t gap_ns;
	unsigned patience; /* looks at the least gap */
} look;

static void look_afresh(void)
{
	look.due = 0;
	look.gap_ns = LOOK_LEAST_NS;
	look.patience = 2;
}

void region_init(void)
{
	look_afresh();
	/* relaxed: nobody else runs yet */
	a32_store_relaxed(&look.watched, 0);
}

/* A region has begun: the tick is to look. */
static void be_watched(void)
{
	/* order: region.watched pairs region.rest, region.again: either we see it resting or
	 * it sees the region */
	if (likely(a32_load_seq_cst(&look.watched)))
		return;
	/* order: region.ask pairs region.rest: as above */
	if (!a32_exchange_seq_cst(&look.watched, 1))
		tick_ring();
}

void region_begin(struct cpu *cpu)
{
	struct carrier *self = cpu_carrier(cpu);

	a64_own_add(&cpu->regions, 1);
	self->task = cpu_current(cpu);
	self->cpu = cpu;
	self->region = a64_own(&cpu->regions);
	self->depth = 1;
	/* relaxed: published with the region */
	a32_store_relaxed(&self->left, 0);
	sched_this = NULL;
	/* order: region.begin pairs region.take, region.see: all that was done
	 * with the CPU; and either the tick sees it or we see the tick rest */
	a64_exchange_seq_cst(&cpu->region, self->region);
	be_watched();
}

/* The CPU is another carrier's: away from this thread, once the books are
 * complete. */
static void lose(struct carrier *self)
{
	/* order: region.left pairs region.leave: state and books of the wait */
	while (!a32_load_acquire(&self->left))
		os_futex_wait(&self->left.value, 0, UINT64_MAX);
	sched_abandon(self, self->task);
}

void region_end(struct carrier *self)
{
	uint64_t region = self->region;

	if (--self->depth)
		return;
	/* order: region.end pairs region.take: one of us has the CPU */
	if (unlikely(!a64_cas_seq_cst(&self->cpu->region, &region, 0))) {
		lose(self);
		return;
	}
	self->task = NULL;
	sched_this = self->cpu;
}

static uint64_t region_of(const struct cpu *cpu)
{
	/* order: region.see pairs region.begin: see there */
	return a64_load_seq_cst(&cpu->region);
}

/* Whether the CPU wants to be looked at again; in `ret_called`, whether a carrier
 * was called. */
static bool look_at(struct cpu *cpu, bool *ret_called)
{
	uint64_t region = region_of(cpu);
	bool lasts = region && region == cpu->tick_region;

	cpu->tick_region = region;
	if (!region || region == cpu->tick_offered)
		return false;
	if (!lasts || !carrier_offer(cpu, region))
		return true;
	cpu->tick_offered = region;
	*ret_called = true;
	return false;
}

static bool any_region(void)
{
	for (unsigned i = 0; i < sched.cpus; i++)
		if (region_of(sched.cpu[i]) &&
		    region_of(sched.cpu[i]) != sched.cpu[i]->tick_offered)
			return true;
	return false;
}

/* Nothing has lasted for long: the next region rings. */
static bool try_rest(void)
{
	look_afresh();
	/* order: region.rest pairs region.watched, region.ask: see there */
	a32_exchange_seq_cst(&look.watched, 0);
	if (!any_region())
		return true;
	/* order: region.again pairs region.watched: as it */
	a32_exchange_seq_cst(&look.watched, 1);
	return false;
}

uint64_t region_look(uint64_t now)
{
	bool called = false;
	bool any = false;

	/* relaxed: who sets it rings */
	if (likely(!a32_load_relaxed(&look.watched)))
		return UINT64_MAX;
	if (now < look.due)
		return look.due;
	for (unsigned i = 0; i < sched.cpus; i++)
		any = look_at(sched.cpu[i], &called) || any;
	look.patience = called          ? LOOKS_A_CALL
			: look.patience ? look.patience - 1
					: 0;
	if (look.patience)
		look.gap_ns = LOOK_LEAST_NS;
	else if (look.gap_ns < LOOK_MOST_NS)
		look.gap_ns *= 2;
	else if (!any && try_rest())
		return UINT64_MAX;
	look.due = now + look.gap_ns;
	return look.due;
}

bool region_take_over(struct carrier *self, struct cpu *cpu, uint64_t region)
{
	struct carrier *left;
	struct task *task;
	uint64_t used = 0;

	/* order: region.take pairs region.begin, region.end: all that was done
	 * with the CPU; one of us has it */
	if (!a64_cas_seq_cst(&cpu->region, &region, 0))
		return false;
	left = cpu_carrier(cpu);
	task = cpu_current(cpu);
	sched_this = cpu;
	cpu->own = &self->own;
	cpu->error_number = self->error_number;
	a64_own_set(&self->since_ns, os_thread_cpu_ns());
	acct_take_over(&cpu->books, &task->books, &left->thread, &left->steal,
		       &self->steal);
	if (!os_thread_clock_ns(&left->thread, &used))
		a64_own_add(&cpu->kernel_ns, used - a64_own(&left->since_ns));
	/* order: carrier.drives pairs carrier.look: its clocks */
	aptr_own_set(&cpu->carrier, self);
	cpu->prev = NULL;
	cpu->after = AFTER_NOTHING;
	aptr_own_set(&cpu->current, NULL);
	a64_own_add(&cpu->books.switches, 1);
	a64_own_add(&cpu->takeovers, 1);
	left->state = wait_announce(task, WAIT_BLOCKING, NULL);
	/* order: region.leave pairs region.left: the wait that begins */
	a32_store_release(&left->left, 1);
	os_futex_wake(&left->left.value, 1);
	if (cpu->os_cpu >= 0)
		os_thread_bind(cpu->os_cpu);
	return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Start and stop of the scheduler: everything is made before the first carrier
 * runs, and freed after the last has ended.
 */
#include <errno.h>
#include <string.h>

#include "os/mem.h"
#include "sched/parking.h"
#include "sched/pool.h"
#include "sched/region.h"
#include "sched/sched.h"

/* A waker that has run for so long is taken to run on. */
#define BUSY_NS 20000

/* Several times what it costs to run a task elsewhere: some ten lines. */
#define PATIENCE_NS 1000

struct sched sched;

/* Outlives every runtime: how many look at it, a futex. */
static struct a32 lookers;

static int cpu_make(unsigned index)
{
	struct cpu *cpu = os_alloc_aligned(CACHE_LINE, sizeof(*cpu));
	int error;

	if (!cpu)
		return -ENOMEM;
	cpu->index = index;
	cpu->random = 2463534242u + index;
	cpu->books.mode = sched.config.mode;
	cpu->books.index = index;
	timers_init(&cpu->timers);
	error = workq_init(&cpu->queue, sched.most_tasks);
	if (error) {
		os_free(cpu);
		return error;
	}
	sched.cpu[index] = cpu;
	sched.books[index] = &cpu->books;
	return 0;
}

static void cpus_free(void)
{
	for (unsigned i = 0; i < sched.cpus; i++) {
		if (!sched.cpu[i])
			continue;
		workq_fini(&sched.cpu[i]->queue);
		os_free(sched.cpu[i]);
	}
	os_free(sched.cpu);
	os_free(sched.books);
}

static int cpus_make(void)
{
	int error = 0;

	sched.cpu = os_alloc(sched.cpus * sizeof(struct cpu *));
	sched.books = os_alloc(sched.cpus * sizeof(struct acct_cpu *));
	if (!sched.cpu || !sched.books)
		error = -ENOMEM;
	for (unsigned i = 0; !error && i < sched.cpus; i++)
		error = cpu_make(i);
	if (!error)
		return 0;
	if (sched.cpu && sched.books) {
		cpus_free();
	} else {
		os_free(sched.cpu);
		os_free(sched.books);
	}
	return error;
}

/* Found out once a process: the clock's rate, and how the kernel tells of
 * preemption. */
static int know_machine(struct os_timebase *ret_base)
{
	static struct os_timebase base;
	static bool known;

	if (!known) {
		int error = os_timebase_calibrate(&base);

		if (error)
			return error;
		os_steal_probe();
		known = true;
	}
	*ret_base = base;
	return 0;
}

/* All but `running`, which is 0 and may be looked at meanwhile. */
static void forget(void)
{
	const size_t first = offsetof(struct sched, config);

	memset((char *)&sched + first, 0, sizeof(sched) - first);
}

int sched_start(const struct sched_config *config, const unsigned *allowed)
{
	int error;

	forget();
	sched.config = *config;
	sched.cpus = config->cpus;
	error = know_machine(&sched.base);
	if (error)
		return error;
	sched.busy_ticks = os_ns_to_ticks(&sched.base, BUSY_NS);
	sched.patience_ticks = os_ns_to_ticks(&sched.base, PATIENCE_NS);
	error = pool_init();
	if (error)
		return error;
	error = cpus_make();
	if (error)
		goto free_pool;
	error = acct_tree_init(&sched.tree, sched.books, sched.cpus);
	if (error)
		goto free_cpus;
	if (config->report_overflow)
		error = os_fault_install(overflow_report);
	if (error)
		goto free_tree;
	region_init();
	error = tick_start();
	if (error)
		goto remove_fault;
	error = carriers_start(allowed);
	if (error)
		goto stop_tick;
	/* order: sched.run pairs sched.runs, sched.reads, look.runs: all of the above */
	a32_store_release(&sched.running, 1);
	return 0;
stop_tick:
	tick_stop();
remove_fault:
	if (config->report_overflow)
		os_fault_remove();
free_tree:
	acct_tree_fini(&sched.tree);
free_cpus:
	cpus_free();
free_pool:
	pool_fini();
	return error;
}

/* How many tasks have been created less how many have ended; ends are read
 * first, so 0 means that there was a moment with none. */
static bool any_alive(void)
{
	uint64_t ended = 0;
	uint64_t spawned;

	for (unsigned i = 0; i < sched.cpus; i++)
		/* order: drain.ends pairs drain.ended: see above */
		ended += a64_load_acquire(&sched.cpu[i]->ended);
	/* order: drain.foreign pairs drain.ended: see above */
	spawned = a64_load_acquire(&sched.spawned);
	for (unsigned i = 0; i < sched.cpus; i++)
		/* order: drain.spawns pairs drain.ended: see above */
		spawned += a64_load_acquire(&sched.cpu[i]->spawned);
	return spawned != ended;
}

void sched_drain_tasks(void)
{
	/* relaxed: whoever misses it is seen at the next look */
	a32_store_relaxed(&sched.draining, 1);
	while (true) {
		/* order: drain.look pairs drain.ended: the count */
		uint32_t ends = a32_load_acquire(&sched.drained);

		if (!any_alive())
			return;
		os_futex_wait(&sched.drained.value, ends,
			      os_monotonic_ns() + 10000000);
	}
}

void sched_halt(void)
{
	/* No task is left to preempt, or to take a CPU from. */
	tick_stop();
	parking_flag(&sched.stopping);
	carriers_stop();
	if (sched.config.report_overflow)
		os_fault_remove();
}

bool sched_look_begin(void)
{
	/* order: look.in pairs look.left: counted before we look */
	a32_add_seq_cst(&lookers, 1);
	/* order: look.runs pairs look.off, sched.run: one of the two sees the
	 * other; and all that was made at start */
	if (a32_load_seq_cst(&sched.running))
		return true;
	sched_look_end();
	return false;
}

void sched_look_end(void)
{
	/* order: look.out pairs look.left: we have read what we read */
	a32_add_seq_cst(&lookers, (uint32_t)-1);
	/* order: look.waits pairs look.off: one of the two sees the other */
	if (!a32_load_seq_cst(&sched.running))
		os_futex_wake(&lookers.value, 1);
}

static void await_lookers(void)
{
	uint32_t count;

	/* order: look.left pairs look.in, look.out: they are gone */
	while ((count = a32_load_seq_cst(&lookers)))
		os_futex_wait(&lookers.value, count, UINT64_MAX);
}

void sched_free(void)
{
	/* order: look.off pairs look.runs, look.waits: whoever comes now goes
	 * away, whoever goes away wakes us */
	a32_exchange_seq_cst(&sched.running, 0);
	await_lookers();
	pool_fini();
	carriers_free();
	acct_tree_fini(&sched.tree);
	cpus_free();
}

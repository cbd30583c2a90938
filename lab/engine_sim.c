/* SPDX-License-Identifier: Apache-2.0 */
/* The machine under the engine `sim`: begin and end, time, the watcher's wait. */
#include "lab/engine_sim.h"

#include <mete/mete.h>

#include "lab/work.h"
#include "sim/sim.h"

/* A loop of work takes 1 ns: what a file asks for is what it takes. */
#define NS_PER_LOOP 1

/* Safe points of tasks at work: a quarter of the shortest slice. */
#define SLICE_NS 25000

/* On larger machines a CPU may be ahead of the others by a nanosecond for each of
 * them: a change of the running thread at every step would cost a minute. */
#define CPUS_EXACT 64

/* Posted when the run's event happens. */
static struct mete_sem event;

static void work(uint64_t loops)
{
	sim_spend(loops * NS_PER_LOOP);
}

const struct lab_time engine_sim_time = {
	.now_ns = sim_now_ns,
	.work = work,
	.ns_per_loop = NS_PER_LOOP,
	.slice_ns = SLICE_NS,
};

int engine_sim_begin(const struct lab_engine_options *options)
{
	unsigned cpus = (unsigned)options->machine->count;
	const struct sim_options machine = {
		.cpus = cpus,
		.grain_ns = cpus > CPUS_EXACT ? cpus : 0,
		.seed = options->seed,
		.mode = SIM_WALK,
	};

	mete_sem_init(&event, 0);
	return sim_begin(&machine);
}

void engine_sim_end(void)
{
	sim_end();
}

void engine_sim_await(struct lab_engine *engine, uint64_t deadline_ns)
{
	(void)engine;
	mete_sem_wait(&event, deadline_ns);
}

void engine_sim_tell(struct lab_engine *engine)
{
	(void)engine;
	mete_sem_post(&event, 1);
}

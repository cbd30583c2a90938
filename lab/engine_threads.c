/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine `threads`: a kernel thread for each task.
 *
 * Books.  Each thread reads the kernel's figures about itself at its start, at
 * each change of group and at its end, and books the difference on the group
 * it was in; so the groups' own add up to the tasks' by construction.  wait is
 * the kernel's run delay, blocked is what is left of the wall time.  held,
 * stolen and the CPUs' own accounts are unknown: the kernel does not say.
 */
#include "lab/engine_threads.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab/kernel.h"
#include "lab/work.h"

#define STACK_BYTES ((size_t)256 * 1024)

static const struct lab_usage nothing_yet = {
	.held_ns = LAB_UNKNOWN,
	.stolen_ns = LAB_UNKNOWN,
};

static int threads_start(struct lab_engine **ret_engine,
			 const struct lab_engine_options *options)
{
	struct threads_engine *engine;

	if (options->cpus > options->machine->count)
		return -ERANGE;
	engine = calloc(1, sizeof(*engine));
	if (!engine)
		return -ENOMEM;
	engine->own = calloc(options->groups->count, sizeof(*engine->own));
	if (!engine->own) {
		free(engine);
		return -ENOMEM;
	}
	for (size_t i = 0; i < options->groups->count; i++)
		engine->own[i] = nothing_yet;
	engine->base.ops = &lab_engine_threads;
	engine->base.cpus = options->cpus ? options->cpus
					  : (unsigned)options->machine->count;
	engine->groups = options->groups;
	engine->machine = options->machine;
	engine->pi = options->pi;
	engine->process_ns = lab_kernel_process_ns();
	pthread_mutex_init(&engine->guard, NULL);
	*ret_engine = &engine->base;
	return 0;
}

static int threads_stop(struct lab_engine *base)
{
	struct threads_engine *engine = (struct threads_engine *)base;

	pthread_mutex_destroy(&engine->guard);
	free(engine->own);
	free(engine);
	return 0;
}

static void strand_begin(struct lab_strand *strand)
{
	struct threads_engine *engine = strand->engine;

	strand->last_ns = lab_now_ns();
	lab_kernel_self(&strand->last);
	pthread_mutex_lock(&engine->guard);
	strand->next = engine->strands;
	if (strand->next)
		strand->next->before = strand;
	engine->strands = strand;
	pthread_mutex_unlock(&engine->guard);
}

/* Books what the calling strand has used since the last time; under the guard,
 * so that whoever looks from outside never sees it go back. */
static void strand_book(struct lab_strand *strand)
{
	struct lab_kernel_figures now;
	struct lab_usage used = nothing_yet;
	uint64_t now_ns = lab_now_ns();
	uint64_t busy_ns;

	lab_kernel_self(&now);
	used.exec_ns = threads_minus(now.cpu_ns, strand->last.cpu_ns);
	used.own_exec_ns = used.exec_ns;
	used.wait_ns = threads_minus(now.delay_ns, strand->last.delay_ns);
	busy_ns = lab_plus(used.exec_ns, used.wait_ns);
	used.blocked_ns =
		busy_ns == LAB_UNKNOWN
			? LAB_UNKNOWN
			: threads_minus(now_ns - strand->last_ns, busy_ns);
	used.switches = threads_minus(now.switches, strand->last.switches);
	used.wakeups = threads_minus(now.wakeups, strand->last.wakeups);
	used.migrations =
		threads_minus(now.migrations, strand->last.migrations);
	strand->last_ns = now_ns;
	lab_usage_add(&strand->usage, &used);
	strand->last = now;
	lab_usage_add(&strand->engine->own[strand->group], &used);
}

/* From here on nobody looks at it from outside. */
static void strand_end(struct lab_strand *strand)
{
	struct threads_engine *engine = strand->engine;

	pthread_mutex_lock(&engine->guard);
	strand_book(strand);
	if (strand->next)
		strand->next->before = strand->before;
	if (strand->before)
		strand->before->next = strand->next;
	else
		engine->strands = strand->next;
	pthread_mutex_unlock(&engine->guard);
}

static int threads_bind(struct lab_strand *strand, const unsigned *cpus,
			size_t count)
{
	const struct threads_engine *engine = strand->engine;

	if (count == 0 && engine->base.cpus < engine->machine->count) {
		struct lab_machine first = *engine->machine;

		first.count = engine->base.cpus;
		return lab_machine_bind(&first, NULL, 0);
	}
	return lab_machine_bind(engine->machine, cpus, count);
}

static int threads_sched(struct lab_strand *strand,
			 const struct lab_sched *sched)
{
	(void)strand;
	return lab_kernel_sched(sched);
}

static void *strand_main(void *arg)
{
	struct lab_strand *strand = arg;
	char name[16];

	strand->tid = gettid();
	strncpy(name, strand->spawn.name, sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	pthread_setname_np(pthread_self(), name);
	if (strand->spawn.cpu_count ||
	    strand->engine->base.cpus < strand->engine->machine->count)
		threads_bind(strand, strand->spawn.cpus,
			     strand->spawn.cpu_count);
	strand_begin(strand);
	strand->spawn.fn(strand, strand->spawn.arg);
	strand_end(strand);
	return NULL;
}

static int threads_spawn(struct lab_engine *base, const struct lab_spawn *spawn,
			 struct lab_strand **ret_strand)
{
	struct threads_engine *engine = (struct threads_engine *)base;
	struct lab_strand *strand = calloc(1, sizeof(*strand));
	pthread_attr_t attr;
	int rc;

	if (!strand)
		return -ENOMEM;
	strand->engine = engine;
	strand->spawn = *spawn;
	strand->group = spawn->group;
	strand->usage = nothing_yet;
	sem_init(&strand->permit, 0, 0);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	rc = -pthread_create(&strand->thread, &attr, strand_main, strand);
	pthread_attr_destroy(&attr);
	if (rc) {
		sem_destroy(&strand->permit);
		free(strand);
		return rc;
	}
	pthread_mutex_lock(&engine->guard);
	engine->own[spawn->group].tasks++;
	pthread_mutex_unlock(&engine->guard);
	*ret_strand = strand;
	return 0;
}

static void threads_wait(struct lab_strand *strand)
{
	pthread_join(strand->thread, NULL);
}

static void threads_release(struct lab_strand *strand)
{
	sem_destroy(&strand->permit);
	free(strand);
}

static bool threads_asleep(struct lab_strand *strand)
{
	return lab_kernel_asleep(strand->tid);
}

static void threads_checkpoint(void)
{
}

static void threads_yield(void)
{
	sched_yield();
}

static int threads_pause(struct lab_strand *strand, uint64_t deadline_ns)
{
	struct timespec until = threads_timespec(deadline_ns);
	int rc;

	do {
		if (deadline_ns == METE_FOREVER)
			rc = sem_wait(&strand->permit);
		else
			rc = sem_clockwait(&strand->permit, CLOCK_MONOTONIC,
					   &until);
	} while (rc < 0 && errno == EINTR);
	return rc < 0 ? -errno : 0;
}

static void threads_nudge(struct lab_strand *strand)
{
	sem_post(&strand->permit);
}

static int threads_move(struct lab_strand *strand, uint32_t group)
{
	pthread_mutex_lock(&strand->engine->guard);
	strand_book(strand);
	strand->group = group;
	pthread_mutex_unlock(&strand->engine->guard);
	return 0;
}

const struct lab_engine_ops lab_engine_threads = {
	.name = "threads",
	.summary = "a kernel thread for each task",
	.start = threads_start,
	.stop = threads_stop,
	.spawn = threads_spawn,
	.wait = threads_wait,
	.release = threads_release,
	.asleep = threads_asleep,
	.lock_create = threads_lock_create,
	.lock_free = threads_lock_free,
	.cond_create = threads_cond_create,
	.cond_free = threads_cond_free,
	.books = threads_books,
	.glance = threads_glance,
	.checkpoint = threads_checkpoint,
	.yield = threads_yield,
	.pause = threads_pause,
	.move = threads_move,
	.bind = threads_bind,
	.sched = threads_sched,
	.nudge = threads_nudge,
	.lock = threads_lock,
	.unlock = threads_unlock,
	.cond_wait = threads_cond_wait,
	.cond_wake = threads_cond_wake,
};

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The work that is set before Mete and before others alike, for the libraries
 * that have a C or C++ face.  go.go and tokio/ do the same in their languages.
 *
 * Who includes this file has defined what his library calls
 *
 *	peer_task peer_spawn(task, fn, arg) peer_join(task) peer_yield()
 *	peer_sem peer_sem_init(sem) peer_sem_wait(sem) peer_sem_post(sem)
 *	peer_mutex peer_mutex_init(mutex) peer_lock(mutex) peer_unlock(mutex)
 *	peer_run(cpus, fn): start, call fn as the first task, stop; false: not
 *	on so many CPUs
 *	and, with PEER_HAS_CHANNEL: peer_chan peer_chan_init(chan)
 *	peer_send(chan) peer_receive(chan), a rendezvous
 *
 * so that they are inlined where that is possible.  All others wait where a task
 * holds the clock: it looks at it ever so often, as some of these libraries have
 * one thread only, which nobody outside may interrupt.
 *
 * usage: PEER WORK CPUS TASKS MILLISECONDS; prints the figure, for sem also the
 * fairness.  Exit status 77: this peer has no such work.
 */
#ifndef BENCH_PEERS_WORK_H
#define BENCH_PEERS_WORK_H

#include "bench/peers/pace.h"
#include "bench/peers/wakes.h"

#define NOINLINE    __attribute__((noinline))
#define BURST       16
#define UNSUPPORTED 77

/* What stands on a line of its own: a task, and what it has done. */
struct member {
	uint64_t done;
	peer_task task;
} __attribute__((aligned(128)));

static uint64_t sum(const struct member *members, unsigned count)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < count; i++)
		sum += __atomic_load_n(&members[i].done, __ATOMIC_RELAXED);
	return sum;
}

/* The work of the members: a step again and again, until it is over.  The first
 * is the caller and measures; `finish` lets go who waits when it is over.
 * Nanoseconds for one of what all have done. */
static double measure(struct member *members, void *(*fn)(void *),
		      void (*step)(struct member *), void (*finish)(void))
{
	uint64_t start_ns;
	uint64_t before;
	double spent_ns;
	struct pace pace;

	for (unsigned i = 1; i < settings.tasks; i++)
		peer_spawn(&members[i].task, fn, &members[i]);
	pace_begin(&pace, settings.run_ns / 4);
	do
		step(&members[0]);
	while (pace_goes_on(&pace));
	before = sum(members, settings.tasks);
	start_ns = now_ns();
	pace_begin(&pace, settings.run_ns);
	do
		step(&members[0]);
	while (pace_goes_on(&pace));
	before = sum(members, settings.tasks) - before;
	spent_ns = (double)(now_ns() - start_ns);
	__atomic_store_n(&over, 1, __ATOMIC_RELAXED);
	if (finish)
		finish();
	for (unsigned i = 1; i < settings.tasks; i++)
		peer_join(&members[i].task);
	return spent_ns / (double)before;
}

/* All yield at one place, so that the switch is predicted as well as it can. */
static NOINLINE void yield_step(struct member *self)
{
	for (int i = 0; i < BURST; i++)
		peer_yield();
	count(&self->done, BURST);
}

static void *yielder(void *arg)
{
	while (!is_over())
		yield_step((struct member *)arg);
	return NULL;
}

static void work_yield(void)
{
	struct member *members =
		(struct member *)on_lines(settings.tasks,
					  sizeof(struct member));

	printf("%.3f\n",
	       measure(members, yielder, yield_step, NULL) * settings.cpus);
	free(members);
}

static peer_mutex mutex;

static NOINLINE void shared_step(struct member *self)
{
	peer_lock(&mutex);
	peer_yield();
	peer_unlock(&mutex);
	count(&self->done, 1);
}

static void *sharer(void *arg)
{
	while (!is_over())
		shared_step((struct member *)arg);
	return NULL;
}

static void work_shared(void)
{
	struct member *members =
		(struct member *)on_lines(settings.tasks,
					  sizeof(struct member));

	peer_mutex_init(&mutex);
	printf("%.3f\n", 1e3 / measure(members, sharer, shared_step, NULL));
	free(members);
}

static void mutex_step(struct member *self)
{
	for (int i = 0; i < BURST; i++) {
		peer_lock(&mutex);
		peer_unlock(&mutex);
	}
	count(&self->done, BURST);
}

static void work_mutex(void)
{
	struct member self;

	self.done = 0;
	settings.tasks = 1;
	peer_mutex_init(&mutex);
	printf("%.3f\n", measure(&self, NULL, mutex_step, NULL));
}

/* Two sides that pass a token, by a semaphore each. */
static peer_sem sides[2];

static NOINLINE void pass(peer_sem *mine, peer_sem *other)
{
	peer_sem_wait(mine);
	peer_sem_post(other);
}

static void pass_step(struct member *self)
{
	pass(&sides[0], &sides[1]);
	count(&self->done, 2);
}

static void *passer(void *arg)
{
	while (!is_over())
		pass(&sides[1], &sides[0]);
	return arg;
}

/* The partner may have seen that it is not over yet. */
static void pass_finish(void)
{
	peer_sem_post(&sides[1]);
}

static void work_pass(void)
{
	struct member *members =
		(struct member *)on_lines(2, sizeof(struct member));

	settings.tasks = 2;
	peer_sem_init(&sides[0]);
	peer_sem_init(&sides[1]);
	peer_sem_post(&sides[0]);
	printf("%.3f\n", measure(members, passer, pass_step, pass_finish));
	free(members);
}

/* The same, by a channel each way. */
#ifdef PEER_HAS_CHANNEL
static peer_chan chans[2];

static void chan_step(struct member *self)
{
	peer_send(&chans[0]);
	peer_receive(&chans[1]);
	count(&self->done, 2);
}

static void *answerer(void *arg)
{
	for (;;) {
		peer_receive(&chans[0]);
		if (is_over())
			return arg;
		peer_send(&chans[1]);
	}
}

static void chan_finish(void)
{
	peer_send(&chans[0]);
}

static void work_channel(void)
{
	struct member *members =
		(struct member *)on_lines(2, sizeof(struct member));

	settings.tasks = 2;
	peer_chan_init(&chans[0]);
	peer_chan_init(&chans[1]);
	printf("%.3f\n", measure(members, answerer, chan_step, chan_finish));
	free(members);
}
#else
static void work_channel(void)
{
	exit(UNSUPPORTED);
}
#endif

static void *nothing(void *arg)
{
	return arg;
}

static void work_spawn(void)
{
	peer_task *tasks =
		(peer_task *)on_lines(settings.tasks, sizeof(peer_task));
	uint64_t start_ns = 0;
	uint64_t spawned = 0;
	struct pace pace;

	for (int warm = 1; warm >= 0; warm--) {
		spawned = 0;
		start_ns = now_ns();
		pace_begin(&pace, warm ? settings.run_ns / 4 : settings.run_ns);
		do {
			for (unsigned i = 0; i < settings.tasks; i++)
				peer_spawn(&tasks[i], nothing, NULL);
			for (unsigned i = 0; i < settings.tasks; i++)
				peer_join(&tasks[i]);
			spawned += settings.tasks;
		} while (pace_goes_on(&pace));
	}
	printf("%.3f\n", (double)(now_ns() - start_ns) / (double)spawned);
	free(tasks);
}

static const struct {
	const char *name;
	void (*work)(void);
} works[] = {
	{"yield", work_yield},     {"pass", work_pass},
	{"sem", work_sem},         {"spawn", work_spawn},
	{"mutex", work_mutex},     {"shared", work_shared},
	{"channel", work_channel},
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc == 5 && i < sizeof(works) / sizeof(works[0]);
	     i++) {
		if (strcmp(works[i].name, argv[1]) != 0)
			continue;
		settings.cpus = atoi(argv[2]);
		settings.tasks = (unsigned)atoi(argv[3]);
		settings.run_ns = (uint64_t)atoi(argv[4]) * 1000000;
		if (settings.cpus < 1 || settings.tasks < 1)
			return 2;
		return peer_run(settings.cpus, works[i].work) ? 0 : UNSUPPORTED;
	}
	fprintf(stderr, "usage: %s WORK CPUS TASKS MILLISECONDS\n", argv[0]);
	return 2;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mete's tasks and the kernel's threads behind one set of names, so that the
 * work of a benchmark is written once and is the same on both.
 *
 * Work is an always-inline function of (arg, engine); BENCH_BOTH makes an
 * instance of it for each engine, in which the engine is a constant: nothing is
 * measured that only the comparison needs, neither a branch nor an indirect
 * call.
 *
 * A run is a crew: tasks that are created, set out together, are watched by the
 * program's first thread (which is no task and sleeps while others work) until
 * they are told that it is over, and are joined.
 */
#ifndef BENCH_ENGINE_H
#define BENCH_ENGINE_H

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "bench/bench.h"

#define BENCH_WORK static inline __attribute__((always_inline))

#define BENCH_BOTH(work)                       \
 static void *work##_mete(void *arg)           \
 {                                             \
  return work(arg, BENCH_METE);                \
 }                                             \
 static void *work##_threads(void *arg)        \
 {                                             \
  return work(arg, BENCH_THREADS);             \
 }                                             \
 static void *(*const work##_of[])(void *) = { \
	 [BENCH_METE] = work##_mete,           \
	 [BENCH_THREADS] = work##_threads,     \
 }

/* Any CPU of the run. */
#define BENCH_ANY_CPU (-1)

union bench_task {
	mete_task mete;
	pthread_t thread;
};

union bench_sem {
	struct mete_sem mete;
	sem_t kernel;
};

union bench_mutex {
	struct mete_mutex mete;
	pthread_mutex_t kernel;
};

struct bench_crew;

struct bench_member {
	void *(*fn)(void *arg);
	void *arg;
	int cpu; /* counts those of the run; or BENCH_ANY_CPU */
	/* the crew's */
	struct bench_crew *crew;
	union bench_task task;
};

struct bench_crew {
	const struct bench_options *options;
	struct bench_member *members;
	unsigned count;
	/* Called when all have set out; makes them end, unless they do so by
	 * themselves.  0 or -errno; NULL: nothing to be done. */
	int (*watch)(struct bench_crew *crew);
	/* the crew's */
	union bench_sem gate;
	bool off;
	uint64_t set_out_ns; /* CLOCK_MONOTONIC */
	uint64_t ended_ns;   /* all have been joined */
};

/* Starts the runtime and the members, of whom none does anything if one cannot
 * be had; ends when all have.  0 or -errno. */
int bench_crew(struct bench_crew *crew);

void bench_sem_init(const struct bench_options *options, union bench_sem *sem,
		    unsigned count);
void bench_mutex_init(const struct bench_options *options,
		      union bench_mutex *mutex);

/* The calling thread sleeps. */
void bench_sleep(uint64_t ns);

/* Counters `stride` bytes apart, each of which one task alone adds to. */
struct bench_counts {
	const _Atomic uint64_t *first;
	size_t stride;
	unsigned count;
};

/* What was seen of them in some time. */
struct bench_gain {
	double spent_ns;
	double total; /* over all */
	double least;
	double most;
	/* By the public statistics, negative where there are none. */
	double woken; /* tasks that began to run after a wake-up */
	double notifications;
	double sent;
	double handed;
	double suppressed;
};

/* Lets the work warm up, then watches it for as long as a run takes, at least
 * until something was done.  0; -ENOMEM; -ETIMEDOUT: nothing was, for long. */
int bench_watch(const struct bench_options *options,
		const struct bench_counts *counts, struct bench_gain *ret_gain);

BENCH_WORK void bench_count(_Atomic uint64_t *count, uint64_t more)
{
	uint64_t now = atomic_load_explicit(count, memory_order_relaxed);

	atomic_store_explicit(count, now + more, memory_order_relaxed);
}

BENCH_WORK bool bench_is_over(const atomic_bool *over)
{
	return atomic_load_explicit(over, memory_order_relaxed);
}

BENCH_WORK void bench_yield_now(enum bench_engine engine)
{
	if (engine == BENCH_METE)
		mete_task_yield();
	else
		sched_yield();
}

BENCH_WORK void bench_sem_wait(enum bench_engine engine, union bench_sem *sem)
{
	if (engine == BENCH_METE)
		mete_sem_wait(&sem->mete, METE_FOREVER);
	else
		/* A debugger's stop interrupts it. */
		while (sem_wait(&sem->kernel))
			continue;
}

BENCH_WORK void bench_sem_post(enum bench_engine engine, union bench_sem *sem)
{
	if (engine == BENCH_METE)
		mete_sem_post(&sem->mete, 1);
	else
		sem_post(&sem->kernel);
}

/* The one place where a batch of wake-ups is made. */
BENCH_WORK void bench_sem_post_each(enum bench_engine engine,
				    union bench_sem *const *sems,
				    unsigned count)
{
	if (engine == BENCH_METE)
		/* A union stands where its members do. */
		mete_sem_post_each((struct mete_sem *const *)sems, count);
	else
		for (unsigned i = 0; i < count; i++)
			sem_post(&sems[i]->kernel);
}

BENCH_WORK void bench_lock(enum bench_engine engine, union bench_mutex *mutex)
{
	if (engine == BENCH_METE)
		mete_mutex_lock(&mutex->mete, METE_FOREVER);
	else
		pthread_mutex_lock(&mutex->kernel);
}

BENCH_WORK void bench_unlock(enum bench_engine engine, union bench_mutex *mutex)
{
	if (engine == BENCH_METE)
		mete_mutex_unlock(&mutex->mete);
	else
		pthread_mutex_unlock(&mutex->kernel);
}

#endif

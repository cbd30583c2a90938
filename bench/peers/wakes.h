/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The wake-ups of bench/sem.c, for work.h: workers wait, each for a semaphore of
 * its own; the first task goes round and wakes those who are ready.
 */
#ifndef BENCH_PEERS_WAKES_H
#define BENCH_PEERS_WAKES_H

#include "bench/peers/pace.h"

#define WAKES 1900 /* most that are woken at once */

struct worker {
	peer_sem sem;
	uint64_t wakes;
	uint32_t data;
	uint32_t ready;
	peer_task task;
} __attribute__((aligned(64)));

static struct worker *workers;
static struct worker **batch;
static unsigned next_worker;

static void *worker(void *arg)
{
	struct worker *self = (struct worker *)arg;

	for (;;) {
		__atomic_store_n(&self->data, 1, __ATOMIC_RELAXED);
		__atomic_store_n(&self->ready, 1, __ATOMIC_RELEASE);
		peer_sem_wait(&self->sem);
		if (is_over())
			return arg;
		if (__atomic_load_n(&self->data, __ATOMIC_RELAXED))
			abort();
		count(&self->wakes, 1);
	}
}

static unsigned collect(void)
{
	unsigned collected = 0;

	for (unsigned seen = 0; seen < settings.tasks && collected < WAKES;
	     seen++) {
		struct worker *worker = &workers[next_worker];

		if (++next_worker == settings.tasks)
			next_worker = 0;
		if (!__atomic_load_n(&worker->ready, __ATOMIC_ACQUIRE))
			continue;
		__atomic_store_n(&worker->ready, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&worker->data, 0, __ATOMIC_RELAXED);
		batch[collected++] = worker;
	}
	return collected;
}

static void wake_for(uint64_t ns)
{
	struct pace pace;

	pace_begin(&pace, ns);
	while (pace_goes_on(&pace)) {
		unsigned collected = collect();

		for (unsigned i = 0; i < collected; i++)
			peer_sem_post(&batch[i]->sem);
		if (!collected)
			peer_yield();
	}
}

static void report_wakes(const uint64_t *before, double spent_ns)
{
	uint64_t total = 0;
	uint64_t least = UINT64_MAX;
	uint64_t most = 1;

	for (unsigned i = 0; i < settings.tasks; i++) {
		uint64_t wakes =
			__atomic_load_n(&workers[i].wakes, __ATOMIC_RELAXED) -
			before[i];

		total += wakes;
		least = wakes < least ? wakes : least;
		most = wakes > most ? wakes : most;
	}
	printf("%.6f %.3f\n", (double)total * 1e3 / spent_ns,
	       (double)least / (double)most);
}

static void work_sem(void)
{
	unsigned tasks = settings.tasks;
	uint64_t *before = (uint64_t *)calloc(tasks, sizeof(*before));
	uint64_t start_ns;

	workers = (struct worker *)on_lines(tasks, sizeof(struct worker));
	batch = (struct worker **)calloc(tasks, sizeof(*batch));
	if (!before || !batch)
		abort();
	for (unsigned i = 0; i < tasks; i++) {
		peer_sem_init(&workers[i].sem);
		peer_spawn(&workers[i].task, worker, &workers[i]);
	}
	wake_for(settings.run_ns / 4);
	start_ns = now_ns();
	for (unsigned i = 0; i < tasks; i++)
		before[i] =
			__atomic_load_n(&workers[i].wakes, __ATOMIC_RELAXED);
	wake_for(settings.run_ns);
	report_wakes(before, (double)(now_ns() - start_ns));
	__atomic_store_n(&over, 1, __ATOMIC_RELAXED);
	for (unsigned i = 0; i < tasks; i++)
		peer_sem_post(&workers[i].sem);
	for (unsigned i = 0; i < tasks; i++)
		peer_join(&workers[i].task);
	free(before);
	free(batch);
	free(workers);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Litmus programs: two threads, each bound to a CPU of its own, do one step each
 * to the same cell at about the same time, very often; what must not come out
 * never does.
 *
 * A litmus is four functions over cells that lie far apart.  Cells are prepared
 * in a batch, the threads meet, each goes through the batch by itself (one a
 * little later than the other, by turns, since they would fall into step), they
 * meet again, and the outcomes are counted: small numbers, of which FORBIDDEN
 * and above are failures.  Models (tests/model) prove; this looks whether the
 * processor, the compiler and the names of the orders are what they are taken
 * for.
 *
 * METE_LITMUS_ROUNDS says how many rounds; without it some seconds at most.
 */
#ifndef LITMUS_LITMUS_H
#define LITMUS_LITMUS_H

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "arch/arch.h"
#include "harness/test.h"

#define LITMUS_CELLS  256
#define LITMUS_ROUNDS 20000000
#define LITMUS_S      3

/* Outcomes: 0 ... FORBIDDEN - 1 are allowed. */
#define FORBIDDEN 4
#define OUTCOMES  6

struct litmus {
	void (*prepare)(size_t cell);
	void (*left)(size_t cell);
	void (*right)(size_t cell);
	/* Both are done with all cells. */
	unsigned (*outcome)(size_t cell);
	/* Right then; may be NULL. */
	void (*settle)(void);
};

struct litmus_run {
	const struct litmus *litmus;
	int cpu[2];
	uint64_t rounds; /* wanted */
	uint64_t done;
	uint64_t count[OUTCOMES];
	_Alignas(64) atomic_uint met;
	_Alignas(64) atomic_int over;
};

static inline void litmus_bind(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	CHECK_EQ(pthread_setaffinity_np(pthread_self(), sizeof(set), &set), 0);
}

/* Both have come this far: `turn` counts the caller's meetings. */
static inline void litmus_meet(struct litmus_run *run, unsigned *turn)
{
	unsigned wanted = 2 * ++*turn;

	atomic_fetch_add(&run->met, 1);
	for (unsigned i = 0; (int)(atomic_load(&run->met) - wanted) < 0; i++)
		if (i % 1024 == 1023)
			sched_yield();
		else
			arch_relax();
}

/* Now the one begins later, now the other, by up to a few steps. */
static inline void litmus_lag(unsigned turn, unsigned side)
{
	unsigned lag = turn / 2 % 64;

	if (lag % 2 == side)
		for (unsigned i = 0; i < lag; i++)
			arch_relax();
}

static inline void *litmus_right(void *arg)
{
	struct litmus_run *run = arg;
	unsigned turn = 0;

	litmus_bind(run->cpu[1]);
	while (true) {
		litmus_meet(run, &turn);
		if (atomic_load(&run->over))
			return NULL;
		litmus_lag(turn, 1);
		for (size_t i = 0; i < LITMUS_CELLS; i++)
			run->litmus->right(i);
		litmus_meet(run, &turn);
	}
}

static inline void litmus_batch(struct litmus_run *run, unsigned *turn)
{
	const struct litmus *litmus = run->litmus;

	for (size_t i = 0; i < LITMUS_CELLS; i++)
		litmus->prepare(i);
	litmus_meet(run, turn);
	litmus_lag(*turn, 0);
	for (size_t i = 0; i < LITMUS_CELLS; i++)
		litmus->left(i);
	litmus_meet(run, turn);
	if (litmus->settle)
		litmus->settle();
	for (size_t i = 0; i < LITMUS_CELLS; i++)
		run->count[litmus->outcome(i)]++;
	run->done += LITMUS_CELLS;
}

static inline double litmus_now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Two CPUs that we may run on; the case is skipped where there are none. */
static inline void litmus_choose_cpus(int cpu[2])
{
	cpu_set_t set;
	int found = 0;

	CHECK_EQ(sched_getaffinity(0, sizeof(set), &set), 0);
	for (int i = 0; i < CPU_SETSIZE && found < 2; i++)
		if (CPU_ISSET(i, &set))
			cpu[found++] = i;
	if (found < 2)
		SKIP("one CPU only");
}

/* Until enough rounds are made, or time is over, or, if `wanted` is an outcome,
 * it was seen. */
static inline void litmus_go(struct litmus_run *run, unsigned wanted,
			     double limit_s)
{
	double end = litmus_now_s() + limit_s;
	unsigned turn = 0;
	pthread_t right;

	litmus_choose_cpus(run->cpu);
	CHECK_EQ(pthread_create(&right, NULL, litmus_right, run), 0);
	litmus_bind(run->cpu[0]);
	while (run->done < run->rounds && litmus_now_s() < end &&
	       (wanted >= OUTCOMES || !run->count[wanted]))
		litmus_batch(run, &turn);
	atomic_store(&run->over, 1);
	litmus_meet(run, &turn);
	CHECK_EQ(pthread_join(right, NULL), 0);
	NOTE("%llu rounds: %llu %llu %llu %llu; forbidden %llu %llu",
	     (unsigned long long)run->done, (unsigned long long)run->count[0],
	     (unsigned long long)run->count[1],
	     (unsigned long long)run->count[2],
	     (unsigned long long)run->count[3],
	     (unsigned long long)run->count[4],
	     (unsigned long long)run->count[5]);
}

/* No forbidden outcome in any round. */
static inline void litmus_never(const struct litmus *litmus)
{
	const char *text = getenv("METE_LITMUS_ROUNDS");
	struct litmus_run run = {.litmus = litmus};

	run.rounds =
		text ? strtoull(text, NULL, 10) : test_rounds(LITMUS_ROUNDS);
	litmus_go(&run, OUTCOMES, text ? 1e9 : LITMUS_S * (double)test_slow());
	CHECK(run.done > 0);
	CHECK_EQ(run.count[FORBIDDEN] + run.count[FORBIDDEN + 1], 0);
}

#endif

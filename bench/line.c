/* SPDX-License-Identifier: Apache-2.0 */
/* What it takes to hand a cache line from one CPU to another. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>

#include "bench/bench.h"

#define TRANSFERS UINT64_C(100000)

/* The line that two CPUs hand to each other: odd is the partner's turn. */
static _Alignas(128) _Atomic uint64_t line;

/* A waiter that is alone on its CPU spins; two on one CPU must not. */
static void await(uint64_t turn)
{
	for (unsigned spins = 1; line < turn; spins++)
		if (spins % 100000 == 0)
			sched_yield();
}

static void *partner(void *arg)
{
	bench_bind_one(*(unsigned *)arg);
	for (uint64_t turn = 1; turn < 2 * TRANSFERS; turn += 2) {
		await(turn);
		line = turn + 1;
	}
	return NULL;
}

double bench_line_transfer(unsigned one, unsigned other)
{
	pthread_t thread;
	uint64_t start_ns = 0;
	uint64_t spent_ns;

	line = 0;
	if (bench_bind_one(other) || bench_bind_one(one) ||
	    pthread_create(&thread, NULL, partner, &other) != 0)
		return -1;
	for (uint64_t turn = 0; turn < 2 * TRANSFERS; turn += 2) {
		await(turn);
		/* The first rounds wait for the partner to come. */
		if (turn == TRANSFERS / 5)
			start_ns = bench_now_ns();
		line = turn + 1;
	}
	await(2 * TRANSFERS);
	spent_ns = bench_now_ns() - start_ns;
	pthread_join(thread, NULL);
	return (double)spent_ns / (double)(2 * TRANSFERS - TRANSFERS / 5);
}

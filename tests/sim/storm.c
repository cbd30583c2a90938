/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scheduler through many seeds of random workloads.
 *
 * usage: storm                     the suite, as TAP
 *        storm FIRST [LAST]        these seeds, with trace and books of each
 *
 * A seed that fails is shown by the machine's report; the same seed fails
 * again, at the same step.
 */
#include "storm.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SEEDS  10000
#define TWICE  50
#define REAL_S 20

/* On its own stack, since the fault may be an overflow. */
static void on_signal(int number)
{
	sim_fail(number == SIGALRM ? "no end in %d s of real time"
				   : "killed by signal %d",
		 number == SIGALRM ? REAL_S : number);
}

static void catch_signals(void)
{
	static char stack[64 * 1024];
	const stack_t alternate = {.ss_sp = stack, .ss_size = sizeof(stack)};
	struct sigaction action = {.sa_handler = on_signal,
				   .sa_flags = SA_ONSTACK | SA_RESETHAND};

	sigaltstack(&alternate, NULL);
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	sigaction(SIGALRM, &action, NULL);
}

static void run(uint64_t seed, struct storm_result *ret_result)
{
	alarm(REAL_S);
	storm_run(seed, ret_result);
}

static int show(uint64_t first, uint64_t last)
{
	for (uint64_t seed = first; seed <= last; seed++) {
		struct storm_result result;

		run(seed, &result);
		printf("seed %llu: %llu steps, %llu turns, %llu us, trace "
		       "%016llx, books %016llx\n",
		       (unsigned long long)seed,
		       (unsigned long long)result.figures.steps,
		       (unsigned long long)result.figures.turns,
		       (unsigned long long)(result.figures.now_ns -
					    1000000000) /
			       1000,
		       (unsigned long long)result.figures.trace,
		       (unsigned long long)result.books);
	}
	return 0;
}

static unsigned seeds(void)
{
	const char *slow = getenv("METE_TEST_SLOW");
	unsigned long by = slow ? strtoul(slow, NULL, 0) : 1;

	return by > 1 ? (unsigned)(SEEDS / by) : SEEDS;
}

static int suite(void)
{
	unsigned count = seeds();
	uint64_t steps = 0;
	unsigned other = 0;
	unsigned same = 0;
	struct storm_result last = {0};

	printf("1..2\n");
	fflush(stdout);
	for (uint64_t seed = 0; seed < count; seed++) {
		struct storm_result result;

		run(seed, &result);
		steps += result.figures.steps;
	}
	printf("# %u seeds, %llu steps\nok 1 - laws under random schedules\n",
	       count, (unsigned long long)steps);
	for (uint64_t seed = 0; seed < TWICE; seed++) {
		struct storm_result one;
		struct storm_result two;

		run(seed, &one);
		run(seed, &two);
		same += one.figures.trace == two.figures.trace &&
			one.figures.steps == two.figures.steps &&
			one.books == two.books;
		other += one.figures.trace != last.figures.trace;
		last = one;
	}
	printf("# %u of %d seeds alike twice, %u unlike the one before\n", same,
	       TWICE, other);
	printf("%sok 2 - a seed gives the same trace and books again\n",
	       same == TWICE && other == TWICE ? "" : "not ");
	return same == TWICE && other == TWICE ? 0 : 1;
}

int main(int argc, char **argv)
{
	uint64_t first;

	catch_signals();
	if (argc < 2)
		return suite();
	first = strtoull(argv[1], NULL, 0);
	return show(first, argc > 2 ? strtoull(argv[2], NULL, 0) : first);
}

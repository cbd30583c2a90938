/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench floor: what the machine charges, whatever a library does.
 *
 * raw_switch, stamp, exchange and syscall on one CPU; line_transfer between
 * two, left out where the process may use one only.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench/bench.h"

#define SWITCH_PAIRS 1000000
#define STAMPS       1000000
#define EXCHANGES    2000000
#define SYSCALLS     100000

#if defined(__x86_64__) || defined(__i386__)
# define STAMP() __builtin_ia32_rdtsc()
#else
# define STAMP() bench_now_ns()
#endif

static double raw_switch(void)
{
	return bench_raw_switch(SWITCH_PAIRS);
}

static double stamp(void)
{
	uint64_t sum = 0;
	uint64_t start_ns = bench_now_ns();

	for (unsigned i = 0; i < STAMPS; i++) {
		sum += STAMP();
		/* Each stamp is taken, none is moved. */
		__asm__ volatile("" : "+r"(sum));
	}
	return (double)(bench_now_ns() - start_ns) / STAMPS;
}

static double exchange(void)
{
	static _Atomic uint64_t word;
	uint64_t value = 1;
	uint64_t start_ns = bench_now_ns();

	for (unsigned i = 0; i < EXCHANGES; i++)
		value = atomic_exchange(&word, value);
	return (double)(bench_now_ns() - start_ns) / EXCHANGES;
}

static double system_call(void)
{
	uint64_t start_ns = bench_now_ns();

	for (unsigned i = 0; i < SYSCALLS; i++)
		syscall(SYS_getppid);
	return (double)(bench_now_ns() - start_ns) / SYSCALLS;
}

static double line_transfer(void)
{
	return bench_line_transfer(0, 1);
}

static const struct {
	const char *metric;
	double (*measure)(void); /* ns; negative: not on this machine */
	bool one_cpu;
} metrics[] = {
	{"raw_switch", raw_switch, true},
	{"stamp", stamp, true},
	{"exchange", exchange, true},
	{"line_transfer", line_transfer, false},
	{"syscall", system_call, true},
};

static int run(const struct bench_options *options)
{
	struct bench_line about = {
		.benchmark = "floor",
		.cpus = -1,
		.tasks = -1,
		.depth = -1,
		.unit = "ns",
	};
	double values[BENCH_RUNS_MAX];

	bench_title(options, &about);
	for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++) {
		unsigned runs = 0;

		if (metrics[i].one_cpu)
			bench_bind_one(0);
		values[0] = metrics[i].measure(); /* warms up */
		while (values[0] >= 0 && runs < options->runs)
			values[runs++] = metrics[i].measure();
		bench_unbind();
		about.metric = metrics[i].metric;
		if (runs)
			bench_report(options, &about, values);
	}
	return 0;
}

const struct bench bench_floor = {
	.name = "floor",
	.summary = "what the machine charges: switch, stamp, exchange, line, "
		   "call",
	.run = run,
};

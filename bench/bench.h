/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The benchmarks behind "mete bench".
 *
 * Each benchmark measures one claim, on the public headers, in a runtime of
 * its own for each run.  A run warms up, then measures from within the first
 * task; a figure is the median over the runs, with the least and the most.
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mete/mete.h>

#define BENCH_RUNS_MAX 1000

/* A run measures for at least this long. */
#define BENCH_RUN_NS UINT64_C(50000000)

struct bench_options {
	unsigned tasks;
	unsigned cpus;
	unsigned depth;
	unsigned runs;
	enum mete_books books;
	bool books_given;
	bool threads; /* kernel threads instead of tasks */
	bool json;
	bool simple; /* the bare figures */
};

struct bench {
	const char *name;
	const char *summary;
	unsigned tasks;        /* by default */
	unsigned thread_tasks; /* with kernel threads; 0: has no such engine */
	/* 0, or -errno with a line on stderr. */
	int (*run)(const struct bench_options *options);
};

extern const struct bench bench_floor;
extern const struct bench bench_yield;
extern const struct bench bench_spawn;
extern const struct bench bench_memory;

/* All of them, NULL behind the last. */
extern const struct bench *const benches[];

/* What stands beside a figure; NULL or negative: does not apply. */
struct bench_line {
	const char *benchmark;
	const char *variant;
	const char *engine;
	int cpus;
	int tasks;
	const char *books;
	int depth;
	const char *metric;
	const char *unit;
};

/* Prints the median of `values` with the least and the most; sorts them. */
void bench_report(const struct bench_options *options,
		  const struct bench_line *line, double *values);
/* A heading for people, of what the following figures have in common. */
void bench_title(const struct bench_options *options,
		 const struct bench_line *line);
const char *bench_books_name(enum mete_books books);

/* CLOCK_MONOTONIC. */
uint64_t bench_now_ns(void);

/* Binds the process to the n-th CPU that it may use, and back. */
int bench_bind_one(unsigned nth);
void bench_unbind(void);

/* Runs fn(arg) as the first task of a new runtime.  0 or -errno. */
int bench_in_runtime(const struct bench_options *options, int (*fn)(void *arg),
		     void *arg);

/*
 * One stack switch and back, `pairs` times, without anything else.  Returns
 * nanoseconds per switch, or a negative number where it is not written for
 * this machine.
 */
double bench_raw_switch(uint64_t pairs);

#endif

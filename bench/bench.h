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

/* A run measures for at least this long, unless said otherwise. */
#define BENCH_RUN_NS UINT64_C(50000000)

/* What runs the tasks: this library, or the kernel as threads. */
enum bench_engine {
	BENCH_METE,
	BENCH_THREADS
};

/* 0 or NULL where nothing was said; tasks, CPUs and time never reach a
 * benchmark that has a default of its own as 0. */
struct bench_options {
	unsigned tasks;
	unsigned cpus;
	unsigned depth;
	unsigned runs;
	unsigned wakes;  /* sem: most that are woken at once */
	unsigned groups; /* messaging */
	unsigned loops;  /* messaging: from a sender to a receiver */
	uint64_t run_ns; /* a run measures for at least this long */
	enum bench_engine engine;
	enum mete_books books;
	bool books_given;
	bool unbound;    /* sem: workers may go to any CPU */
	const char *via; /* one of the benchmark's ways */
	bool json;
	bool simple; /* the bare figures */
};

struct bench {
	const char *name;
	const char *summary;
	unsigned tasks;          /* by default */
	unsigned cpus;           /* fewest, and by default; 0: 1 */
	uint64_t run_ns;         /* by default, 0: BENCH_RUN_NS */
	const char *const *ways; /* for --via, NULL behind the last */
	bool threads;            /* has a form for the kernel's threads, too */
	unsigned thread_tasks;   /* by default with them, 0: as many */
	/* 0, or -errno with a line on stderr. */
	int (*run)(const struct bench_options *options);
};

extern const struct bench bench_floor;
extern const struct bench bench_yield;
extern const struct bench bench_spawn;
extern const struct bench bench_memory;
extern const struct bench bench_sem;
extern const struct bench bench_pipe;
extern const struct bench bench_mutex;
extern const struct bench bench_channel;
extern const struct bench bench_wake;
extern const struct bench bench_messaging;

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
/* Index of the way that was asked for, by default the first. */
unsigned bench_way(const struct bench_options *options,
		   const char *const *ways);

/* Most figures of a run. */
#define BENCH_METRICS_MAX 16

/* A figure of each run. */
struct bench_metric {
	const char *name;
	const char *unit;
};

/* What a run with these options is like; benchmark and variant are as given. */
struct bench_line bench_about(const struct bench_options *options,
			      const char *benchmark, const char *variant);

/*
 * Runs `once` as often as asked for and reports the metrics, up to one without
 * a name.  `once` fills in its figures in the order of the metrics; one that is
 * negative in the first run does not apply and is left out.  0, or what `once`
 * failed with.
 */
int bench_repeat(const struct bench_options *options, struct bench_line *about,
		 const struct bench_metric *metrics,
		 int (*once)(const struct bench_options *options,
			     double *figures));

/* CLOCK_MONOTONIC. */
uint64_t bench_now_ns(void);

/* How many CPUs the process may use, 0: it is not known. */
unsigned bench_cpus(void);
/* The n-th of them, in turns; or -errno. */
int bench_cpu(unsigned nth);
/* Binds the calling thread to that CPU, -ENODEV: there are not so many. */
int bench_bind_one(unsigned nth);
/* Binds it to the first `count` CPUs, unless there are not so many; and back. */
void bench_bind_first(unsigned count);
void bench_unbind(void);

/* A line that two CPUs hand to each other: ns one way, negative: no such CPUs.
 * Binds the calling thread. */
double bench_line_transfer(unsigned one, unsigned other);

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

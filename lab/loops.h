/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The log of a task's loops, in rt-app's format: a line each time that a phase
 * has gone round.  All in microseconds, but for the first two columns.
 *
 *	idx         the task's number
 *	perf        loops of calibrated work done
 *	run         time that run and runtime events took
 *	period      the whole loop
 *	start, end  of the loop, by CLOCK_MONOTONIC (sim: its own time)
 *	rel_st      start, from the common start on
 *	slack       left when the loop's last timer was reached; negative: late
 *	c_duration  sum of what run events asked for
 *	c_period    sum of the timers' periods
 *	wu_lat      sum of the timers' wake-up latencies
 *
 * Each file is written by its task alone, through a buffer.
 */
#ifndef LAB_LOOPS_H
#define LAB_LOOPS_H

#include <stdint.h>
#include <stdio.h>

/* The present loop of a task. */
struct lab_loop {
	uint64_t start_ns;
	uint64_t perf;
	uint64_t run_ns;
	int64_t slack_ns;
	uint64_t wanted_us;
	uint64_t periods_us;
	uint64_t latency_ns;
};

struct lab_task;
struct lab_run;

/* A file for a task, or for each of them, where wanted.  0 or -errno. */
int lab_loop_open(struct lab_task *task);
int lab_loops_open(struct lab_run *run);
/* Around each loop of a phase. */
void lab_loop_begin(struct lab_task *task);
void lab_loop_end(struct lab_task *task);
/* Flushed and closed.  0, or what a write met. */
int lab_loops_close(struct lab_run *run);

#endif

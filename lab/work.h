/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calibrated work: what a workload's "run" does.
 *
 * A loop is a fixed chain of dependent multiplications in registers, the same
 * for every engine, so that an amount of work is an amount of instructions and
 * not of time.  Calibration says how long a loop takes on an undisturbed CPU.
 */
#ifndef LAB_WORK_H
#define LAB_WORK_H

#include <stdint.h>

/* Time that is not the machine's. */
struct lab_time {
	uint64_t (*now_ns)(void);
	void (*work)(uint64_t loops);
	double ns_per_loop;
	uint64_t slice_ns; /* between the safe points of tasks at work */
};

/* Whose time the functions below go by; NULL: the machine's. */
void lab_time_use(const struct lab_time *time);

/* Does `loops` loops. */
void lab_work(uint64_t loops);

/*
 * Nanoseconds a loop takes.  The median of many short measurements: each is so
 * short that most see no preemption, and those that do are outvoted.  Takes
 * some 10 ms.
 */
double lab_work_calibrate(void);

/* CLOCK_MONOTONIC. */
uint64_t lab_now_ns(void);

#endif

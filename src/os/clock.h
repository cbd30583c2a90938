/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time: the kernel's clocks, the tick source, and the factor between the two.
 *
 * The tick source is the CPU's counter where it has one that runs at one rate
 * on all CPUs in all states and the kernel itself trusts it; else
 * CLOCK_MONOTONIC_RAW in ns.  os_timebase_calibrate() decides that, once,
 * before anybody takes a stamp that is to be kept; the factor is frozen from
 * then on, its error against CLOCK_MONOTONIC_RAW can be asked at any time.
 */
#ifndef OS_CLOCK_H
#define OS_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"

/* ns = ticks * mult >> shift, ticks = ns * inverse >> inverse_shift, both with
 * a product of 128 bits; mult and inverse lie in [2^62, 2^63). */
struct os_timebase {
	uint64_t mult;
	uint64_t inverse;
	unsigned shift;
	unsigned inverse_shift;
	uint64_t ticks_per_second;
	uint64_t ticks0; /* the same instant in ticks, */
	uint64_t raw0;   /* on CLOCK_MONOTONIC_RAW, */
	uint64_t mono0;  /* and on CLOCK_MONOTONIC */
};

/* Written by os_timebase_calibrate() alone. */
extern bool os_ticks_use_clock;

uint64_t os_monotonic_ns(void);
uint64_t os_raw_ns(void);

/* A stamp; not ordered against the loads and stores around it. */
static inline uint64_t os_ticks(void)
{
#ifdef ARCH_HAS_TICKS
	if (__builtin_expect(!os_ticks_use_clock, 1))
		return arch_ticks();
#endif
	return os_raw_ns();
}

/* Takes some 10 ms.  0; -ENOTSUP when no clock runs. */
int os_timebase_calibrate(struct os_timebase *ret);

/* Monotone in their argument; UINT64_MAX where the result has no room. */
uint64_t os_ticks_to_ns(const struct os_timebase *base, uint64_t ticks);
uint64_t os_ns_to_ticks(const struct os_timebase *base, uint64_t ns);

/* How much faster our ns run than CLOCK_MONOTONIC_RAW since calibration. */
double os_timebase_error_ppm(const struct os_timebase *base);

#endif

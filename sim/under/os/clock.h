/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time on the machine, under the contract of src/os/clock.h: every clock shows
 * the running thread's virtual time, one tick is one nanosecond.  A stamp is a
 * step, so others may act between it and the store that follows.
 */
#ifndef OS_CLOCK_H
#define OS_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"
#include "sim/step.h"

struct os_timebase {
	uint64_t ticks_per_second;
};

static inline uint64_t os_ticks(void)
{
	sim_step();
	return sim_clock_ns();
}

static inline uint64_t os_monotonic_ns(void)
{
	return os_ticks();
}

static inline int os_timebase_calibrate(struct os_timebase *ret)
{
	ret->ticks_per_second = 1000000000;
	return 0;
}

static inline uint64_t os_ticks_to_ns(const struct os_timebase *base,
				      uint64_t ticks)
{
	(void)base;
	return ticks;
}

static inline uint64_t os_ns_to_ticks(const struct os_timebase *base,
				      uint64_t ns)
{
	(void)base;
	return ns;
}

static inline double os_timebase_error_ppm(const struct os_timebase *base)
{
	(void)base;
	return 0;
}

#endif

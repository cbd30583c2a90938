/* SPDX-License-Identifier: Apache-2.0 */
/*
 * True CPU time on the machine, under the contract of src/os/steal.h: nobody
 * takes anything from a virtual CPU, so no interval is ever disturbed.  (A
 * competitor that steals belongs here when it comes.)
 */
#ifndef OS_STEAL_H
#define OS_STEAL_H

#include <stdbool.h>
#include <stdint.h>

#include "os/clock.h"
#include "os/thread.h"

enum os_steal_mode {
	OS_STEAL_ASK,
	OS_STEAL_FLAG
};

struct os_steal {
	const struct os_timebase *base;
	uint64_t cpu_ns;
};

static inline enum os_steal_mode os_steal_probe(void)
{
	return OS_STEAL_FLAG;
}

static inline void os_steal_anchor(struct os_steal *steal, uint64_t *ret_stamp)
{
	*ret_stamp = os_ticks();
	steal->cpu_ns = os_thread_cpu_ns();
}

static inline void os_steal_init(struct os_steal *steal,
				 const struct os_timebase *base)
{
	steal->base = base;
	steal->cpu_ns = os_thread_cpu_ns();
}

static inline void os_steal_fini(struct os_steal *steal)
{
	(void)steal;
}

static inline bool os_steal_disturbed(const struct os_steal *steal)
{
	(void)steal;
	return false;
}

static inline void os_steal_rearm(struct os_steal *steal)
{
	(void)steal;
}

static inline void os_steal_ask(struct os_steal *steal)
{
	(void)steal;
}

static inline void os_steal_move(struct os_steal *to,
				 const struct os_steal *from)
{
	*to = *from;
}

static inline uint64_t os_steal_collect_from(struct os_steal *steal,
					     const struct os_thread *thread,
					     uint64_t limit_ticks,
					     uint64_t *ret_stamp,
					     uint64_t *ret_slept)
{
	*ret_slept = 0;
	(void)steal;
	(void)thread;
	(void)limit_ticks;
	*ret_stamp = os_ticks();
	return 0;
}

static inline uint64_t os_steal_collect(struct os_steal *steal,
					uint64_t limit_ticks,
					uint64_t *ret_stamp)
{
	(void)steal;
	(void)limit_ticks;
	*ret_stamp = os_ticks();
	return 0;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The restartable-sequence area that the C library registers for each thread,
 * and our descriptor.  Internal to the machinery of steal.h.
 */
#ifndef OS_STEAL_AREA_H
#define OS_STEAL_AREA_H

#include <stdint.h>

/* The calling thread's pointer to its active descriptor (its low word on
 * 32-bit machines, where the high one stays 0); NULL without an area. */
volatile uintptr_t *os_steal_area_slot(void);

/* What to put there. */
uintptr_t os_steal_area_descriptor(void);

#endif

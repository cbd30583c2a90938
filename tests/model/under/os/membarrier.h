/* SPDX-License-Identifier: Apache-2.0 */
/* The heavy fence, for the models: see conc_fence_light() in model/atomic.h. */
#ifndef OS_MEMBARRIER_H
#define OS_MEMBARRIER_H

#include "model/atomic.h"

static inline int os_membarrier_register(void)
{
	return 0;
}

static inline void os_membarrier(void)
{
	rl::atomic_thread_fence(rl::mo_seq_cst, MODEL_HERE);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Who calls, in a model. */
#ifndef OS_THREAD_H
#define OS_THREAD_H

#include "model/atomic.h"

static inline uintptr_t os_thread_mark(void)
{
	return rl::thread_index();
}

#endif

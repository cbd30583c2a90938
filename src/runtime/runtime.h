/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The composition root: what the public functions share.
 */
#ifndef RUNTIME_RUNTIME_H
#define RUNTIME_RUNTIME_H

#include <mete/runtime.h>

#include "sched/sched.h"

static inline bool runtime_runs(void)
{
	/* order: sched.runs pairs sched.run: a runtime that was started */
	return a32_load_acquire(&sched.running);
}

/* Defaults, variables and limits applied to `options` (may be NULL).  0, or
 * -EINVAL. */
int options_resolve(const struct mete_options *options,
		    struct mete_options *ret_options);
void options_show(const struct mete_options *options);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Nobody is alone in a model. */
#ifndef SYNC_BIAS_H
#define SYNC_BIAS_H

#include "conc/atomic.h"

static inline void bias_look(void)
{
}

static inline bool bias_swap(struct a64 *word, uint64_t *expected, uint64_t to)
{
	return a64_cas_acq_rel(word, expected, to);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Nobody is alone in a model. */
#ifndef SYNC_BIAS_H
#define SYNC_BIAS_H

#include "conc/atomic.h"

#define a64_guest_cas_relaxed a64_cas_relaxed
#define a64_guest_cas_acquire a64_cas_acquire
#define a64_guest_cas_release a64_cas_release
#define a64_guest_cas_acq_rel a64_cas_acq_rel

static inline bool bias_swap(struct a64 *word, uint64_t *expected, uint64_t to)
{
	return a64_cas_acq_rel(word, expected, to);
}

#endif

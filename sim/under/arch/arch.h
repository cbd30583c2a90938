/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The machine's architecture: the real one's contexts and switch under the
 * contract of src/arch/arch.h, but no counter of its own (os/clock.h has the
 * time) and no thread-local storage: __thread means a section of variables
 * that the machine changes with its threads (sim/thread.h).
 */
#ifndef ARCH_ARCH_H
#define ARCH_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define arch_relax arch_relax_of_this_machine
#if defined(__x86_64__) && !defined(METE_ARCH_GENERIC)
# include "arch/x86_64/arch.h"
#else
# include "arch/generic/arch.h"
#endif
#undef arch_relax

#undef ARCH_HAS_TICKS
#undef ARCH_TLS_MODEL
#undef ARCH_TLS_POINTER
#undef ARCH_TLS_READER

#define ARCH_TLS_MODEL
#define ARCH_TLS_POINTER(variable) (variable)

#include "sim/sim.h"

/* How long a pause takes. */
#define SIM_RELAX_NS 32

static inline void arch_relax(void)
{
	sim_spend(SIM_RELAX_NS);
}

#endif

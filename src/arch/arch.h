/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The contract with an architecture.  Each gives, in its arch.h:
 *
 *   struct arch_context   where a stack that does not run left off
 *   arch_context_init()   prepare a fresh stack to enter a function
 *   arch_switch()         leave one stack for another; returns when somebody
 *                         switches back, perhaps on another thread: nothing
 *                         thread-local survives it in a register
 *   ARCH_TLS_POINTER(v)   the value of the thread-local pointer v, read afresh
 *                         each time: the compiler cannot keep its address
 *                         over a switch
 *   arch_relax()          a pause in a loop that polls
 *   arch_prefetch_write() a hint: the line will be written here soon
 *   ARCH_HAS_TICKS        whether arch_ticks() exists: a counter that runs
 *                         evenly on all CPUs if arch_ticks_invariant() says so
 *   arch_ticks_barrier()  no later stamp before what precedes is done
 *   struct arch_fp        the floating-point control words (rounding, masks)
 *   arch_fp_save/load()   read and set them
 *   ARCH_SWITCH_SAVES_FP  defined where the switch sees to them anyway
 */
#ifndef ARCH_ARCH_H
#define ARCH_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__) && !defined(METE_ARCH_GENERIC)
# include "arch/x86_64/arch.h"
#else
# include "arch/generic/arch.h"
#endif

#endif

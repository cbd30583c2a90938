/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System calls that the kernel refuses, in any build: for errors that come from
 * the call itself, behind the fault injector's back (os/inject.h).
 *
 * What is refused stays so for the rest of the case, in all of its threads and
 * children; of two refusals the later counts.  Where the kernel has no filters the
 * case is skipped.
 */
#ifndef METE_TEST_REFUSE_H
#define METE_TEST_REFUSE_H

#include <stdint.h>

/* The call with that number (SYS_...) fails with `error`; with 0 it does nothing
 * and gives 0. */
void test_refuse(long number, int error);

/* Only where the lower half of one of its arguments, from 0, is `value`. */
void test_refuse_where(long number, unsigned argument, uint32_t value,
		       int error);

#endif

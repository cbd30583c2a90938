/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The laws that hold at every change of the running virtual thread.
 *
 *   - the ledger of every CPU whose books are not being written closes, to the
 *     tick, and the root's inclusive time is the CPU's held time;
 *   - no task runs on two CPUs;
 *   - a running task heeds its new group or affinity;
 *   - nobody is let down: a CPU does not sleep on while its wake lists have
 *     something for it, and a deadline is not passed over, for longer than
 *     `late_ns` (in which the slowest thread has had its turn, while the tick,
 *     which would make up for a lost wake-up, has not).
 */
#ifndef TESTS_SIM_LAWS_H
#define TESTS_SIM_LAWS_H

#include <stdint.h>
#include <stdio.h>

/* A run begins; late_ns 0: the last law is not looked at. */
void laws_begin(uint64_t late_ns);

/* Nobody waits for a channel who need not: laws_chan.c. */
struct mete_chan;
void laws_chan(const struct mete_chan *chan);

/* For struct sim_options. */
void laws_check(void);
void laws_locate(FILE *out);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* One who waits: a thread, with the bell on which it sleeps; see wait.h. */
#ifndef SCHED_WAITER_H
#define SCHED_WAITER_H

#include "conc/atomic.h"
#include "sched/waits.h"

#ifdef MODEL_TASKS
struct task;
#endif

struct mete_waiter {
	CONC_PLAIN(struct mete_waiter *) next;
	CONC_PLAIN(struct mete_waiter *) prev;
	struct a32 word;
	CONC_PLAIN(bool) listed;
	CONC_PLAIN(bool) timed;
	CONC_PLAIN(bool) own;
	CONC_PLAIN(int) met;
	CONC_PLAIN(uint64_t) want;
	CONC_PLAIN(struct mete_waiter *) leaver;
	CONC_PLAIN(unsigned) sleeper;
#ifdef MODEL_TASKS
	CONC_PLAIN(struct task *) task;
	CONC_PLAIN(bool) handed;
#endif
} __attribute__((aligned(16)));

#endif

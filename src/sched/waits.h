/* SPDX-License-Identifier: Apache-2.0 */
/* The vocabulary of waits: what for, and how they end. */
#ifndef SCHED_WAITS_H
#define SCHED_WAITS_H

/* What a task waits for. */
enum wait_kind {
	WAIT_OTHER,
	WAIT_SLEEP,
	WAIT_JOIN,
	WAIT_SEM,
	WAIT_MUTEX,
	WAIT_COND,
	WAIT_BARRIER,
	WAIT_RWLOCK,
	WAIT_ONCE,
	WAIT_WAITGROUP,
	WAIT_EVENT,
	WAIT_CHANNEL,
	WAIT_SELECT,
	WAIT_PARK,
	WAIT_FD,
	WAIT_BLOCKING,
	WAIT_KINDS,
};

/* A foreign thread's. */
enum wait_thread {
	THREAD_WAITS,
	THREAD_TAKEN, /* its wait is over, but it must stay until ... */
	THREAD_WOKEN,
	THREAD_LATE, /* its time was over */
};

/* Barriers. */
enum wait_met {
	NOT_MET,
	MET,
	MET_LAST,
};

#endif

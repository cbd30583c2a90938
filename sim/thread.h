/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Virtual threads: stacks on which carriers, the tick and foreign threads run.
 *
 * One runs; those that could stand in a heap by time; those that sleep for ever
 * nowhere, those that sleep until a deadline in the heap at that time.  Going
 * from one to the next saves what belongs to a thread besides its stack: its
 * time, its errno, and the thread-local variables of src/, which the second
 * compile puts into one section (__thread means that section there).
 *
 * The floating-point control words are not saved: tasks that set their own
 * (fp_control) are not for this machine.
 */
#ifndef SIM_THREAD_H
#define SIM_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"
#include "os/stack.h"
#include "sim/sim.h"

#define SIM_LOCALS_MAX 16 /* words */
#define SIM_NAME_MAX   15
#define SIM_FOREVER    UINT64_MAX

/* Where a thread stands in no heap. */
#define SIM_NOWHERE UINT32_MAX

struct sim_thread {
	struct arch_context context;
	/* What it has while it does not run. */
	uint64_t clock; /* in units: when it goes on */
	const uint32_t *costs;
	int error_number;
	uint32_t locals[SIM_LOCALS_MAX];
	/* The machine's. */
	uint32_t heap_index;
	uint32_t number;
	struct sim_thread *next; /* of all */
	/* Asleep on a word; see sleep.h. */
	const uint32_t *word;
	struct sim_thread *sleep_next;
	bool woken;
	uint64_t since; /* in units: asleep since */
	uint64_t slept; /* in units, in all */
	/* Its life. */
	uint64_t born;
	uint32_t ended; /* a word to sleep on */
	void (*run)(void *arg);
	void *arg;
	const void *at; /* the call by which it left off */
	struct os_stack stack;
	char name[SIM_NAME_MAX + 1];
	/* For the sanitizers: the stack it was on when it left off. */
	const void *stack_base;
	size_t stack_bytes;
	void *fake_stack;
	void *tsan;
	unsigned valgrind_id;
};

/* The machine. */
struct sim_machine {
	struct sim_options options;
	bool stands;
	struct sim_thread first;
	struct sim_thread *running;
	struct sim_thread *threads; /* all that live */
	uint32_t thread_count;
	uint32_t numbers; /* of threads so far */
	struct sim_thread **heap;
	uint32_t heap_count;
	uint32_t heap_room;
	int *error_number; /* the real thread's errno */
	uint64_t turns;
	uint64_t trace;
	uint64_t limit;          /* in units */
	uint64_t grain;          /* in units */
	struct sim_thread *left; /* who ran before the running one */
	uint32_t *locals;
	size_t locals_words;
};

extern struct sim_machine sim_machine;

/* The running thread leaves, to go on at `until` at the latest, in units;
 * `at` is where it stands. */
void thread_leave(uint64_t until, const void *at);

/* One that sleeps goes on, not before the running thread's time. */
void thread_wake(struct sim_thread *thread);

/* The user's laws, at a time to which all have come. */
void sim_check(uint64_t present);

/* What a new thread's context enters. */
void thread_begin(void);

/* CPU time of a thread, in units. */
uint64_t thread_busy(const struct sim_thread *thread);

#endif

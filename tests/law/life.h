/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A task's moments, and its books held against them.
 *
 * Every bound is a pair of stamps taken around what is measured, so it holds
 * under any load: nothing is compared with a wished-for length.  Ticks and
 * stamps are two clocks, so each comparison has 0.1 % and 20 us to spare.
 */
#ifndef LAW_LIFE_H
#define LAW_LIFE_H

#include "arch/arch.h"
#include "law/laws.h"
#include "os/clock.h"

#define SPAN  (20 * MS)
#define SPARE (20 * US)

static inline void start(unsigned cpus, enum mete_books books)
{
	struct mete_options options = METE_OPTIONS_INIT;

	options.cpus = cpus;
	options.books = books;
	options.flags = METE_IGNORE_ENV;
	options.slice_ns = MS;
	CHECK_EQ(mete_start(&options), 0);
}

static inline void at_least(uint64_t ns, uint64_t least)
{
	CHECK_GE(ns + ns / 1000 + SPARE, least);
}

static inline void at_most(uint64_t ns, uint64_t most)
{
	CHECK_LE(ns, most + most / 1000 + SPARE);
}

static inline void spin(uint64_t ns)
{
	uint64_t end = os_monotonic_ns() + ns;

	while (os_monotonic_ns() < end)
		arch_relax();
}

/* A task's moments: around its creation, in its function, around its end. */
struct life {
	mete_task task;
	uint64_t create_ns;
	uint64_t created_ns;
	uint64_t first_ns;
	uint64_t last_ns;
	uint64_t ended_ns;
	struct mete_usage usage;
};

static inline void begin_life(struct life *life, mete_group group,
			      void *(*fn)(void *))
{
	struct mete_task_attr attr = METE_TASK_ATTR_INIT;

	attr.group = group;
	life->create_ns = os_monotonic_ns();
	CHECK_EQ(mete_task_create(&life->task, &attr, fn, life), 0);
	life->created_ns = os_monotonic_ns();
}

static inline void end_life(struct life *life)
{
	uint64_t parts;

	CHECK_EQ(mete_task_wait(life->task, METE_FOREVER), 0);
	life->ended_ns = os_monotonic_ns();
	CHECK_EQ(mete_task_usage(life->task, 0, &life->usage,
				 sizeof(life->usage)),
		 0);
	parts = life->usage.held_ns + life->usage.wait_ns +
		life->usage.blocked_ns;
	at_least(parts, life->last_ns - life->created_ns);
	at_most(parts, life->ended_ns - life->create_ns);
	CHECK_EQ(life->usage.held_ns,
		 life->usage.exec_ns + life->usage.stolen_ns);
}

static inline void stop(void)
{
	struct mete_snapshot *snapshot = law_snapshot();

	law_check(snapshot, METE_BOOKS_TASK);
	for (size_t i = 0; i < snapshot->task_count; i++)
		CHECK_EQ(mete_task_join(snapshot->tasks[i].task, 0, NULL), 0);
	mete_snapshot_free(snapshot);
	CHECK_EQ(mete_stop(), 0);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One of several on real CPUs: an entry of the work queue goes to its owner or to
 * a thief, with its contents; a wait is ended by one claimer; behind the gate
 * there is one at a time.
 */
#include "conc/gate.h"
#include "conc/workq.h"
#include "litmus/litmus.h"
#include "sched/claim.h"

#define TAKEN_MOST 2

static struct cell {
	uint64_t contents cache_aligned;
	struct task task;
	/* how often, and with what */
	unsigned left cache_aligned;
	unsigned right cache_aligned;
} cells[LITMUS_CELLS];

static struct workq queue;
static struct gate gate;
static uint64_t written;

/* 0 the owner, 1 the thief; FORBIDDEN lost, FORBIDDEN + 1 twice or unread. */
static unsigned outcome(size_t i)
{
	const struct cell *cell = &cells[i];

	if (cell->left + cell->right == 1)
		return cell->right;
	return FORBIDDEN + (cell->left + cell->right > 1);
}

static void prepare_queue(size_t i)
{
	written += i == 0;
	cells[i].left = cells[i].right = 0;
}

static void got(struct cell *cell, unsigned *count)
{
	*count += cell->contents == written ? 1 : 100;
}

static void take(void)
{
	struct cell *cell = workq_take(&queue);

	if (cell)
		got(cell, &cell->left);
}

/* Every other step the owner takes back, so that the queue is nearly empty. */
static void own(size_t i)
{
	cells[i].contents = written;
	workq_push(&queue, &cells[i]);
	if (i % 4)
		take();
}

static void steal(size_t i)
{
	void *taken[TAKEN_MOST];
	size_t count = workq_steal(&queue, taken, TAKEN_MOST);

	(void)i;
	while (count-- > 0) {
		struct cell *cell = taken[count];

		got(cell, &cell->right);
	}
}

static void take_rest(void)
{
	for (size_t i = 0; i < LITMUS_CELLS; i++)
		take();
	/* The next batch begins behind a shut gate again. */
	gate_shut(&queue.gate);
}

TEST_WITHIN(from_the_work_queue, 3600)
{
	static const struct litmus litmus = {
		.prepare = prepare_queue,
		.left = own,
		.right = steal,
		.outcome = outcome,
		.settle = take_rest,
	};

	CHECK_EQ(workq_init(&queue, LITMUS_CELLS), 0);
	litmus_never(&litmus);
	workq_fini(&queue);
}

static void prepare_wait(size_t i)
{
	cells[i].left = cells[i].right = 0;
	a64_store_relaxed(&cells[i].task.state, TASK_TICKET + TASK_BLOCKED);
}

static void wake(size_t i)
{
	cells[i].left = claim(&cells[i].task, TASK_TICKET + TASK_BLOCKED, 0);
}

static void expire(size_t i)
{
	cells[i].right =
		claim(&cells[i].task, TASK_TICKET + TASK_BLOCKED, TASK_LATE);
}

TEST_WITHIN(a_wait_has_one_end, 3600)
{
	static const struct litmus litmus = {
		.prepare = prepare_wait,
		.left = wake,
		.right = expire,
		.outcome = outcome,
	};

	litmus_never(&litmus);
}

/* Plain words that both count up; what one loses of the other's is missing. */
static volatile uint64_t passed;
static uint64_t passes_seen;

static void prepare_gate(size_t i)
{
	cells[i].left = cells[i].right = 0;
	if (i == 0) {
		passed = 0;
		passes_seen = 0;
	}
}

static void pass_as_owner(size_t i)
{
	if (!gate_own(&gate))
		return;
	passed = passed + 1;
	gate_leave(&gate);
	cells[i].left = 1;
}

/* A guest comes seldom: each opening takes microseconds. */
static void pass_as_guest(size_t i)
{
	if (i % 64 || !gate_visit(&gate))
		return;
	passed = passed + 1;
	gate_depart(&gate);
	cells[i].right = 1;
	gate_shut(&gate);
}

static void count_passes(void)
{
	for (size_t i = 0; i < LITMUS_CELLS; i++)
		passes_seen += cells[i].left + cells[i].right;
}

static unsigned gate_outcome(size_t i)
{
	if (passes_seen != passed)
		return FORBIDDEN;
	return cells[i].left + 2 * cells[i].right;
}

TEST_WITHIN(behind_the_gate, 3600)
{
	static const struct litmus litmus = {
		.prepare = prepare_gate,
		.left = pass_as_owner,
		.right = pass_as_guest,
		.outcome = gate_outcome,
		.settle = count_passes,
	};

	gate_init(&gate);
	litmus_never(&litmus);
}

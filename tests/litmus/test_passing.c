/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages on real CPUs: who finds what was passed on finds its contents, too;
 * through the wake list, the work queue, a mark, a task that leaves its CPU.
 */
#include "conc/mark.h"
#include "conc/wakelist.h"
#include "conc/workq.h"
#include "litmus/litmus.h"
#include "sched/claim.h"

/* What the reader has found. */
enum found {
	NOTHING,
	ALL,
	OLD_CONTENTS = FORBIDDEN,
	TORN,
};

static struct cell {
	struct wakelist list cache_aligned;
	struct wakenode node cache_aligned;
	uint64_t contents cache_aligned;
	struct mark mark cache_aligned;
	struct a64 word[2] cache_aligned;
	struct task task;
	unsigned found cache_aligned;
} cells[LITMUS_CELLS];

static uint64_t written; /* a new value in each batch */

static unsigned outcome(size_t i)
{
	return cells[i].found;
}

static void prepare_list(size_t i)
{
	written += i == 0;
	aptr_store_relaxed(&cells[i].list.head, NULL);
	cells[i].found = NOTHING;
}

static void push(size_t i)
{
	cells[i].contents = written;
	wakelist_push(&cells[i].list, &cells[i].node);
}

static void take(size_t i)
{
	if (wakelist_empty(&cells[i].list) || !wakelist_take(&cells[i].list))
		return;
	cells[i].found = cells[i].contents == written ? ALL : OLD_CONTENTS;
}

TEST_WITHIN(by_the_wake_list, 3600)
{
	static const struct litmus litmus = {
		.prepare = prepare_list,
		.left = push,
		.right = take,
		.outcome = outcome,
	};

	litmus_never(&litmus);
}

static void prepare_words(size_t i)
{
	written += i == 0;
	cells[i].found = NOTHING;
}

static void write_words(size_t i)
{
	mark_begin(&cells[i].mark);
	a64_own_set(&cells[i].word[0], written);
	a64_own_set(&cells[i].word[1], written * 3);
	mark_end(&cells[i].mark);
}

static void read_words(size_t i)
{
	uint64_t mark = mark_read(&cells[i].mark);
	uint64_t a = a64_load_acquire(&cells[i].word[0]);
	uint64_t b = a64_load_acquire(&cells[i].word[1]);

	if (!mark_valid(&cells[i].mark, mark))
		return;
	if (b != a * 3 || mark != 2 * a)
		cells[i].found = TORN;
	else
		cells[i].found = ALL;
}

TEST_WITHIN(under_a_mark, 3600)
{
	static const struct litmus litmus = {
		.prepare = prepare_words,
		.left = write_words,
		.right = read_words,
		.outcome = outcome,
	};

	litmus_never(&litmus);
}

/* The task announces a wait, is claimed, has left its CPU. */
static void prepare_task(size_t i)
{
	written += i == 0;
	a64_store_relaxed(&cells[i].task.state, TASK_RUNNING);
	a32_store_relaxed(&cells[i].task.on_cpu, 0);
	cells[i].found = NOTHING;
}

static void leave(size_t i)
{
	struct task *task = &cells[i].task;

	claim_announce(task, WAIT_OTHER);
	cells[i].contents = written;
	claim_settle(task);
}

static void claim_by_word(size_t i)
{
	struct task *task = &cells[i].task;
	uint64_t state = a64_load_acquire(&task->state);

	if ((state & TASK_STATE_MASK) != TASK_BLOCKED || !claim(task, state, 0))
		return;
	if (!claim_settled(task))
		cells[i].found = 2; /* handed to that CPU */
	else
		cells[i].found =
			cells[i].contents == written ? ALL : OLD_CONTENTS;
}

TEST_WITHIN(by_leaving_a_cpu, 3600)
{
	static const struct litmus litmus = {
		.prepare = prepare_task,
		.left = leave,
		.right = claim_by_word,
		.outcome = outcome,
	};

	litmus_never(&litmus);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread that looks on: the end of the run, progress, deadlocks.
 *
 * A deadlock is found from outside, without a lock: every task that lives
 * waits for something without an end of its own, none has moved over several
 * looks, and at the last one the engine says of each that it sleeps.  Since
 * nobody sleeps for a time or runs, nothing can ever wake them.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "lab/exec.h"
#include "lab/interval.h"
#include "lab/tasks.h"
#include "lab/work.h"

#define LOOK_NS           UINT64_C(100000000)
#define LOOKS_TO_DEADLOCK 5

/* How long tasks may take to end before they are woken again. */
#define ROUSE_NS UINT64_C(20000000)

/* Set by a signal handler, or by another thread. */
static atomic_bool interrupted;

void lab_interrupt(void)
{
	interrupted = true;
}

void lab_tell(struct lab_run *run)
{
	if (run->ops->tell_event)
		run->ops->tell_event(run->engine);
	else
		sem_post(&run->event);
}

static void wait_for_event(struct lab_run *run, uint64_t until_ns)
{
	struct timespec until = {
		.tv_sec = (time_t)(until_ns / 1000000000u),
		.tv_nsec = (long)(until_ns % 1000000000u),
	};

	if (run->ops->await_event)
		run->ops->await_event(run->engine, until_ns);
	else
		sem_clockwait(&run->event, CLOCK_MONOTONIC, &until);
}

/* A sum over what the tasks wait for; 0: one of them waits for nothing. */
static uint64_t look(const struct lab_run *run)
{
	uint64_t sum = 1;

	for (size_t i = 0; i < run->task_count; i++) {
		const struct lab_task *task = lab_task_at(run, i);
		enum lab_op_kind kind;
		uint32_t object;
		uint64_t doing = task->doing;

		if (!task->alive)
			continue;
		if (!lab_task_waits(doing, &kind, &object))
			return 0;
		sum = (sum ^ doing) * UINT64_C(0x9e3779b97f4a7c15) | 1;
	}
	return sum;
}

static bool all_asleep(const struct lab_run *run)
{
	for (size_t i = 0; i < run->task_count; i++) {
		const struct lab_task *task = lab_task_at(run, i);

		if (task->alive &&
		    (!task->strand || !run->ops->asleep(task->strand)))
			return false;
	}
	return true;
}

/* Called once a look; true: nothing will ever happen again. */
static bool deadlocked(struct lab_run *run, uint64_t *seen, unsigned *looks)
{
	uint64_t now = look(run);

	*looks = now && now == *seen ? *looks + 1 : 0;
	*seen = now;
	return *looks >= LOOKS_TO_DEADLOCK && run->live > 0 &&
	       all_asleep(run) && look(run) == now;
}

void lab_end(struct lab_run *run)
{
	const struct lab_program *program = run->program;

	run->ending = true;
	for (size_t i = 0; i < run->task_count; i++)
		if (lab_task_at(run, i)->strand)
			run->ops->nudge(lab_task_at(run, i)->strand);
	/* Who was about to wait when all were woken is woken again. */
	while (run->live > 0) {
		for (size_t i = 0; i < program->object_count; i++)
			if (run->things[i].cond)
				run->ops->cond_wake(run->things[i].cond, true);
		wait_for_event(run, lab_now_ns() + ROUSE_NS);
	}
}

enum lab_outcome lab_watch(struct lab_run *run, char **ret_deadlock)
{
	enum lab_outcome outcome = LAB_ENDED;
	uint64_t seen = 0;
	uint64_t now_ns = lab_now_ns();
	uint64_t look_ns = now_ns + LOOK_NS;
	unsigned looks = 0;

	while (run->live > 0 && now_ns < run->end_ns) {
		uint64_t until_ns = lab_intervals_next(run);

		until_ns = until_ns < look_ns ? until_ns : look_ns;
		if (interrupted) {
			outcome = LAB_INTERRUPTED;
			break;
		}
		wait_for_event(run,
			       until_ns < run->end_ns ? until_ns : run->end_ns);
		now_ns = lab_now_ns();
		if (now_ns >= lab_intervals_next(run))
			lab_intervals_take(run, now_ns, false);
		if (now_ns < look_ns)
			continue;
		look_ns = now_ns + LOOK_NS;
		if (deadlocked(run, &seen, &looks)) {
			*ret_deadlock = lab_report_deadlock(run);
			outcome = LAB_DEADLOCKED;
			break;
		}
		if (run->options->progress)
			run->options->progress(now_ns - run->start_ns,
					       run->options->duration_us);
	}
	lab_end(run);
	run->last_ns = lab_now_ns();
	lab_intervals_take(run, run->last_ns, true);
	return outcome;
}

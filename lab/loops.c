/* SPDX-License-Identifier: Apache-2.0 */
/* The log of a task's loops; see loops.h. */
#include "lab/loops.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lab/exec.h"
#include "lab/tasks.h"
#include "lab/work.h"

static const char *const policy_names[] = {
	[LAB_POLICY_SAME] = "SCHED_OTHER",
	[LAB_POLICY_OTHER] = "SCHED_OTHER",
	[LAB_POLICY_BATCH] = "SCHED_BATCH",
	[LAB_POLICY_IDLE] = "SCHED_IDLE",
	[LAB_POLICY_FIFO] = "SCHED_FIFO",
	[LAB_POLICY_RR] = "SCHED_RR",
	[LAB_POLICY_DEADLINE] = "SCHED_DEADLINE",
};

/* A task's name may hold what a file's may not. */
static char *path_of(const struct lab_run *run, const struct lab_task *task)
{
	const char *base = run->program->log_basename;
	size_t from = strlen(run->options->log_dir) + 1;
	char *path;

	if (asprintf(&path, "%s/%s-%s.log", run->options->log_dir,
		     base ? base : "rt-app", task->name) < 0)
		return NULL;
	for (char *at = path + from; *at; at++)
		if (*at == '/')
			*at = '_';
	return path;
}

int lab_loop_open(struct lab_task *task)
{
	const struct lab_run *run = task->run;
	const struct lab_sched *sched = &task->spec->sched;
	char *path;

	if (!run->options->log_dir)
		return 0;
	path = path_of(run, task);
	if (!path)
		return -ENOMEM;
	errno = 0;
	task->log = fopen(path, "we");
	free(path);
	if (!task->log)
		return errno ? -errno : -ENOMEM;
	fprintf(task->log, "# Policy : %s priority : %d\n",
		policy_names[sched->policy], sched->priority);
	fprintf(task->log,
		"%4s %8s %8s %8s %15s %15s %15s %10s %10s %10s %10s\n", "#idx",
		"perf", "run", "period", "start", "end", "rel_st", "slack",
		"c_duration", "c_period", "wu_lat");
	return 0;
}

int lab_loops_open(struct lab_run *run)
{
	int rc = 0;

	for (size_t i = 0; i < run->task_count && !rc; i++)
		rc = lab_loop_open(&run->tasks[i]);
	return rc;
}

void lab_loop_begin(struct lab_task *task)
{
	task->loop = (struct lab_loop){.start_ns = lab_now_ns()};
}

static uint64_t us(uint64_t ns)
{
	return (ns + 500) / 1000;
}

void lab_loop_end(struct lab_task *task)
{
	const struct lab_loop *loop = &task->loop;
	const struct lab_run *run = task->run;
	uint64_t now_ns;

	if (!task->log)
		return;
	now_ns = lab_now_ns();
	fprintf(task->log,
		"%4zu %8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %15" PRIu64
		" %15" PRIu64 " %15" PRIu64 " %10" PRId64 " %10" PRIu64
		" %10" PRIu64 " %10" PRIu64 "\n",
		(size_t)task->index, loop->perf, us(loop->run_ns),
		us(now_ns - loop->start_ns), us(loop->start_ns), us(now_ns),
		us(loop->start_ns - run->start_ns), loop->slack_ns / 1000,
		loop->wanted_us, loop->periods_us, us(loop->latency_ns));
}

int lab_loops_close(struct lab_run *run)
{
	int rc = 0;

	for (size_t i = 0; i < run->task_count; i++) {
		struct lab_task *task = lab_task_at(run, i);

		if (!task->log)
			continue;
		if (ferror(task->log))
			rc = -EIO;
		errno = 0;
		if (fclose(task->log) && !rc)
			rc = errno ? -errno : -EIO;
		task->log = NULL;
	}
	return rc;
}

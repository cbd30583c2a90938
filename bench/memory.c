/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench memory: what a task that waits takes.
 *
 * So many tasks (-t, 100,000 by default) are created and each blocks once;
 * then the process is larger by their stacks and all that is kept for them:
 *
 *	bytes_per_task = (VmRSS + VmPTE after - before) / tasks
 *
 * The handles and the semaphore are there before.  The engine "threads" does
 * the same with kernel threads of default attributes; what the kernel keeps for
 * each (its stack of 16 KiB and more) is in neither of the two figures.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"

/* So many are created before they come to run. */
#define AT_ONCE 64

enum part {
	PART_ALL,
	PART_RESIDENT,
	PART_TABLES,
	PART_MAPS,
	PARTS
};

static const struct {
	const char *metric;
	const char *unit;
} parts[PARTS] = {
	[PART_ALL] = {"bytes_per_task", "B"},
	[PART_RESIDENT] = {"resident", "B"},
	[PART_TABLES] = {"page_tables", "B"},
	[PART_MAPS] = {"maps", "maps"},
};

/* The process at a moment. */
struct size {
	double resident;
	double tables;
	double maps;
};

struct memory_run {
	unsigned tasks;
	mete_task *task;
	struct mete_sem gate;
	struct mete_sem blocks; /* one for each that is about to block */
	double part[PARTS];
};

static int field(const char *line, const char *name, double *ret_bytes)
{
	size_t length = strlen(name);

	if (strncmp(line, name, length))
		return 0;
	*ret_bytes = 1024 * strtod(line + length, NULL);
	return 1;
}

static int size_of_process(struct size *ret)
{
	FILE *status = fopen("/proc/self/status", "r");
	FILE *maps = fopen("/proc/self/maps", "r");
	struct size size = {0};
	char line[512];
	int found = 0;

	while (status && fgets(line, sizeof(line), status)) {
		found += field(line, "VmRSS:", &size.resident);
		found += field(line, "VmPTE:", &size.tables);
	}
	while (maps && fgets(line, sizeof(line), maps))
		size.maps += strchr(line, '\n') != NULL;
	if (status)
		fclose(status);
	if (maps)
		fclose(maps);
	if (found != 2)
		return -ENOTSUP;
	*ret = size;
	return 0;
}

static void note_parts(struct memory_run *run, const struct size *before,
		       const struct size *after)
{
	double resident = after->resident - before->resident;
	double tables = after->tables - before->tables;

	run->part[PART_ALL] = (resident + tables) / run->tasks;
	run->part[PART_RESIDENT] = resident / run->tasks;
	run->part[PART_TABLES] = tables / run->tasks;
	run->part[PART_MAPS] = after->maps - before->maps;
}

static void *block_once(void *arg)
{
	struct memory_run *run = arg;

	mete_sem_post(&run->blocks, 1);
	mete_sem_wait(&run->gate, METE_FOREVER);
	return NULL;
}

/* All of them wait when it returns 0. */
static int make_tasks(struct memory_run *run, unsigned *created)
{
	while (*created < run->tasks) {
		int rc = mete_task_create(&run->task[*created], NULL,
					  block_once, run);

		if (rc)
			return rc;
		if (++*created % AT_ONCE == 0)
			mete_task_yield();
	}
	for (unsigned i = 0; i < run->tasks; i++)
		mete_sem_wait(&run->blocks, METE_FOREVER);
	return 0;
}

static int mete_first(void *arg)
{
	struct memory_run *run = arg;
	struct size before;
	struct size after;
	unsigned created = 0;
	int rc;

	mete_sem_init(&run->gate, 0);
	mete_sem_init(&run->blocks, 0);
	rc = size_of_process(&before);
	if (!rc)
		rc = make_tasks(run, &created);
	if (!rc)
		rc = size_of_process(&after);
	if (!rc)
		note_parts(run, &before, &after);
	mete_sem_post(&run->gate, created);
	for (unsigned i = 0; i < created; i++)
		mete_task_join(run->task[i], METE_FOREVER, NULL);
	return rc;
}

static int mete_run(const struct bench_options *options, struct memory_run *run)
{
	int rc;

	run->task = calloc(run->tasks, sizeof(*run->task));
	if (!run->task)
		return -ENOMEM;
	/* Its pages come before. */
	memset(run->task, 0xff, run->tasks * sizeof(*run->task));
	rc = bench_in_runtime(options, mete_first, run);
	free(run->task);
	return rc;
}

struct thread_gates {
	sem_t gate;
	sem_t blocks;
};

static void *thread_block_once(void *arg)
{
	struct thread_gates *gates = arg;

	sem_post(&gates->blocks);
	while (sem_wait(&gates->gate))
		;
	return NULL;
}

static int make_threads(struct memory_run *run, struct thread_gates *gates,
			pthread_t *thread, unsigned *created)
{
	while (*created < run->tasks) {
		int rc = pthread_create(&thread[*created], NULL,
					thread_block_once, gates);

		if (rc)
			return -rc;
		++*created;
	}
	for (unsigned i = 0; i < run->tasks; i++)
		while (sem_wait(&gates->blocks))
			;
	return 0;
}

static int threads_run(struct memory_run *run)
{
	pthread_t *thread = calloc(run->tasks, sizeof(*thread));
	struct thread_gates gates;
	struct size before;
	struct size after;
	unsigned created = 0;
	int rc;

	if (!thread)
		return -ENOMEM;
	memset(thread, 0xff, run->tasks * sizeof(*thread));
	sem_init(&gates.gate, 0, 0);
	sem_init(&gates.blocks, 0, 0);
	rc = size_of_process(&before);
	if (!rc)
		rc = make_threads(run, &gates, thread, &created);
	if (!rc)
		rc = size_of_process(&after);
	if (!rc)
		note_parts(run, &before, &after);
	for (unsigned i = 0; i < created; i++)
		sem_post(&gates.gate);
	for (unsigned i = 0; i < created; i++)
		pthread_join(thread[i], NULL);
	sem_destroy(&gates.gate);
	sem_destroy(&gates.blocks);
	free(thread);
	return rc;
}

static int measure(const struct bench_options *options,
		   struct bench_line *about)
{
	struct memory_run run = {.tasks = options->tasks};
	double(*values)[BENCH_RUNS_MAX] = calloc(PARTS, sizeof(*values));
	int rc = values ? 0 : -ENOMEM;

	if (!rc)
		bench_title(options, about);
	for (unsigned i = 0; i < options->runs && !rc; i++) {
		rc = options->engine == BENCH_THREADS ? threads_run(&run)
						      : mete_run(options, &run);
		for (int part = 0; part < PARTS && !rc; part++)
			values[part][i] = run.part[part];
	}
	for (int part = 0; part < PARTS && !rc; part++) {
		about->metric = parts[part].metric;
		about->unit = parts[part].unit;
		bench_report(options, about, values[part]);
	}
	free(values);
	return rc;
}

static int run(const struct bench_options *options)
{
	bool threads = options->engine == BENCH_THREADS;
	struct bench_line about = {
		.benchmark = "memory",
		.engine = threads ? "threads" : "mete",
		.cpus = threads ? -1 : (int)options->cpus,
		.tasks = (int)options->tasks,
		.depth = -1,
	};
	struct bench_options own = *options;
	int rc = 0;

	if (threads)
		return measure(options, &about);
	for (int i = METE_BOOKS_TASK; i <= METE_BOOKS_OFF && !rc; i++) {
		if (options->books_given && (int)options->books != i)
			continue;
		own.books = (enum mete_books)i;
		about.books = bench_books_name(own.books);
		rc = measure(&own, &about);
	}
	return rc;
}

const struct bench bench_memory = {
	.name = "memory",
	.summary = "bytes that a task takes while it waits",
	.tasks = 100000,
	.threads = true,
	.thread_tasks = 1000,
	.run = run,
};

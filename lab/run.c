/* SPDX-License-Identifier: Apache-2.0 */
/* Running a program: everything made, the gate opened, everything unmade. */
#include "lab/run.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "lab/exec.h"
#include "lab/exec_mem.h"
#include "lab/interval.h"
#include "lab/plan.h"
#include "lab/tasks.h"
#include "lab/work.h"

/* Tasks at work pass a safe point this often. */
#define SLICE_NS 4000

static int refuse(struct lab_error *error, const char *file, const char *what,
		  int rc)
{
	error->place = (struct lab_place){0, 0};
	snprintf(error->text, sizeof(error->text), "%s: %s: %s", file, what,
		 strerror(-rc));
	return rc;
}

static int things_create(struct lab_run *run)
{
	const struct lab_program *program = run->program;
	int rc = 0;

	run->things = calloc(program->object_count + 1, sizeof(*run->things));
	if (!run->things)
		return -ENOMEM;
	for (size_t i = 0; i < program->object_count; i++)
		pthread_mutex_init(&run->things[i].guard, NULL);
	for (size_t i = 0; i < program->object_count && !rc; i++) {
		struct lab_thing *thing = &run->things[i];

		if (program->objects[i].kind == LAB_MUTEX)
			rc = run->ops->lock_create(run->engine, &thing->lock);
		else if (program->objects[i].kind == LAB_COND)
			rc = run->ops->cond_create(run->engine, &thing->cond);
	}
	return rc;
}

static void things_free(struct lab_run *run)
{
	if (!run->things)
		return;
	for (size_t i = 0; i < run->program->object_count; i++) {
		struct lab_thing *thing = &run->things[i];

		if (thing->lock)
			run->ops->lock_free(thing->lock);
		if (thing->cond)
			run->ops->cond_free(thing->cond);
		free(thing->buffer);
		pthread_mutex_destroy(&thing->guard);
	}
	free(run->things);
}

static int spawn_all(struct lab_run *run, struct lab_error *error)
{
	for (size_t i = 0; i < run->task_count; i++) {
		struct lab_task *task = &run->tasks[i];
		int rc = lab_task_spawn(task);

		if (rc) {
			error->place = task->spec->place;
			snprintf(error->text, sizeof(error->text),
				 "%s:%u:%u: task \"%.100s\" can't be "
				 "started: %s",
				 run->program->file, task->spec->place.line,
				 task->spec->place.column, task->name,
				 strerror(-rc));
			return rc;
		}
	}
	return 0;
}

/* Behind the last spawn, so that the tasks' stacks are among the pages. */
static void lock_pages(struct lab_run *run)
{
	const struct lab_place nowhere = {1, 1};

	if (run->program->lock_pages && run->task_count > 0 &&
	    mlockall(MCL_CURRENT | MCL_ONFAULT) < 0)
		lab_complain(&run->tasks[0], LAB_PAGES_REFUSED, nowhere,
			     LAB_NONE, -errno);
}

static void open_gate(struct lab_run *run)
{
	int64_t duration_us = run->options->duration_us;

	run->start_ns = lab_now_ns();
	run->end_ns = duration_us < 0
			      ? METE_FOREVER
			      : run->start_ns + (uint64_t)duration_us * 1000;
	for (size_t i = 0; i < run->program->task_count; i++)
		run->ops->nudge(run->tasks[i].strand);
}

static int calibrate(struct lab_run *run)
{
	const struct lab_program *program = run->program;
	unsigned cpu = program->calibration_cpu;
	uint64_t slice_ns = SLICE_NS;
	int nth = lab_machine_cpu(run->machine, (unsigned)run->machine->count,
				  cpu);

	if (run->ops->time) {
		run->ns_per_loop = run->ops->time->ns_per_loop;
		slice_ns = run->ops->time->slice_ns;
	} else if (program->calibration == LAB_NS_PER_LOOP) {
		run->ns_per_loop = program->calibration_ns;
	} else {
		/* A CPU that is not ours is as good as the first that is. */
		unsigned one = nth < 0 ? 0 : (unsigned)nth;
		int rc = lab_machine_bind(run->machine, &one, 1);

		if (rc)
			return rc;
		run->ns_per_loop = lab_work_calibrate();
		rc = lab_machine_bind(run->machine, NULL, 0);
		if (rc)
			return rc;
	}
	run->loops_per_slice =
		(uint64_t)((double)slice_ns / run->ns_per_loop) + 1;
	return 0;
}

static size_t started(const struct lab_run *run)
{
	size_t count = 0;

	for (size_t i = 0; i < run->task_count; i++)
		count += lab_task_at(run, i)->strand != NULL;
	return count;
}

static int take_books(struct lab_run *run, struct lab_result *result)
{
	struct lab_strand **strands;
	struct lab_books *books;
	size_t count = started(run);
	int rc =
		lab_books_create(&books, run->groups, count, run->engine->cpus);

	if (rc)
		return rc;
	strands = calloc(count + 1, sizeof(struct lab_strand *));
	if (!strands) {
		lab_books_free(books);
		return -ENOMEM;
	}
	for (size_t i = 0, row = 0; i < run->task_count; i++) {
		struct lab_task *task = lab_task_at(run, i);

		if (!task->strand)
			continue;
		strands[row] = task->strand;
		/* The books take the name. */
		books->tasks[row].name = task->name;
		task->name = NULL;
		books->tasks[row].wakeup = lab_histogram_read(&task->wakeups);
		books->tasks[row].slack = lab_histogram_read(&task->slacks);
		row++;
	}
	books->engine = run->ops->name;
	books->wall_ns = run->last_ns - run->start_ns;
	rc = run->ops->books(run->engine, books, strands);
	free(strands);
	if (rc) {
		lab_books_free(books);
		return rc;
	}
	result->books = books;
	result->audit_closes = books->audit.residual_ns == 0 ||
			       books->audit.residual_ns == LAB_UNKNOWN_SIGNED;
	return 0;
}

static int engine_start(struct lab_run *run)
{
	struct lab_engine_options options = {
		.cpus = run->options->cpus,
		.books = run->options->books,
		.pi = run->program->pi_enabled,
		.seed = run->options->seed,
		.groups = run->groups,
		.machine = run->machine,
	};

	return run->ops->start(&run->engine, &options);
}

/* With everything there: from the first spawn to the books. */
static int run_tasks(struct lab_run *run, struct lab_result *result,
		     struct lab_error *error)
{
	int rc = lab_intervals_begin(run);
	int logged;

	if (!rc) {
		rc = lab_loops_open(run);
		if (rc)
			refuse(error, run->options->log_dir,
			       "logs can't be written", rc);
	}
	if (!rc)
		rc = spawn_all(run, error);
	if (rc) {
		lab_end(run);
	} else {
		lock_pages(run);
		open_gate(run);
		pthread_sigmask(SIG_SETMASK, &run->signals, NULL);
		result->outcome = lab_watch(run, &result->deadlock);
	}
	for (size_t i = 0; i < run->task_count; i++)
		if (lab_task_at(run, i)->strand)
			run->ops->wait(lab_task_at(run, i)->strand);
	logged = lab_loops_close(run);
	if (!rc && logged)
		rc = refuse(error, run->options->log_dir,
			    "logs can't be written", logged);
	if (!rc) {
		result->warnings = lab_report_warnings(run);
		rc = take_books(run, result);
	}
	for (size_t i = 0; i < run->task_count; i++)
		if (lab_task_at(run, i)->strand)
			run->ops->release(lab_task_at(run, i)->strand);
	return rc;
}

static int run_on_engine(struct lab_run *run, struct lab_result *result,
			 struct lab_error *error)
{
	int rc = engine_start(run);
	int stopped;

	if (rc == -ERANGE) {
		snprintf(error->text, sizeof(error->text),
			 "engine %s: %u CPUs wanted, expected at most %zu",
			 run->ops->name, run->options->cpus,
			 run->machine->count);
		return rc;
	}
	if (rc)
		return refuse(error, "engine", run->ops->name, rc);
	rc = things_create(run);
	if (!rc)
		rc = lab_plans_create(run, error);
	if (!rc)
		rc = lab_tasks_create(run);
	if (!rc)
		rc = run_tasks(run, result, error);
	stopped = run->ops->stop(run->engine);
	if (stopped == -EUCLEAN)
		result->audit_closes = false;
	return rc;
}

int lab_run(const struct lab_program *program,
	    const struct lab_run_options *options,
	    struct lab_result *ret_result, struct lab_error *error)
{
	struct lab_run run = {
		.program = program,
		.options = options,
		.ops = options->engine,
		.end_ns = METE_FOREVER,
		.device = -1,
	};
	struct lab_result result = {.audit_closes = true};
	sigset_t mine;
	int rc;

	error->text[0] = '\0';
	lab_time_use(run.ops->time);
	sem_init(&run.event, 0, 0);
	pthread_mutex_init(&run.fork_guard, NULL);
	/* Signals are for this thread, not for those that an engine starts. */
	sigemptyset(&mine);
	sigaddset(&mine, SIGINT);
	sigaddset(&mine, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &mine, &run.signals);
	if (run.ops->time)
		rc = lab_machine_create_plain(&run.machine, options->cpus);
	else
		rc = lab_machine_create(&run.machine);
	if (!rc)
		rc = lab_groups_collect(program, &run.groups, error);
	if (!rc)
		rc = lab_device_open(&run, error);
	if (!rc)
		rc = calibrate(&run);
	if (!rc)
		rc = run_on_engine(&run, &result, error);
	lab_intervals_free(&run);
	if (run.tasks)
		lab_tasks_free(&run);
	free(run.fork_counts);
	lab_device_close(&run);
	pthread_mutex_destroy(&run.fork_guard);
	lab_plans_free(&run);
	things_free(&run);
	lab_machine_free(run.machine);
	sem_destroy(&run.event);
	lab_time_use(NULL);
	pthread_sigmask(SIG_SETMASK, &run.signals, NULL);
	result.groups = run.groups;
	if (rc) {
		lab_result_free(&result);
		if (!error->text[0])
			refuse(error, program->file, "can't be run", rc);
		return rc;
	}
	*ret_result = result;
	return 0;
}

void lab_result_free(struct lab_result *result)
{
	lab_books_free(result->books);
	lab_groups_free(result->groups);
	free(result->warnings);
	free(result->deadlock);
}

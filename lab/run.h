/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running a program on an engine.
 *
 * The semantics are rt-app's: non-forked tasks start together; shared timers
 * count from the common start; `resume` is not remembered; at the end of the
 * duration each task lets go of its locks and ends, and whoever sleeps or
 * waits does so no longer.
 */
#ifndef LAB_RUN_H
#define LAB_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "lab/books.h"
#include "lab/engine.h"
#include "lab/program.h"

/* What groups have used within an interval of a run. */
struct lab_interval {
	uint64_t at_ns; /* its end, from the common start on */
	uint64_t long_ns;
	const struct lab_groups *groups;
	const struct lab_usage *used; /* of each group, with its subtree */
	bool first;
	bool last;
};

struct lab_run_options {
	const struct lab_engine_ops *engine;
	unsigned cpus; /* 0: the engine's default */
	uint64_t seed; /* of an engine that draws */
	enum mete_books books;
	int64_t duration_us; /* LAB_FOREVER: until all tasks have ended */
	bool allow_io;       /* to a device other than /dev/null */
	const char *log_dir; /* where the logs of loops go; NULL: none */
	/* Called now and then while the program runs; may be NULL. */
	void (*progress)(uint64_t elapsed_ns, int64_t duration_us);
	/* Called at the end of each interval; 0: never. */
	uint64_t interval_ns;
	void (*interval)(const struct lab_interval *interval, void *arg);
	void *interval_arg;
};

enum lab_outcome {
	LAB_ENDED,       /* at the duration, or with its last task */
	LAB_INTERRUPTED, /* by lab_interrupt() */
	LAB_DEADLOCKED,  /* all that lived waited for each other */
};

struct lab_result {
	enum lab_outcome outcome;
	bool audit_closes;
	struct lab_books *books;
	struct lab_groups *groups; /* of the books */
	/* What the user should know, lines of text; NULL: nothing. */
	char *warnings;
	char *deadlock; /* who waits for what; NULL unless deadlocked */
};

/*
 * Runs a program.  0 with *ret_result filled; or with it untouched a negative
 * errno and the whole message in *error.  One run at a time in a process.
 */
int lab_run(const struct lab_program *program,
	    const struct lab_run_options *options,
	    struct lab_result *ret_result, struct lab_error *error);
void lab_result_free(struct lab_result *result);

/* Ends the present run early, and those that follow it in this process; a
 * signal handler may call it. */
void lab_interrupt(void);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report of a failure: seed, step, what broke, where each thread stands.
 *
 * A thread that does not run stands at the call that it left by; binutils'
 * addr2line, where there is one, tells the functions inlined around it.
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "sim/step.h"
#include "sim/thread.h"

#define COMMAND_BYTES 512

/* file:line of the call and of what it is inlined into, on one line. */
static void show_place(FILE *out, const void *at)
{
	const char *by = (const char *)at - 1;
	char command[COMMAND_BYTES];
	char line[256];
	Dl_info info;
	FILE *lines;

	if (!at || !dladdr(by, &info) || !info.dli_fname)
		return;
	snprintf(command, sizeof(command),
		 "addr2line -f -i -s -e '%s' %#" PRIxPTR " 2>/dev/null",
		 info.dli_fname, (uintptr_t)by - (uintptr_t)info.dli_fbase);
	lines = popen(command, "r");
	for (int i = 0; lines && fgets(line, sizeof(line), lines); i++) {
		line[strcspn(line, "\n")] = '\0';
		fprintf(out, i & 1 ? " %s" : i ? " < %s" : " in %s", line);
	}
	if (lines)
		pclose(lines);
}

static void show_thread(FILE *out, const struct sim_thread *thread)
{
	const struct sim_machine *m = &sim_machine;
	uint64_t clock =
		thread == m->running ? sim_cursor.clock : thread->clock;

	fprintf(out, "  %2" PRIu32 " %-15s ", thread->number, thread->name);
	if (thread->ended)
		fprintf(out, "has ended");
	else if (thread == m->running)
		fprintf(out, "runs at %" PRIu64 " ns", clock >> SIM_UNIT_SHIFT);
	else if (!thread->word)
		fprintf(out, "goes on at %" PRIu64 " ns",
			clock >> SIM_UNIT_SHIFT);
	else if (thread->heap_index == SIM_NOWHERE)
		fprintf(out, "sleeps for ever");
	else
		fprintf(out, "sleeps until %" PRIu64 " ns",
			clock >> SIM_UNIT_SHIFT);
	if (!thread->ended)
		show_place(out, thread->at);
	fputc('\n', out);
}

static void report(FILE *out, const char *what)
{
	const struct sim_machine *m = &sim_machine;

	fprintf(out,
		"sim: seed %" PRIu64 ", step %" PRIu64 ", at %" PRIu64
		" ns, trace %016" PRIx64 ": %s\n",
		m->options.seed, sim_cursor.steps, sim_clock_ns(), m->trace,
		what);
	for (const struct sim_thread *t = m->threads; t; t = t->next)
		show_thread(out, t);
	if (m->options.locate)
		m->options.locate(out);
	fflush(out);
}

void sim_fail(const char *format, ...)
{
	char what[512];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	/* Whatever runs from here on is no step. */
	sim_cursor.horizon = UINT64_MAX;
	if (sim_machine.stands)
		report(stderr, what);
	else
		fprintf(stderr, "sim: %s\n", what);
	abort();
}

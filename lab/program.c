/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of a program, and the words for its parts.  A program is made by the
 * reader in lab/grammar/, which may stop anywhere: lab_program_free() takes any
 * half of one, as long as counts never run ahead of what is filled.
 */
#include "lab/program.h"

#include <stdlib.h>

static const char *const op_names[LAB_OP_KINDS] = {
	[LAB_RUN] = "run",           [LAB_RUNTIME] = "runtime",
	[LAB_SLEEP] = "sleep",       [LAB_TIMER] = "timer",
	[LAB_LOCK] = "lock",         [LAB_UNLOCK] = "unlock",
	[LAB_WAIT] = "wait",         [LAB_SIGNAL] = "signal",
	[LAB_BROAD] = "broad",       [LAB_SYNC] = "sync",
	[LAB_BARRIER] = "barrier",   [LAB_SUSPEND] = "suspend",
	[LAB_RESUME] = "resume",     [LAB_YIELD] = "yield",
	[LAB_SEM_POST] = "sem_post", [LAB_SEM_WAIT] = "sem_wait",
	[LAB_MEM] = "mem",           [LAB_MEMRUN] = "memrun",
	[LAB_IORUN] = "iorun",       [LAB_FORK] = "fork",
};

const char *lab_op_name(enum lab_op_kind kind)
{
	return kind < LAB_OP_KINDS ? op_names[kind] : "?";
}

static void phase_fini(struct lab_phase *phase)
{
	free(phase->name);
	free(phase->ops);
	free(phase->cpus.cpus);
	free(phase->taskgroup);
}

static void spec_fini(struct lab_task_spec *spec)
{
	for (size_t i = 0; i < spec->phase_count; i++)
		phase_fini(&spec->phases[i]);
	free(spec->phases);
	free(spec->name);
	free(spec->cpus.cpus);
	free(spec->taskgroup);
}

void lab_program_free(struct lab_program *program)
{
	if (!program)
		return;
	for (size_t i = 0; i < program->spec_count; i++)
		spec_fini(&program->specs[i]);
	free(program->specs);
	for (size_t i = 0; i < program->object_count; i++)
		free(program->objects[i].name);
	free(program->objects);
	for (size_t i = 0; i < program->warning_count; i++)
		free(program->warnings[i].text);
	free(program->warnings);
	free(program->memories);
	free(program->io_device);
	free(program->log_basename);
	free(program->file);
	free(program);
}

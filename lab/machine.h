/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CPUs that this process may use, by the numbers that files use.
 *
 * Engines count their CPUs from 0; a file names the operating system's.  The
 * n-th CPU that the process is allowed is the engine's CPU n.  Only where an
 * engine was asked for more CPUs than there are do the numbers stand for the
 * engine's own.
 */
#ifndef LAB_MACHINE_H
#define LAB_MACHINE_H

#include <stddef.h>

struct lab_machine {
	unsigned *numbers; /* allowed CPUs, ascending */
	size_t count;
};

/* CPUs of a machine that is not there, unless asked for otherwise. */
#define LAB_PLAIN_CPUS 8

/* 0 or a negative errno. */
int lab_machine_create(struct lab_machine **ret_machine);
/* A machine that is not there: CPUs 0 … cpus - 1; 0: LAB_PLAIN_CPUS. */
int lab_machine_create_plain(struct lab_machine **ret_machine, unsigned cpus);
void lab_machine_free(struct lab_machine *machine);

/* The engine's CPU for a file's CPU, with `cpus` in use; -1: not one of them. */
int lab_machine_cpu(const struct lab_machine *machine, unsigned cpus,
		    unsigned number);

/* Binds the calling thread to the machine's n-th … CPUs, count 0: to all. */
int lab_machine_bind(const struct lab_machine *machine, const unsigned *nth,
		     size_t count);

#endif

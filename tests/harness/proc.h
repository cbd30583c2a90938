/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernel tells in files of "NAME value" lines. */
#ifndef HARNESS_PROC_H
#define HARNESS_PROC_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/test.h"

/* The number after `name`, which begins a line; -1: there is none. */
static inline long proc_field(const char *path, const char *name)
{
	FILE *file = fopen(path, "r");
	char line[256];
	long value = -1;

	CHECK(file);
	while (fgets(line, sizeof(line), file))
		if (!strncmp(line, name, strlen(name)))
			value = strtol(line + strlen(name), NULL, 10);
	fclose(file);
	return value;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The engines there are. */
#include "lab/engine.h"

#include <string.h>

const struct lab_engine_ops *const lab_engines[] = {
	&lab_engine_mete,
	&lab_engine_threads,
	&lab_engine_sim,
	NULL,
};

const struct lab_engine_ops *lab_engine_find(const char *name)
{
	for (size_t i = 0; lab_engines[i]; i++)
		if (strcmp(lab_engines[i]->name, name) == 0)
			return lab_engines[i];
	return NULL;
}

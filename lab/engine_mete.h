/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the engine `mete` share. */
#ifndef LAB_ENGINE_METE_H
#define LAB_ENGINE_METE_H

#include <stdatomic.h>

#include <mete/mete.h>

#include "lab/engine.h"
#include "lab/engine_sim.h"

struct mete_engine {
	struct lab_engine base;
	const struct lab_groups *groups;
	mete_group *handles; /* of each group */
	enum mete_books books;
	atomic_bool moved; /* some task has changed groups */
};

struct lab_strand {
	struct mete_engine *engine;
	mete_task task;
	struct mete_sem permit;
	uint32_t group;
	void (*fn)(struct lab_strand *strand, void *arg);
	void *arg;
};

void engine_mete_glance(struct lab_engine *base, struct lab_usage *usage);
int engine_mete_books(struct lab_engine *base, struct lab_books *books,
		      struct lab_strand *const *strands);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine `sim`: the engine `mete` once more, on the many-CPU machine.
 *
 * engine_mete.c and engine_mete_books.c are compiled a second time with
 * LAB_ON_SIM, against the names that sim/ gives to Mete's functions there; what
 * differs is named here.  The thread that runs the program is the machine's
 * first: it waits for the end in virtual time, too.
 */
#ifndef LAB_ENGINE_SIM_H
#define LAB_ENGINE_SIM_H

#include "lab/engine.h"

#ifdef LAB_ON_SIM
# define lab_engine_mete     lab_engine_sim
# define engine_mete_books   engine_sim_books
# define engine_mete_glance  engine_sim_glance
# define ENGINE_METE_NAME    "sim"
# define ENGINE_METE_SUMMARY "Mete's tasks on simulated CPUs, by a seed"
# define ENGINE_METE_MORE                                    \
  .time = &engine_sim_time, .await_event = engine_sim_await, \
  .tell_event = engine_sim_tell,
#else
# define ENGINE_METE_NAME    "mete"
# define ENGINE_METE_SUMMARY "Mete's own tasks, with exact books"
# define ENGINE_METE_MORE
#endif

extern const struct lab_time engine_sim_time;

/* Around the runtime's start and stop. */
#ifdef LAB_ON_SIM
int engine_sim_begin(const struct lab_engine_options *options);
void engine_sim_end(void);
#else
static inline int engine_sim_begin(const struct lab_engine_options *options)
{
	(void)options;
	return 0;
}

static inline void engine_sim_end(void)
{
}
#endif

void engine_sim_await(struct lab_engine *engine, uint64_t deadline_ns);
void engine_sim_tell(struct lab_engine *engine);

#endif

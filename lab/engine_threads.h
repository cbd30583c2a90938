/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the engine `threads` share. */
#ifndef LAB_ENGINE_THREADS_H
#define LAB_ENGINE_THREADS_H

#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#include "lab/engine.h"
#include "lab/kernel.h"

struct threads_engine {
	struct lab_engine base;
	const struct lab_groups *groups;
	const struct lab_machine *machine;
	bool pi;
	uint64_t process_ns; /* the process's CPU clock at the start */
	pthread_mutex_t guard;
	struct lab_strand *strands; /* that live, under the guard */
	struct lab_usage *own;      /* of each group, under the guard */
};

struct lab_strand {
	struct threads_engine *engine;
	pthread_t thread;
	struct lab_spawn spawn;
	sem_t permit;
	int tid;
	uint32_t group;
	struct lab_usage usage; /* written by the thread, read at rest */
	struct lab_kernel_figures last; /* under the guard, but for itself */
	uint64_t last_ns;
	struct lab_strand *next, *before; /* that live, under the guard */
};

/* What has been added since, 0 where it went back; unknown as its parts. */
uint64_t threads_minus(uint64_t now, uint64_t before);

/* engine_threads_books.c */
int threads_books(struct lab_engine *base, struct lab_books *books,
		  struct lab_strand *const *strands);
void threads_glance(struct lab_engine *base, struct lab_usage *usage);

struct timespec threads_timespec(uint64_t ns);

int threads_lock_create(struct lab_engine *base, struct lab_lock **ret_lock);
void threads_lock_free(struct lab_lock *lock);
int threads_lock(struct lab_lock *lock, uint64_t deadline_ns);
int threads_unlock(struct lab_lock *lock);
int threads_cond_create(struct lab_engine *engine, struct lab_cond **ret_cond);
void threads_cond_free(struct lab_cond *cond);
int threads_cond_wait(struct lab_cond *cond, struct lab_lock *lock,
		      uint64_t deadline_ns);
void threads_cond_wake(struct lab_cond *cond, bool all);

#endif

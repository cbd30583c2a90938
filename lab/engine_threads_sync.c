/* SPDX-License-Identifier: Apache-2.0 */
/* Locks and conditions of the engine `threads`: the C library's. */
#include <errno.h>
#include <stdlib.h>

#include "lab/engine_threads.h"
#include "lab/work.h"

struct lab_lock {
	pthread_mutex_t mutex;
};

struct lab_cond {
	pthread_cond_t cond;
};

struct timespec threads_timespec(uint64_t ns)
{
	return (struct timespec){
		.tv_sec = (time_t)(ns / 1000000000u),
		.tv_nsec = (long)(ns % 1000000000u),
	};
}

int threads_lock_create(struct lab_engine *base, struct lab_lock **ret_lock)
{
	struct threads_engine *engine = (struct threads_engine *)base;
	struct lab_lock *lock = calloc(1, sizeof(*lock));
	pthread_mutexattr_t attr;

	if (!lock)
		return -ENOMEM;
	pthread_mutexattr_init(&attr);
	if (engine->pi)
		pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&lock->mutex, &attr);
	pthread_mutexattr_destroy(&attr);
	*ret_lock = lock;
	return 0;
}

void threads_lock_free(struct lab_lock *lock)
{
	free(lock);
}

/*
 * By the wall clock, because priority-inheriting mutexes know no other; who
 * waits long does so in slices, so that a step of it is soon over.
 */
int threads_lock(struct lab_lock *lock, uint64_t deadline_ns)
{
	uint64_t now_ns = lab_now_ns();
	struct timespec until;

	if (deadline_ns == 0)
		return pthread_mutex_trylock(&lock->mutex) ? -ETIMEDOUT : 0;
	clock_gettime(CLOCK_REALTIME, &until);
	until = threads_timespec(
		(uint64_t)until.tv_sec * 1000000000u + (uint64_t)until.tv_nsec +
		(deadline_ns > now_ns ? deadline_ns - now_ns : 0));
	return -pthread_mutex_timedlock(&lock->mutex, &until);
}

int threads_unlock(struct lab_lock *lock)
{
	return -pthread_mutex_unlock(&lock->mutex);
}

int threads_cond_create(struct lab_engine *engine, struct lab_cond **ret_cond)
{
	struct lab_cond *cond = calloc(1, sizeof(*cond));

	(void)engine;
	if (!cond)
		return -ENOMEM;
	pthread_cond_init(&cond->cond, NULL);
	*ret_cond = cond;
	return 0;
}

void threads_cond_free(struct lab_cond *cond)
{
	free(cond);
}

int threads_cond_wait(struct lab_cond *cond, struct lab_lock *lock,
		      uint64_t deadline_ns)
{
	struct timespec until = threads_timespec(deadline_ns);

	if (deadline_ns == METE_FOREVER)
		return -pthread_cond_wait(&cond->cond, &lock->mutex);
	return -pthread_cond_clockwait(&cond->cond, &lock->mutex,
				       CLOCK_MONOTONIC, &until);
}

void threads_cond_wake(struct lab_cond *cond, bool all)
{
	if (all)
		pthread_cond_broadcast(&cond->cond);
	else
		pthread_cond_signal(&cond->cond);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's threads, by POSIX threads of glibc. */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STACK_BYTES 65536

typedef pthread_t peer_task;
typedef sem_t peer_sem;
typedef pthread_mutex_t peer_mutex;

/* The kernel places it, as the schedulers of the others do. */
static void peer_spawn(peer_task *task, void *(*fn)(void *), void *arg)
{
	pthread_attr_t attr;
	int rc;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	rc = pthread_create(task, &attr, fn, arg);
	pthread_attr_destroy(&attr);
	if (rc) {
		fprintf(stderr, "pthread_create: %s\n", strerror(rc));
		exit(1);
	}
}

static void peer_join(peer_task *task)
{
	pthread_join(*task, NULL);
}

static inline void peer_yield(void)
{
	sched_yield();
}

static void peer_sem_init(peer_sem *sem)
{
	sem_init(sem, 0, 0);
}

static inline void peer_sem_wait(peer_sem *sem)
{
	while (sem_wait(sem))
		continue;
}

static inline void peer_sem_post(peer_sem *sem)
{
	sem_post(sem);
}

static void peer_mutex_init(peer_mutex *mutex)
{
	pthread_mutex_init(mutex, NULL);
}

static inline void peer_lock(peer_mutex *mutex)
{
	pthread_mutex_lock(mutex);
}

static inline void peer_unlock(peer_mutex *mutex)
{
	pthread_mutex_unlock(mutex);
}

static void *first(void *fn)
{
	(*(void (**)(void))fn)();
	return NULL;
}

static bool peer_run(int cpus, void (*fn)(void))
{
	cpu_set_t allowed;
	peer_task task;

	if (sched_getaffinity(0, sizeof(allowed), &allowed) ||
	    CPU_COUNT(&allowed) < cpus)
		return false;
	peer_spawn(&task, first, &fn);
	peer_join(&task);
	return true;
}

#include "bench/peers/work.h"

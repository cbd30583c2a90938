/* SPDX-License-Identifier: Apache-2.0 */
/* State Threads: one thread, switches where a task waits. */
#include <st.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

typedef st_thread_t peer_task;
typedef st_mutex_t peer_mutex;

typedef struct {
	unsigned units;
	st_cond_t cond;
} peer_sem;

static void peer_spawn(peer_task *task, void *(*fn)(void *), void *arg)
{
	*task = st_thread_create(fn, arg, 1, 0);
	if (!*task) {
		perror("st_thread_create");
		exit(1);
	}
}

static void peer_join(peer_task *task)
{
	st_thread_join(*task, NULL);
}

/* It has no yield; this is what its own programs do. */
static inline void peer_yield(void)
{
	st_usleep(0);
}

static void peer_sem_init(peer_sem *sem)
{
	sem->units = 0;
	sem->cond = st_cond_new();
}

static inline void peer_sem_wait(peer_sem *sem)
{
	while (sem->units == 0)
		st_cond_wait(sem->cond);
	sem->units--;
}

static inline void peer_sem_post(peer_sem *sem)
{
	sem->units++;
	st_cond_signal(sem->cond);
}

static void peer_mutex_init(peer_mutex *mutex)
{
	*mutex = st_mutex_new();
}

static inline void peer_lock(peer_mutex *mutex)
{
	st_mutex_lock(*mutex);
}

static inline void peer_unlock(peer_mutex *mutex)
{
	st_mutex_unlock(*mutex);
}

static bool peer_run(int cpus, void (*fn)(void))
{
	if (cpus > 1 || st_init())
		return false;
	fn();
	return true;
}

#include "bench/peers/work.h"

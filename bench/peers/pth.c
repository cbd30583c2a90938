/* SPDX-License-Identifier: Apache-2.0 */
/* GNU Pth: one thread, priorities, events. */
#include <pth.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define STACK_BYTES 65536

typedef pth_t peer_task;
typedef pth_mutex_t peer_mutex;

typedef struct {
	unsigned units;
	pth_mutex_t mutex;
	pth_cond_t cond;
} peer_sem;

static pth_attr_t attr;

static void peer_spawn(peer_task *task, void *(*fn)(void *), void *arg)
{
	*task = pth_spawn(attr, fn, arg);
	if (!*task) {
		perror("pth_spawn");
		exit(1);
	}
}

static void peer_join(peer_task *task)
{
	pth_join(*task, NULL);
}

static inline void peer_yield(void)
{
	pth_yield(NULL);
}

static void peer_sem_init(peer_sem *sem)
{
	sem->units = 0;
	pth_mutex_init(&sem->mutex);
	pth_cond_init(&sem->cond);
}

static inline void peer_sem_wait(peer_sem *sem)
{
	pth_mutex_acquire(&sem->mutex, FALSE, NULL);
	while (sem->units == 0)
		pth_cond_await(&sem->cond, &sem->mutex, NULL);
	sem->units--;
	pth_mutex_release(&sem->mutex);
}

static inline void peer_sem_post(peer_sem *sem)
{
	pth_mutex_acquire(&sem->mutex, FALSE, NULL);
	sem->units++;
	pth_cond_notify(&sem->cond, FALSE);
	pth_mutex_release(&sem->mutex);
}

static void peer_mutex_init(peer_mutex *mutex)
{
	pth_mutex_init(mutex);
}

static inline void peer_lock(peer_mutex *mutex)
{
	pth_mutex_acquire(mutex, FALSE, NULL);
}

static inline void peer_unlock(peer_mutex *mutex)
{
	pth_mutex_release(mutex);
}

static bool peer_run(int cpus, void (*fn)(void))
{
	if (cpus > 1 || !pth_init())
		return false;
	attr = pth_attr_new();
	pth_attr_set(attr, PTH_ATTR_STACK_SIZE, STACK_BYTES);
	fn();
	return true;
}

#include "bench/peers/work.h"

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the debugger's script is tried on: tasks in every state, and a place to
 * stop at when they are; with an argument it then aborts.
 */
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <mete/mete.h>

#define DEEP    __attribute__((noinline))
#define FOREVER METE_FOREVER

static struct mete_sem sem;
static struct mete_mutex mutex;
static volatile int spinning;
static volatile int over;

/* Calls that no compiler turns into jumps. */
static void after(void)
{
	__asm__ volatile("" ::: "memory");
}

DEEP static void wait_below(int depth)
{
	if (depth)
		wait_below(depth - 1);
	else
		mete_sem_wait(&sem, FOREVER);
	after();
}

DEEP static void *sem_waiter(void *arg)
{
	wait_below((int)(uintptr_t)arg);
	after();
	return arg;
}

DEEP static void *mutex_waiter(void *arg)
{
	mete_mutex_lock(&mutex, FOREVER);
	mete_mutex_unlock(&mutex);
	return arg;
}

DEEP static void *joiner(void *arg)
{
	mete_task task = {(uintptr_t)arg};

	mete_task_join(task, FOREVER, NULL);
	after();
	return arg;
}

DEEP static void *spinner(void *arg)
{
	spinning = 1;
	while (!over)
		after();
	return arg;
}

static void *yielder(void *arg)
{
	while (!over)
		mete_task_yield();
	return arg;
}

static void *ends(void *arg)
{
	return arg;
}

DEEP static void *never_begins(void *arg)
{
	after();
	return arg;
}

/* The debugger stops here. */
DEEP static void everything_stands(void)
{
	after();
}

static mete_task make(void *(*fn)(void *), void *arg, const char *name,
		      const unsigned *cpu)
{
	struct mete_task_attr attr = METE_TASK_ATTR_INIT;
	struct mete_cpuset set = {cpu, 1};
	mete_group group = METE_ROOT;
	mete_task task = {0};

	if (mete_group_find(&group, "/team/left"))
		_exit(2);
	attr.name = name;
	attr.group = group;
	attr.affinity = cpu ? &set : NULL;
	if (mete_task_create(&task, &attr, fn, arg))
		_exit(2);
	return task;
}

static void await(mete_task task, enum mete_task_state wanted)
{
	enum mete_task_state state;

	while (!mete_task_state(task, &state) && state != wanted)
		usleep(1000);
}

int main(int argc, char **argv)
{
	static const unsigned cpus[] = {0, 1};
	struct mete_options options = METE_OPTIONS_INIT;
	mete_task tasks[6];
	mete_group group;

	(void)argv;
	options.cpus = 2;
	options.max_tasks = 1000;
	mete_sem_init(&sem, 0);
	mete_mutex_init(&mutex);
	if (mete_start(&options) ||
	    mete_group_create(&group, METE_ROOT, "team", NULL) ||
	    mete_group_create(&group, group, "left", NULL))
		return 2;
	mete_mutex_lock(&mutex, FOREVER);
	tasks[0] = make(sem_waiter, (void *)3, "deep", NULL);
	tasks[1] = make(mutex_waiter, NULL, "locked", NULL);
	tasks[2] = make(joiner, (void *)(uintptr_t)tasks[0].id, "joins", NULL);
	tasks[3] = make(ends, NULL, "ended", NULL);
	for (int i = 0; i < 3; i++)
		await(tasks[i], METE_TASK_BLOCKED);
	await(tasks[3], METE_TASK_DEAD);
	tasks[4] = make(spinner, NULL, "spins", &cpus[1]);
	while (!spinning)
		usleep(1000);
	tasks[5] = make(never_begins, NULL, "never", &cpus[1]);
	make(yielder, NULL, "yields", &cpus[0]);
	usleep(10000);
	everything_stands();
	if (argc > 1)
		abort();
	over = 1;
	mete_mutex_unlock(&mutex);
	mete_sem_post(&sem, 1);
	for (int i = 1; i < 6; i++)
		mete_task_join(tasks[i], FOREVER, NULL);
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operating system's ways with a process, used while tasks run: fork,
 * signals, exit.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "unit/sched/running.h"

static atomic_int over;

static void *busy(void *arg)
{
	while (!over) {
		mete_task_yield();
		mete_task_sleep(10 * US);
	}
	return arg;
}

static int status_of(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		CHECK_EQ(errno, EINTR);
	return status;
}

/* The child has one thread, that of the task's carrier, on the task's stack:
 * plain code runs there, and it can leave. */
static void *fork_from_task(void *arg)
{
	for (int i = 0; i < 20; i++) {
		pid_t pid = fork();

		CHECK_GE(pid, 0);
		if (!pid) {
			char *text = malloc(1000);
			volatile double sum = 0;

			for (int n = 1; n < 1000; n++)
				sum = sum + 1.0 / n;
			snprintf(text, 1000, "%.3f", sum);
			_exit(!strcmp(text, "7.484") ? 7 : 8);
		}
		CHECK_EQ(status_of(pid), 7 << 8);
		mete_task_yield();
	}
	return arg;
}

TEST(fork_from_a_task)
{
	mete_task others[4];

	start_cpus(2);
	for (int i = 0; i < 4; i++)
		others[i] = spawn(busy, NULL);
	join(spawn(fork_from_task, NULL));
	fork_from_task(NULL);
	over = 1;
	for (int i = 0; i < 4; i++)
		join(others[i]);
	/* The parent's books close all the same. */
	stop();
}

static void *exec_from_task(void *arg)
{
	pid_t pid = fork();

	CHECK_GE(pid, 0);
	if (!pid) {
		execl("/bin/sh", "sh", "-c", "exit 9", (char *)NULL);
		_exit(1);
	}
	CHECK_EQ(status_of(pid), 9 << 8);
	return arg;
}

TEST(another_program_from_a_task)
{
	start_cpus(2);
	join(spawn(exec_from_task, NULL));
	stop();
}

static atomic_int caught;
static atomic_int caught_in_tasks;

static void catch (int number)
{
	volatile char frame[2000];
	int saved = errno;

	frame[0] = frame[1999] = (char)number;
	caught++;
	caught_in_tasks += mete_task_self().id != 0;
	errno = EBUSY;
	errno = saved;
}

/* Of the carrier of the moment: see mete/task.h. */
static __attribute__((noinline)) int *current_errno(void)
{
	__asm__ volatile("");
	return &errno;
}

static void *count_and_switch(void *arg)
{
	uint64_t sum = 0;

	*current_errno() = 77;
	while (!over) {
		for (unsigned i = 0; i < 1000; i++)
			sum += i;
		mete_task_yield();
		CHECK_EQ(*current_errno(), 77);
	}
	CHECK_EQ(sum % 499500, 0);
	return arg;
}

TEST(signals_on_tasks_stacks)
{
	struct sigaction action = {.sa_handler = catch};
	mete_task tasks[4];
	sigset_t usr1;
	uint64_t sent = test_rounds(5000);

	sigemptyset(&action.sa_mask);
	CHECK_EQ(sigaction(SIGUSR1, &action, NULL), 0);
	start_cpus(2);
	for (int i = 0; i < 4; i++)
		tasks[i] = spawn(i % 2 ? busy : count_and_switch, NULL);
	/* Not to us, so to the carriers. */
	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &usr1, NULL);
	for (uint64_t i = 0; i < sent; i++) {
		kill(getpid(), SIGUSR1);
		usleep(20);
	}
	over = 1;
	for (int i = 0; i < 4; i++)
		join(tasks[i]);
	NOTE("%d signals, %d on tasks' stacks", caught, caught_in_tasks);
	CHECK_GE(caught, (int)(sent / 100 + 1));
	CHECK_GE(caught_in_tasks, 1);
	stop();
}

/* A signal to the thread that a task runs on, by itself. */
static void *raise_some(void *arg)
{
	for (int i = 0; i < 1000; i++) {
		int before = caught_in_tasks;

		CHECK_EQ(raise(SIGUSR1), 0);
		CHECK_GT(caught_in_tasks, before);
		if (i % 10 == 0)
			mete_task_yield();
	}
	return arg;
}

TEST(a_task_raises_signals)
{
	struct sigaction action = {.sa_handler = catch};
	mete_task tasks[2];

	sigemptyset(&action.sa_mask);
	CHECK_EQ(sigaction(SIGUSR1, &action, NULL), 0);
	start_cpus(2);
	for (int i = 0; i < 2; i++)
		tasks[i] = spawn(raise_some, NULL);
	for (int i = 0; i < 2; i++)
		join(tasks[i]);
	stop();
}

static void say_goodbye(void)
{
	printf("goodbye\n");
}

static void *exit_now(void *arg)
{
	(void)arg;
	exit(5);
}

/* Leave with tasks of all kinds alive: how is told by `arg`. */
static void leave(void *arg)
{
	static struct mete_sem never = METE_SEM_INIT(0);

	atexit(say_goodbye);
	start_cpus(2);
	for (int i = 0; i < 20; i++)
		spawn(i % 2 ? busy : count_and_switch, NULL);
	usleep(2000);
	if (*(int *)arg)
		spawn(exit_now, NULL);
	else
		exit(5);
	mete_sem_wait(&never, METE_FOREVER);
}

TEST(exit_with_tasks_alive)
{
	struct test_outcome outcome;

	for (int i = 0; i < 10; i++) {
		int by_task = i % 2;

		test_in_child(leave, &by_task, &outcome);
		CHECK(WIFEXITED(outcome.status));
		CHECK_EQ(WEXITSTATUS(outcome.status), 5);
		CHECK_STR(outcome.output, "goodbye\n");
	}
}

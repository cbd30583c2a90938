/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A task that sleeps in a system call of its own is not robbed: it holds the
 * CPU, and nobody took it away.  Under a competitor only what the kernel calls
 * run delay is stolen.
 */
#include <stdio.h>

#include "unit/sched/running.h"

enum {
	FED = 20,
	PAUSE_US = 20000,
};

/* Writes a byte now and then. */
static pid_t feed(int fd)
{
	pid_t pid = fork();

	CHECK_GE(pid, 0);
	if (pid)
		return pid;
	for (int i = 0; i < FED; i++) {
		usleep(PAUSE_US);
		if (write(fd, "x", 1) != 1)
			_exit(1);
	}
	_exit(0);
}

static uint64_t run_delay_ns(void)
{
	unsigned long long delay = 0;
	FILE *file = fopen("/proc/thread-self/schedstat", "r");

	if (!file)
		return UINT64_MAX;
	CHECK_EQ(fscanf(file, "%*u %llu", &delay), 1);
	fclose(file);
	return delay;
}

static int pipe_fds[2];
static uint64_t delay_ns;
static uint64_t cpu_ns;

static void *read_slowly(void *arg)
{
	uint64_t begin = run_delay_ns();
	uint64_t cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	char byte;

	for (int i = 0; i < FED; i++) {
		ssize_t got;

		do
			got = read(pipe_fds[0], &byte, 1);
		while (got < 0 && errno == EINTR);
		CHECK_EQ(got, 1);
		if (*(int *)arg) /* something to be robbed of */
			for (uint64_t until =
				     clock_ns(CLOCK_THREAD_CPUTIME_ID) + 5 * MS;
			     clock_ns(CLOCK_THREAD_CPUTIME_ID) < until;)
				;
		mete_checkpoint();
	}
	cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu;
	delay_ns = begin == UINT64_MAX ? begin : run_delay_ns() - begin;
	return NULL;
}

static void read_under(int competitors)
{
	struct mete_usage usage;
	mete_task task;
	pid_t pids[4];
	pid_t feeder;

	CHECK_EQ(pipe(pipe_fds), 0);
	for (int i = 0; i < competitors; i++)
		pids[i] = compete();
	start_cpus(1);
	task = spawn(read_slowly, &competitors);
	feeder = feed(pipe_fds[1]);
	CHECK_EQ(mete_task_wait(task, soon()), 0);
	usage = usage_of(task);
	waitpid(feeder, NULL, 0);
	for (int i = 0; i < competitors; i++)
		end_competitor(pids[i]);
	NOTE("held %.2f exec %.2f stolen %.2f run delay %.2f cpu %.2f ms",
	     (double)usage.held_ns / MS, (double)usage.exec_ns / MS,
	     (double)usage.stolen_ns / MS, (double)delay_ns / MS,
	     (double)cpu_ns / MS);
	CHECK_EQ(usage.held_ns, usage.exec_ns + usage.stolen_ns);
	/* It slept for most of the time, and held the CPU. */
	/* The feeder may have begun before it. */
	CHECK_GE(usage.held_ns, (uint64_t)FED * PAUSE_US * US * 95 / 100);
	if (delay_ns == UINT64_MAX)
		SKIP("no schedstat here");
	/* Not before its first and after its last line: some slack. */
	CHECK_LE(usage.stolen_ns, delay_ns + delay_ns / 10 + 3 * MS);
	CHECK_GE(usage.stolen_ns + delay_ns / 10 + 3 * MS, delay_ns);
	join(task);
	stop();
}

TEST(a_reader_of_a_pipe_is_not_robbed)
{
	read_under(0);
}

TEST(a_reader_of_a_pipe_under_load)
{
	read_under(4);
}

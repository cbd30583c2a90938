/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's own figures of a thread; see kernel.h. */
#include "lab/kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "lab/books.h"

/* What sched_setattr() takes; the libc has no name for it. */
struct sched_attributes {
	uint32_t size;
	uint32_t policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime_ns;
	uint64_t deadline_ns;
	uint64_t period_ns;
};

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	if (clock_gettime(clock, &now))
		return LAB_UNKNOWN;
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t lab_kernel_process_ns(void)
{
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

/* Reads a small file of /proc whole; false when it can't. */
static bool slurp(const char *path, char *buffer, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		return false;
	got = read(fd, buffer, size - 1);
	close(fd);
	if (got <= 0)
		return false;
	buffer[got] = '\0';
	return true;
}

/* The figure behind `key` in the text of /proc/…/sched. */
static uint64_t figure(const char *text, const char *key)
{
	const char *found = strstr(text, key);

	if (!found)
		return LAB_UNKNOWN;
	found = strchr(found, ':');
	return found ? strtoull(found + 1, NULL, 10) : LAB_UNKNOWN;
}

void lab_kernel_self(struct lab_kernel_figures *ret_figures)
{
	char text[4096];
	struct rusage usage;
	char *second;

	ret_figures->cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	ret_figures->delay_ns = LAB_UNKNOWN;
	if (slurp("/proc/thread-self/schedstat", text, sizeof(text))) {
		second = strchr(text, ' ');
		if (second)
			ret_figures->delay_ns = strtoull(second, NULL, 10);
	}
	ret_figures->switches = LAB_UNKNOWN;
	if (getrusage(RUSAGE_THREAD, &usage) == 0)
		ret_figures->switches =
			(uint64_t)usage.ru_nvcsw + (uint64_t)usage.ru_nivcsw;
	ret_figures->wakeups = LAB_UNKNOWN;
	ret_figures->migrations = LAB_UNKNOWN;
	if (slurp("/proc/thread-self/sched", text, sizeof(text))) {
		ret_figures->wakeups = figure(text, "nr_wakeups ");
		ret_figures->migrations = figure(text, "nr_migrations ");
	}
}

/* The clock that the kernel gives a thread by its number. */
static clockid_t clock_of(int tid)
{
	return (clockid_t)(~(unsigned)tid << 3 | 6);
}

void lab_kernel_thread(int tid, struct lab_kernel_figures *ret_figures)
{
	char path[64];
	char text[4096];
	char *second;

	*ret_figures = (struct lab_kernel_figures){
		.cpu_ns = clock_ns(clock_of(tid)),
		.delay_ns = LAB_UNKNOWN,
		.switches = LAB_UNKNOWN,
		.wakeups = LAB_UNKNOWN,
		.migrations = LAB_UNKNOWN,
	};
	snprintf(path, sizeof(path), "/proc/self/task/%d/schedstat", tid);
	if (slurp(path, text, sizeof(text))) {
		second = strchr(text, ' ');
		if (second)
			ret_figures->delay_ns = strtoull(second, NULL, 10);
	}
	snprintf(path, sizeof(path), "/proc/self/task/%d/status", tid);
	if (slurp(path, text, sizeof(text)))
		ret_figures->switches =
			lab_plus(figure(text, "\nvoluntary_ctxt_switches"),
				 figure(text, "\nnonvoluntary_ctxt_switches"));
}

static int policy_number(enum lab_policy policy)
{
	switch (policy) {
	case LAB_POLICY_BATCH:
		return SCHED_BATCH;
	case LAB_POLICY_IDLE:
		return SCHED_IDLE;
	case LAB_POLICY_FIFO:
		return SCHED_FIFO;
	case LAB_POLICY_RR:
		return SCHED_RR;
	case LAB_POLICY_DEADLINE:
		return 6; /* SCHED_DEADLINE, which the libc does not name */
	default:
		return SCHED_OTHER;
	}
}

int lab_kernel_sched(const struct lab_sched *sched)
{
	struct sched_attributes now = {.size = sizeof(now)};
	struct sched_attributes wanted;
	int policy;

	if (syscall(SYS_sched_getattr, 0, &now, sizeof(now), 0) < 0)
		return -errno;
	policy = sched->policy == LAB_POLICY_SAME
			 ? (int)now.policy
			 : policy_number(sched->policy);
	wanted = (struct sched_attributes){
		.size = sizeof(wanted),
		.policy = (uint32_t)policy,
		.nice = now.nice,
	};
	if (policy == SCHED_FIFO || policy == SCHED_RR)
		wanted.priority = sched->policy == LAB_POLICY_SAME &&
						  !sched->priority_given
					  ? now.priority
					  : (uint32_t)sched->priority;
	else if (sched->priority_given)
		wanted.nice = sched->priority;
	wanted.runtime_ns = sched->dl_runtime_us * 1000;
	wanted.period_ns = sched->dl_period_us * 1000;
	wanted.deadline_ns = sched->dl_deadline_us * 1000;
	/* What is so already needs no leave. */
	if (wanted.policy == now.policy && wanted.nice == now.nice &&
	    wanted.priority == now.priority && policy != 6)
		return 0;
	if (syscall(SYS_sched_setattr, 0, &wanted, 0) < 0)
		return -errno;
	return 0;
}

int lab_kernel_asleep(int tid)
{
	char path[64];
	char text[512];
	const char *after;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	if (!slurp(path, text, sizeof(text)))
		return 1; /* can't be told: the interpreter's view decides */
	after = strrchr(text, ')');
	return after && after[1] == ' ' && (after[2] == 'S' || after[2] == 'D');
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What this kernel clears the pointer for, found out by trying, on a thread of
 * its own so that the caller's affinity stays as it is.
 *
 * A sleep is easy.  To be preempted the thread binds itself and a disturber,
 * which wakes up again and again, to one CPU, and computes.  The pointer seen
 * cleared is the proof.  The kernel's count of involuntary switches rising
 * several times under a pointer that stays is the disproof; several, since the
 * question for the count is a system call, and newer kernels don't clear the
 * pointer for a switch in one.  Where neither comes about in time (the
 * disturber was refused, say) the sleep decides.
 */
#include "os/steal_probe.h"

#include <sched.h>
#include <stddef.h>
#include <sys/resource.h>
#include <time.h>

#include "os/clock.h"
#include "os/steal.h"
#include "os/steal_area.h"
#include "os/thread.h"

#define PROBE_NS  60000000u /* the longest slices are some 10 ms */
#define SPIN_NS   200000u
#define NAP_NS    100000u
#define DISPROOFS 4

struct probe {
	int cpu;
	pthread_mutex_t lock; /* of stop */
	bool stop;
	enum os_steal_mode mode;
	bool calls_flagged;
};

static enum os_steal_mode probed_mode;
static bool probed_calls;

static void nap(void)
{
	struct timespec span = {0, NAP_NS};

	nanosleep(&span, NULL);
}

static void spin(uint64_t ns)
{
	uint64_t start = os_raw_ns();

	while (os_raw_ns() - start < ns)
		arch_relax();
}

static bool stopped(struct probe *probe)
{
	bool stop;

	pthread_mutex_lock(&probe->lock);
	stop = probe->stop;
	pthread_mutex_unlock(&probe->lock);
	return stop;
}

static void stop(struct probe *probe)
{
	pthread_mutex_lock(&probe->lock);
	probe->stop = true;
	pthread_mutex_unlock(&probe->lock);
}

static void disturb(void *arg)
{
	struct probe *probe = arg;

	if (os_thread_bind(probe->cpu))
		return;
	while (!stopped(probe)) {
		nap();
		spin(NAP_NS / 10);
	}
}

static long involuntary(void)
{
	struct rusage usage = {0};

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nivcsw;
}

/* 1 when a preemption cleared the pointer, 0 when several didn't, -1 when
 * there were none. */
static int try_preemption(volatile uintptr_t *slot, uintptr_t armed)
{
	uint64_t start = os_raw_ns();
	long before = involuntary();
	unsigned disproofs = 0;
	int result = -1;

	*slot = armed;
	while (result < 0 && os_raw_ns() - start < PROBE_NS) {
		long now;

		spin(SPIN_NS);
		now = involuntary();
		if (*slot != armed)
			result = 1;
		else if (now != before && ++disproofs == DISPROOFS)
			result = 0;
		before = now;
	}
	return result;
}

static void examine(void *arg)
{
	static const struct os_thread_attr quiet = {.name = "mete-probe",
						    .block_signals = true};
	struct probe *probe = arg;
	volatile uintptr_t *slot = os_steal_area_slot();
	uintptr_t armed = os_steal_area_descriptor();
	struct os_thread disturber;
	int preemption = -1;

	if (!slot || *slot)
		return;
	*slot = armed;
	nap();
	probe->calls_flagged = *slot != armed;
	probe->cpu = sched_getcpu();
	if (probe->cpu >= 0 && !os_thread_bind(probe->cpu) &&
	    !os_thread_create(&disturber, &quiet, disturb, probe)) {
		preemption = try_preemption(slot, armed);
		stop(probe);
		os_thread_join(&disturber);
	}
	*slot = 0;
	if (preemption < 0)
		preemption = probe->calls_flagged;
	probe->mode = preemption ? OS_STEAL_FLAG : OS_STEAL_ASK;
}

enum os_steal_mode os_steal_probe(void)
{
	static const struct os_thread_attr quiet = {.name = "mete-probe",
						    .block_signals = true};
	struct probe probe = {.lock = PTHREAD_MUTEX_INITIALIZER};
	struct os_thread thread;

	if (!os_thread_create(&thread, &quiet, examine, &probe))
		os_thread_join(&thread);
	probed_mode = probe.mode;
	probed_calls = probe.mode == OS_STEAL_FLAG && probe.calls_flagged;
	return probed_mode;
}

enum os_steal_mode os_steal_probed(void)
{
	return probed_mode;
}

bool os_steal_calls_flagged(void)
{
	return probed_calls;
}

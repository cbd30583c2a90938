/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two engines of a benchmark, and who watches the work.
 *
 * The watcher is the thread that started it all.  It sleeps in the kernel and
 * looks at the counters twice; a task that did so would have to be scheduled
 * among those that it measures.
 */
#include "bench/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

/* The work warms up for as long, and for a quarter of a run: thousands of
 * threads take some time to begin. */
#define WARM_UP_NS UINT64_C(10000000)

/* Nothing that happens in so long is a fault. */
#define PATIENCE_NS 10e9

/* As large as a task's, and as much as it takes. */
#define STACK_BYTES 65536

static int begin(const struct bench_options *options)
{
	struct mete_options start = METE_OPTIONS_INIT;
	int rc;

	bench_bind_first(options->cpus);
	if (options->engine == BENCH_THREADS)
		return 0;
	start.cpus = options->cpus;
	start.books = options->books;
	/* What a line says of its figure must be so. */
	start.flags = METE_IGNORE_ENV;
	rc = mete_start(&start);
	if (rc)
		bench_unbind();
	return rc;
}

static int end(const struct bench_options *options)
{
	int rc = options->engine == BENCH_METE ? mete_stop() : 0;

	bench_unbind();
	return rc;
}

static int thread_create(pthread_t *ret_thread, int cpu, void *(*fn)(void *arg),
			 void *arg)
{
	pthread_attr_t attr;
	cpu_set_t *set = NULL;
	int os_cpu = cpu < 0 ? 0 : bench_cpu((unsigned)cpu);
	size_t bytes = CPU_ALLOC_SIZE(os_cpu + 1);
	int rc;

	if (os_cpu < 0)
		return os_cpu;
	if (cpu >= 0) {
		set = CPU_ALLOC(os_cpu + 1);
		if (!set)
			return -ENOMEM;
		CPU_ZERO_S(bytes, set);
		CPU_SET_S(os_cpu, bytes, set);
	}
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	rc = set ? pthread_attr_setaffinity_np(&attr, bytes, set) : 0;
	if (!rc)
		rc = pthread_create(ret_thread, &attr, fn, arg);
	pthread_attr_destroy(&attr);
	CPU_FREE(set);
	return -rc;
}

BENCH_WORK void *member(void *arg, enum bench_engine engine)
{
	struct bench_member *member = arg;

	bench_sem_wait(engine, &member->crew->gate);
	return member->crew->off ? NULL : member->fn(member->arg);
}
BENCH_BOTH(member);

static int member_create(struct bench_crew *crew, struct bench_member *member)
{
	const struct bench_options *options = crew->options;
	struct mete_task_attr attr = METE_TASK_ATTR_INIT;
	unsigned cpu = (unsigned)member->cpu % options->cpus;
	struct mete_cpuset set = {.cpus = &cpu, .count = 1};
	/* To be bound to the only one means nothing. */
	bool bound = member->cpu != BENCH_ANY_CPU && options->cpus > 1;

	member->crew = crew;
	if (options->engine == BENCH_THREADS)
		return thread_create(&member->task.thread,
				     bound ? (int)cpu : BENCH_ANY_CPU,
				     member_of[BENCH_THREADS], member);
	if (bound)
		attr.affinity = &set;
	return mete_task_create(&member->task.mete, &attr,
				member_of[BENCH_METE], member);
}

static void member_join(const struct bench_options *options,
			struct bench_member *member)
{
	if (options->engine == BENCH_METE)
		mete_task_join(member->task.mete, METE_FOREVER, NULL);
	else
		pthread_join(member->task.thread, NULL);
}

int bench_crew(struct bench_crew *crew)
{
	const struct bench_options *options = crew->options;
	unsigned created = 0;
	int rc;
	int stopped;

	bench_sem_init(options, &crew->gate, 0);
	rc = begin(options);
	if (rc)
		return rc;
	while (created < crew->count && !rc) {
		rc = member_create(crew, &crew->members[created]);
		created += !rc;
	}
	crew->off = rc != 0;
	crew->set_out_ns = bench_now_ns();
	for (unsigned i = 0; i < created; i++)
		bench_sem_post(options->engine, &crew->gate);
	if (!rc && crew->watch)
		rc = crew->watch(crew);
	for (unsigned i = 0; i < created; i++)
		member_join(options, &crew->members[i]);
	crew->ended_ns = bench_now_ns();
	stopped = end(options);
	return rc ? rc : stopped;
}

void bench_sem_init(const struct bench_options *options, union bench_sem *sem,
		    unsigned count)
{
	if (options->engine == BENCH_METE)
		mete_sem_init(&sem->mete, count);
	else
		sem_init(&sem->kernel, 0, count);
}

void bench_mutex_init(const struct bench_options *options,
		      union bench_mutex *mutex)
{
	if (options->engine == BENCH_METE)
		mete_mutex_init(&mutex->mete);
	else
		pthread_mutex_init(&mutex->kernel, NULL);
}

void bench_sleep(uint64_t ns)
{
	struct timespec left = {
		.tv_sec = (time_t)(ns / 1000000000),
		.tv_nsec = (long)(ns % 1000000000),
	};

	while (nanosleep(&left, &left) && errno == EINTR)
		continue;
}

static uint64_t count_of(const struct bench_counts *counts, unsigned i)
{
	const char *base = (const char *)counts->first;
	const void *at = base + i * counts->stride;

	return atomic_load_explicit((const _Atomic uint64_t *)at,
				    memory_order_relaxed);
}

/* Adds `sign` times what the CPUs have counted. */
static void add_stats(const struct bench_options *options,
		      struct bench_gain *gain, double sign)
{
	struct mete_cpu_usage usage;

	for (unsigned i = 0; i < options->cpus; i++) {
		if (options->engine == BENCH_THREADS ||
		    mete_cpu_usage(i, 0, &usage, sizeof(usage))) {
			gain->woken = gain->notifications = -1;
			gain->sent = gain->handed = gain->suppressed = -1;
			return;
		}
		gain->woken += sign * (double)usage.wakeups;
		gain->notifications += sign * (double)usage.notifications;
		gain->sent += sign * (double)usage.sent;
		gain->handed += sign * (double)usage.handed;
		gain->suppressed += sign * (double)usage.suppressed;
	}
}

/* What the counters gained since `before`. */
static void add_gains(const struct bench_counts *counts, const uint64_t *before,
		      struct bench_gain *gain)
{
	gain->total = gain->most = 0;
	for (unsigned i = 0; i < counts->count; i++) {
		double more = (double)(count_of(counts, i) - before[i]);

		gain->total += more;
		if (i == 0 || more < gain->least)
			gain->least = more;
		if (more > gain->most)
			gain->most = more;
	}
}

int bench_watch(const struct bench_options *options,
		const struct bench_counts *counts, struct bench_gain *ret_gain)
{
	uint64_t *before = malloc(counts->count * sizeof(*before));
	struct bench_gain gain = {0};
	uint64_t start_ns;

	if (!before)
		return -ENOMEM;
	bench_sleep(WARM_UP_NS + options->run_ns / 4);
	add_stats(options, &gain, -1);
	start_ns = bench_now_ns();
	for (unsigned i = 0; i < counts->count; i++)
		before[i] = count_of(counts, i);
	/* A machine that is busy with others may let nothing happen for long. */
	do {
		bench_sleep(options->run_ns);
		add_gains(counts, before, &gain);
		gain.spent_ns = (double)(bench_now_ns() - start_ns);
	} while (gain.total <= 0 && gain.spent_ns < PATIENCE_NS);
	add_stats(options, &gain, 1);
	free(before);
	if (gain.total <= 0)
		return -ETIMEDOUT;
	*ret_gain = gain;
	return 0;
}

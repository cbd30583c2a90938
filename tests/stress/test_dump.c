/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dumps asked for in handlers, whatever those have interrupted, while everything
 * comes and goes; and while the runtime itself does.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sys/time.h>

#include "sched/sched.h"
#include "unit/stat/dumped.h"

/* One dump at a time goes where it is read and checked, the others into the
 * void. */
static int to_reader;
static int to_void;
static atomic_int busy;
static atomic_int dumps;
static atomic_int checked;
static atomic_int over;

static void dump_here(int signal)
{
	bool ours = !atomic_exchange(&busy, 1);
	int error;

	(void)signal;
	error = mete_dump(ours ? to_reader : to_void);
	if (error != -ENOSYS)
		CHECK_EQ(error, 0);
	if (ours)
		busy = 0;
	dumps++;
}

static void install(void)
{
	struct sigaction action = {.sa_handler = dump_here,
				   .sa_flags = SA_RESTART | SA_ONSTACK};

	CHECK_EQ(sigaction(SIGUSR1, &action, NULL), 0);
	CHECK_EQ(sigaction(SIGPROF, &action, NULL), 0);
	to_void = open("/dev/null", O_WRONLY);
	to_reader = to_void;
}

/* Reads dumps from a pipe, line by line. */
static void *check_all(void *arg)
{
	FILE *in = fdopen(*(int *)arg, "r");
	struct dumped count = {0};
	char *line = NULL;
	size_t room = 0;
	sigset_t all;
	ssize_t n;

	/* A handler here would wait for itself. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	while ((n = getline(&line, &room, in)) > 0) {
		CHECK_EQ(line[n - 1], '\n');
		CHECK_EQ(strlen(line), n);
		line[n - 1] = '\0';
		dumped_check_line(line, &count);
		if (!count.ended)
			continue;
		CHECK_EQ(count.cpus, 2);
		CHECK_GE(count.groups, 1);
		memset(&count, 0, sizeof(count));
		checked++;
	}
	free(line);
	fclose(in);
	return NULL;
}

static struct mete_sem sem;
static struct mete_mutex mutex;

static void *short_life(void *arg)
{
	unsigned i = (unsigned)(uintptr_t)arg;

	mete_mutex_lock(&mutex, METE_FOREVER);
	mete_task_yield();
	mete_mutex_unlock(&mutex);
	if (i % 3 == 0)
		mete_task_sleep(i % 7 * 10 * US);
	if (i % 4 == 0)
		mete_sem_wait(&sem, now_ns() + 20 * US);
	else
		mete_sem_post(&sem, 1);
	mete_task_move(mete_task_self(), METE_ROOT);
	return NULL;
}

/* Everything comes and goes. */
static void *churn(void *arg)
{
	unsigned round = 0;

	while (!over) {
		struct mete_task_attr attr = METE_TASK_ATTR_INIT;
		mete_task tasks[8];
		char name[24];
		mete_group group;
		mete_group leaf;

		snprintf(name, sizeof(name), "%u-%u", (unsigned)(uintptr_t)arg,
			 round++);
		group = group_below(METE_ROOT, name);
		leaf = group_below(group, "leaf");
		attr.name = name;
		for (unsigned i = 0; i < 8; i++) {
			attr.group = i % 2 ? leaf : group;
			CHECK_EQ(mete_task_create(&tasks[i], &attr, short_life,
						  (void *)(uintptr_t)(round +
								      i)),
				 0);
		}
		for (unsigned i = 0; i < 8; i++)
			join(tasks[i]);
		CHECK_EQ(mete_group_destroy(leaf), 0);
		CHECK_EQ(mete_group_destroy(group), 0);
	}
	return NULL;
}

/* Carriers in the middle of anything, and whatever thread a timer finds. */
static void hammer(uint64_t ns)
{
	const struct itimerval often = {{0, 300}, {0, 300}};
	uint64_t end = now_ns() + ns;
	uint64_t state = test_seed();

	CHECK_EQ(setitimer(ITIMER_PROF, &often, NULL), 0);
	while (now_ns() < end) {
		unsigned cpu = (unsigned)(test_random(&state) % sched.cpus);

		pthread_kill(cpu_carrier(sched.cpu[cpu])->thread.handle,
			     SIGUSR1);
		usleep((useconds_t)(test_random(&state) % 200));
	}
	CHECK_EQ(setitimer(ITIMER_PROF, &(struct itimerval){0}, NULL), 0);
}

TEST(in_handlers_under_load)
{
	pthread_t reader;
	mete_task tasks[4];
	int ends[2];

	mete_sem_init(&sem, 0);
	mete_mutex_init(&mutex);
	install();
	CHECK_EQ(pipe(ends), 0);
	to_reader = ends[1];
	start_cpus(2);
	CHECK_EQ(pthread_create(&reader, NULL, check_all, &ends[0]), 0);
	for (unsigned i = 0; i < 4; i++)
		tasks[i] = spawn(churn, (void *)(uintptr_t)i);
	hammer(test_rounds(3000) * MS);
	over = 1;
	for (int i = 0; i < 4; i++)
		join(tasks[i]);
	stop();
	while (busy)
		usleep(100);
	close(ends[1]);
	pthread_join(reader, NULL);
	CHECK_GT(checked, 0);
	NOTE("%d dumps, %d of them read", dumps, checked);
}

static void *nothing(void *arg)
{
	return arg;
}

static void *dump_on(void *arg)
{
	int error;

	while (!over) {
		error = mete_dump(to_void);
		if (error != -ENOSYS)
			CHECK_EQ(error, 0);
	}
	return arg;
}

/* Nobody reads what stop has freed (the address sanitizer's build sees). */
TEST(while_it_starts_and_stops)
{
	int rounds = (int)test_rounds(200);
	pthread_t threads[2];

	install();
	for (int i = 0; i < 2; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, dump_on, NULL), 0);
	for (int i = 0; i < rounds; i++) {
		mete_task task;

		start_cpus(1 + (unsigned)i % 2);
		task = spawn_in(group_below(METE_ROOT, "group"), nothing, NULL);
		raise(SIGUSR1);
		join(task);
		stop();
		raise(SIGUSR1);
	}
	over = 1;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	CHECK_GE(dumps, 2 * rounds);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nothing ever goes back: readers in foreign threads and in a signal handler
 * poll settled and live readings while tasks run, sleep, move and end and while
 * groups come and go.  What is held is at most CPUs x wall at every read.
 *
 * Each reader keeps the last value it saw of every subject by its handle; a
 * handle that has gone stale begins anew.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "conc/atomic.h"
#include "law/life.h"

#define TASKS   8
#define GROUPS  6
#define CPUS    2
#define READERS 2

static struct a64 task_table[TASKS];
static struct a64 group_table[GROUPS];
static struct a32 over;
static uint64_t begun_ns;

/* What one reader has seen of one subject, for one kind of reading. */
struct seen {
	uint64_t id;
	struct mete_usage usage;
	uint64_t reads;
};

struct reader {
	struct seen task[2][TASKS];
	struct seen group[3][GROUPS + 1];
	struct mete_cpu_usage cpu[2][CPUS];
	uint64_t refused; /* live readings that gave -EAGAIN */
	uint64_t state;
};

static void not_back(const struct mete_usage *now, const struct mete_usage *old)
{
	CHECK_GE(now->held_ns, old->held_ns);
	CHECK_GE(now->exec_ns, old->exec_ns);
	CHECK_GE(now->stolen_ns, old->stolen_ns);
	CHECK_GE(now->wait_ns, old->wait_ns);
	CHECK_GE(now->blocked_ns, old->blocked_ns);
	CHECK_GE(now->voluntary, old->voluntary);
	CHECK_GE(now->involuntary, old->involuntary);
	CHECK_GE(now->wakeups, old->wakeups);
	CHECK_GE(now->migrations, old->migrations);
	CHECK_GE(now->tasks, old->tasks);
}

/* `error` is what the reading gave. */
static void look(struct reader *reader, struct seen *seen, uint64_t id,
		 int error, const struct mete_usage *usage)
{
	if (error == -EAGAIN)
		reader->refused++;
	if (error) {
		CHECK(error == -ESRCH || error == -EAGAIN);
		return;
	}
	if (seen->id == id)
		not_back(usage, &seen->usage);
	seen->id = id;
	seen->usage = *usage;
	seen->reads++;
}

static void read_task(struct reader *reader, unsigned flags, unsigned i)
{
	uint64_t id = a64_load_acquire(&task_table[i]);
	struct mete_usage usage;
	int error =
		mete_task_usage((mete_task){id}, flags, &usage, sizeof(usage));

	look(reader, &reader->task[flags & METE_LIVE][i], id, error, &usage);
}

/* i == GROUPS: the root. */
static void read_group(struct reader *reader, unsigned flags, unsigned i)
{
	uint64_t id =
		i < GROUPS ? a64_load_acquire(&group_table[i]) : METE_ROOT.id;
	struct mete_usage usage;
	int error = mete_group_usage((mete_group){id}, flags, &usage,
				     sizeof(usage));

	look(reader, &reader->group[flags][i], id, error, &usage);
	if (!error && !(flags & METE_OWN))
		CHECK_LE(usage.held_ns,
			 CPUS * (os_monotonic_ns() - begun_ns) * 1001 / 1000);
}

static void read_cpu(struct reader *reader, unsigned flags, unsigned i)
{
	struct mete_cpu_usage *old = &reader->cpu[flags & METE_LIVE][i];
	struct mete_cpu_usage now;
	int error = mete_cpu_usage(i, flags, &now, sizeof(now));

	if (error) {
		CHECK_EQ(error, -EAGAIN);
		reader->refused++;
		return;
	}
	CHECK_GE(now.wall_ns, old->wall_ns);
	CHECK_GE(now.held_ns, old->held_ns);
	CHECK_GE(now.exec_ns, old->exec_ns);
	CHECK_GE(now.stolen_ns, old->stolen_ns);
	CHECK_GE(now.scheduler_ns, old->scheduler_ns);
	CHECK_GE(now.polling_ns, old->polling_ns);
	CHECK_GE(now.parked_ns, old->parked_ns);
	CHECK_GE(now.voluntary, old->voluntary);
	CHECK_LE(now.held_ns, (os_monotonic_ns() - begun_ns) * 1001 / 1000);
	*old = now;
}

static void read_some(struct reader *reader, bool live)
{
	uint64_t dice = test_random(&reader->state);
	unsigned flags = live && dice & 256 ? METE_LIVE : 0;

	dice >>= 16;
	switch (dice % 8) {
	case 0:
		read_cpu(reader, flags, (unsigned)(dice / 8 % CPUS));
		break;
	case 1:
		read_group(reader, METE_OWN, (unsigned)(dice / 8 % GROUPS));
		break;
	case 2:
	case 3:
	case 4:
		read_group(reader, flags, (unsigned)(dice / 8 % (GROUPS + 1)));
		break;
	default:
		read_task(reader, flags, (unsigned)(dice / 8 % TASKS));
	}
}

static struct reader readers[READERS];

static void *poll_books(void *arg)
{
	struct reader *reader = arg;

	while (!a32_load_acquire(&over))
		read_some(reader, true);
	return NULL;
}

/* A short life of everything that presses. */
static void *live_on(void *arg)
{
	uint64_t state = (uint64_t)(uintptr_t)arg;

	for (int i = 0; i < 30; i++) {
		uint64_t dice = test_random(&state);
		uint64_t end = os_monotonic_ns() + dice / 64 % 40 * US;

		if (dice % 8 == 0)
			mete_task_sleep(dice / 64 % 100 * US);
		else if (dice % 8 < 3)
			mete_task_yield();
		else if (dice % 8 == 3)
			mete_charge((mete_group){a64_load_acquire(
				&group_table[dice / 8 % GROUPS])});
		while (os_monotonic_ns() < end)
			mete_checkpoint();
	}
	return NULL;
}

static void replace_group(uint64_t dice)
{
	struct a64 *place = &group_table[dice % GROUPS];
	mete_group parent = {a64_load_acquire(&group_table[dice / 8 % GROUPS])};
	char name[] = "g0";
	mete_group group = {a64_load_acquire(place)};
	int error;

	name[1] = (char)('0' + dice % GROUPS);
	if (group.id && mete_group_destroy(group))
		return;
	error = mete_group_create(&group, dice & 1024 ? parent : METE_ROOT,
				  name, NULL);
	if (error)
		error = mete_group_create(&group, METE_ROOT, name, NULL);
	CHECK(!error || error == -EEXIST);
	a64_store_release(place, error ? 0 : group.id);
}

static void replace_task(uint64_t dice)
{
	struct a64 *place = &task_table[dice % TASKS];
	mete_task task = {a64_load_acquire(place)};
	struct mete_task_attr attr = METE_TASK_ATTR_INIT;

	if (task.id && mete_task_join(task, METE_FOREVER, NULL))
		FAIL("a task got lost");
	attr.group.id = a64_load_acquire(&group_table[dice / 8 % GROUPS]);
	if (mete_task_create(&task, &attr, live_on,
			     (void *)(uintptr_t)(dice | 1))) {
		attr.group.id = 0;
		CHECK_EQ(mete_task_create(&task, &attr, live_on,
					  (void *)(uintptr_t)(dice | 1)),
			 0);
	}
	a64_store_release(place, task.id);
}

static void begin(unsigned cpus)
{
	begun_ns = os_monotonic_ns();
	start(cpus, METE_BOOKS_TASK);
}

/* Keeps tasks and groups coming and going for so long. */
static void churn(uint64_t ns)
{
	uint64_t end = os_monotonic_ns() + ns;
	uint64_t state = test_seed();

	for (unsigned i = 0; i < GROUPS; i++)
		replace_group(i);
	while (os_monotonic_ns() < end) {
		uint64_t dice = test_random(&state) >> 8;

		replace_task(dice);
		if (dice & 1 << 20)
			replace_group(dice >> 32);
		if (dice & 1 << 21)
			mete_task_move(
				(mete_task){a64_load_acquire(
					&task_table[dice / 8 % TASKS])},
				(mete_group){a64_load_acquire(
					&group_table[dice / 64 % GROUPS])});
	}
	for (unsigned i = 0; i < TASKS; i++) {
		mete_task task = {a64_load_acquire(&task_table[i])};

		if (task.id)
			CHECK_EQ(mete_task_join(task, METE_FOREVER, NULL), 0);
	}
}

TEST(readers_see_nothing_go_back)
{
	pthread_t threads[READERS];
	uint64_t reads = 0;

	begin(CPUS);
	for (int i = 0; i < READERS; i++) {
		readers[i].state = test_seed() + (unsigned)i;
		CHECK_EQ(pthread_create(&threads[i], NULL, poll_books,
					&readers[i]),
			 0);
	}
	churn(600 * MS);
	a32_store_release(&over, 1);
	for (int i = 0; i < READERS; i++) {
		pthread_join(threads[i], NULL);
		for (int t = 0; t < TASKS; t++)
			reads += readers[i].task[METE_LIVE][t].reads;
		NOTE("%llu live readings refused",
		     (unsigned long long)readers[i].refused);
	}
	CHECK_GT(reads, 0);
	CHECK_EQ(mete_stop(), 0);
}

/* A signal to the process hits any thread that does not block it: carriers in
 * mid-press, too. */
static struct reader in_handler;
static struct a32 inside;
static struct a32 handled;

static void on_signal(int number)
{
	(void)number;
	/* One at a time: the reader's memory is not for two. */
	if (a32_exchange_acquire(&inside, 1))
		return;
	for (int i = 0; i < 4; i++)
		read_some(&in_handler, false);
	a32_add_relaxed(&handled, 1);
	a32_exchange_release(&inside, 0);
}

static void ring_every(timer_t *timer, long ns)
{
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL,
				 .sigev_signo = SIGALRM};
	struct itimerspec period = {{0, ns}, {0, ns}};
	struct sigaction action = {.sa_handler = on_signal,
				   .sa_flags = SA_RESTART};

	sigaction(SIGALRM, &action, NULL);
	CHECK_EQ(timer_create(CLOCK_MONOTONIC, &event, timer), 0);
	CHECK_EQ(timer_settime(*timer, 0, &period, NULL), 0);
}

static void *block_and_churn(void *unused)
{
	(void)unused;
	churn(400 * MS);
	return NULL;
}

TEST(handlers_see_nothing_go_back)
{
	sigset_t alarms;
	pthread_t thread;
	timer_t timer;

	begin(CPUS);
	in_handler.state = test_seed();
	/* Only carriers are left to take it. */
	sigemptyset(&alarms);
	sigaddset(&alarms, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &alarms, NULL);
	ring_every(&timer, 100 * 1000);
	CHECK_EQ(pthread_create(&thread, NULL, block_and_churn, NULL), 0);
	pthread_join(thread, NULL);
	timer_delete(timer);
	CHECK_GT(a32_load_relaxed(&handled), 20);
	CHECK_EQ(mete_stop(), 0);
}

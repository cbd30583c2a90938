/* SPDX-License-Identifier: Apache-2.0 */
/*
 * True CPU time: what is left after the stolen time is what the kernel's clock
 * of the thread says; sleepers are not robbed; other libraries' pointers stay.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/test.h"
#include "os/steal.h"
#include "os/steal_area.h"
#include "os/thread.h"

#define MS 1000000u

static struct os_timebase base;
static struct os_steal steal;

static uint64_t to_ns(uint64_t ticks)
{
	return os_ticks_to_ns(&base, ticks);
}

/* Bound to one CPU, calibrated, probed (asking: not) and anchored. */
static void begin(enum os_steal_mode wanted)
{
	CHECK_EQ(os_timebase_calibrate(&base), 0);
	CHECK_EQ(os_thread_bind(sched_getcpu()), 0);
	if (wanted == OS_STEAL_FLAG && !os_steal_area_slot())
		SKIP("no restartable sequences here");
	if (wanted == OS_STEAL_FLAG && os_steal_probe() != OS_STEAL_FLAG)
		SKIP("this kernel does not flag preemptions");
	os_steal_init(&steal, &base);
	CHECK_EQ(steal.mode, wanted);
}

/* A process that computes on our CPU until the test ends. */
static pid_t compete(void)
{
	pid_t parent = getpid();
	pid_t child = fork();

	CHECK_GE(child, 0);
	if (child)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (getppid() == parent)
		arch_relax();
	_exit(0);
}

static void end_competitor(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

/* What the accounts of one CPU would hold. */
struct books {
	uint64_t held;
	uint64_t stolen;
	uint64_t hits;
	uint64_t robbed_most; /* the largest stolen / held of an interval */
};

/* Presses every `interval` ticks or so until `until`; start is where the
 * interval that is open begins, and where the next does afterwards. */
static void press_until(struct books *books, uint64_t until, uint64_t interval,
			uint64_t *start)
{
	for (;;) {
		uint64_t now = os_ticks();
		uint64_t stolen = 0;

		if (now - *start < interval && now < until)
			continue;
		if (os_steal_disturbed(&steal)) {
			os_steal_rearm(&steal);
			now = os_ticks();
			stolen = os_steal_collect(&steal, now - *start, &now);
			books->hits++;
		}
		CHECK_LE(stolen, now - *start);
		books->held += now - *start;
		books->stolen += stolen;
		*start = now;
		if (now >= until)
			return;
	}
}

/* exec agrees with the thread's CPU clock to so many millionths of it. */
static void check_exec(const struct books *books, uint64_t cpu_ns, unsigned ppm)
{
	uint64_t exec = to_ns(books->held - books->stolen);
	uint64_t error = exec > cpu_ns ? exec - cpu_ns : cpu_ns - exec;

	NOTE("held %.3f ms stolen %.3f ms hits %llu: exec %.3f, kernel %.3f ms",
	     (double)to_ns(books->held) / MS, (double)to_ns(books->stolen) / MS,
	     (unsigned long long)books->hits, (double)exec / MS,
	     (double)cpu_ns / MS);
	CHECK_LE(error, cpu_ns / 1000000 * ppm + 50000);
}

TEST(true_cpu_time_under_a_competitor)
{
	struct books books = {0};
	uint64_t start;
	uint64_t cpu_ns;
	pid_t child;

	begin(OS_STEAL_FLAG);
	child = compete();
	os_steal_anchor(&steal, &start);
	cpu_ns = os_thread_cpu_ns();
	press_until(&books, start + base.ticks_per_second,
		    os_ns_to_ticks(&base, 20000), &start);
	cpu_ns = os_thread_cpu_ns() - cpu_ns;
	end_competitor(child);
	/* The competitor did take its share, or nothing was tested. */
	CHECK_GT(to_ns(books.stolen), 200 * MS);
	check_exec(&books, cpu_ns, 5000);
	os_steal_fini(&steal);
}

/* Intervals that change hands: each loses what was taken from it. */
TEST(stolen_from_whom)
{
	struct books books[2] = {{0}, {0}};
	uint64_t start;
	uint64_t end;
	pid_t child;

	begin(OS_STEAL_FLAG);
	child = compete();
	os_steal_anchor(&steal, &start);
	end = start + base.ticks_per_second;
	/* One has 99 % of the time, the other 1 %, in turn. */
	while (start < end) {
		uint64_t cpu_ns = os_thread_cpu_ns();

		while (os_thread_cpu_ns() - cpu_ns < 9900000)
			arch_relax();
		press_until(&books[0], start, 0, &start);
		while (os_thread_cpu_ns() - cpu_ns < 10000000)
			arch_relax();
		press_until(&books[1], start, 0, &start);
	}
	end_competitor(child);
	for (int i = 0; i < 2; i++)
		NOTE("exec %.3f stolen %.3f ms",
		     (double)to_ns(books[i].held - books[i].stolen) / MS,
		     (double)to_ns(books[i].stolen) / MS);
	/* By its work the second has 1 %; with thefts shared evenly, or not
	 * taken off at all, one of the two would be far from that. */
	uint64_t exec0 = to_ns(books[0].held - books[0].stolen);
	uint64_t exec1 = to_ns(books[1].held - books[1].stolen);

	CHECK_GT(to_ns(books[0].stolen + books[1].stolen), 200 * MS);
	CHECK_GE(exec1 * 99, exec0 * 9 / 10);
	CHECK_LE(exec1 * 99, exec0 * 13 / 10);
	os_steal_fini(&steal);
}

static volatile sig_atomic_t caught;

static void catch (int number)
{
	(void)number;
	caught++;
}

/* Ten thousand hits that took nothing to speak of: no bias adds up. */
TEST(many_hits_add_up_to_nothing)
{
	struct sigaction action = {.sa_handler = catch};
	struct books books = {0};
	uint64_t rounds = test_rounds(10000);
	uint64_t start;
	uint64_t cpu_ns;

	begin(OS_STEAL_FLAG);
	sigaction(SIGUSR1, &action, NULL);
	os_steal_anchor(&steal, &start);
	cpu_ns = os_thread_cpu_ns();
	for (uint64_t i = 0; i < rounds; i++) {
		raise(SIGUSR1);
		press_until(&books, start, 0, &start);
	}
	cpu_ns = os_thread_cpu_ns() - cpu_ns;
	CHECK_EQ((uint64_t)caught, rounds);
	CHECK_GE(books.hits, rounds);
	check_exec(&books, cpu_ns, 3000);
	os_steal_fini(&steal);
}

static uint64_t run_delay_ns(void)
{
	unsigned long long delay = 0;
	FILE *file = fopen("/proc/thread-self/schedstat", "r");

	CHECK(file);
	CHECK_EQ(fscanf(file, "%*u %llu", &delay), 1);
	fclose(file);
	return delay;
}

#define FED 20

/* Writes a byte now and then. */
static void feed(int fd)
{
	for (int i = 0; i < FED; i++) {
		usleep(20000);
		if (write(fd, "x", 1) != 1)
			_exit(1);
	}
	_exit(0);
}

/* Each interval holds a sleep, and with a competitor `work_ns` of computing,
 * in which it is robbed. */
static void sleepers_are_not_robbed(bool competitor, uint64_t work_ns)
{
	struct books books = {0};
	uint64_t start;
	uint64_t delay;
	int fds[2];
	char byte;
	pid_t child = 0;
	pid_t feeder;

	begin(OS_STEAL_FLAG);
	CHECK_EQ(pipe(fds), 0);
	if (competitor)
		child = compete();
	feeder = fork();
	if (!feeder)
		feed(fds[1]);
	os_steal_anchor(&steal, &start);
	delay = run_delay_ns();
	for (int i = 0; i < FED; i++) {
		uint64_t until = os_thread_cpu_ns() + work_ns;

		CHECK_EQ(read(fds[0], &byte, 1), 1);
		while (os_thread_cpu_ns() < until)
			arch_relax();
		press_until(&books, start, 0, &start);
	}
	delay = run_delay_ns() - delay;
	waitpid(feeder, NULL, 0);
	if (competitor)
		end_competitor(child);
	NOTE("held %.3f, stolen %.3f, run delay %.3f ms",
	     (double)to_ns(books.held) / MS, (double)to_ns(books.stolen) / MS,
	     (double)delay / MS);
	CHECK_GT(to_ns(books.held), 400 * MS);
	/* The competitor did rob, or half of it was not tested. */
	if (competitor)
		CHECK_GT(delay, 20 * MS);
	CHECK_LE(to_ns(books.stolen), delay + MS);
	CHECK_GE(to_ns(books.stolen) + delay / 10 + MS, delay);
	CHECK_LT(to_ns(books.stolen), to_ns(books.held));
	os_steal_fini(&steal);
}

TEST(a_reader_of_a_pipe_is_not_robbed)
{
	sleepers_are_not_robbed(false, 0);
}

TEST(a_reader_of_a_pipe_under_load_loses_its_delay_only)
{
	sleepers_are_not_robbed(true, 10 * MS);
}

TEST(without_schedstat_a_sleeper_loses_nothing)
{
	struct books books = {0};
	uint64_t start;

	begin(OS_STEAL_FLAG);
	close(steal.schedstat);
	steal.schedstat = -1;
	os_steal_anchor(&steal, &start);
	for (int i = 0; i < 10; i++) {
		usleep(5000);
		press_until(&books, start, 0, &start);
	}
	CHECK_GE(books.hits, 10);
	CHECK_EQ(books.stolen, 0);
	os_steal_fini(&steal);
}

TEST(an_anchor_forgets)
{
	uint64_t stamp;
	uint64_t later;

	begin(OS_STEAL_FLAG);
	usleep(20000);
	os_steal_anchor(&steal, &stamp);
	CHECK_LE(to_ns(os_steal_collect(&steal, UINT64_MAX / 4, &later)),
		 10 * MS);
	CHECK_GE(later, stamp);
	/* What is stolen is at most the interval and the call. */
	stamp = os_ticks();
	CHECK_LE(os_steal_collect(&steal, 5, &later), 5 + later - stamp);
	os_steal_fini(&steal);
}

/*
 * Another library's descriptor: valid, as the kernel kills for one that isn't.
 */
static struct {
	uint32_t landing[4];
	struct {
		uint32_t version;
		uint32_t flags;
		uint64_t start_ip;
		uint64_t post_commit_offset;
		uint64_t abort_ip;
	} cs __attribute__((aligned(32)));
} foreign;

static void fill_foreign(void)
{
	/* The signature of ours: before the abort address. */
	const uint64_t *ours = (const uint64_t *)os_steal_area_descriptor();

	foreign.landing[1] = *(const uint32_t *)(uintptr_t)(ours[3] - 4);
	foreign.cs.start_ip = (uintptr_t)&foreign.landing[0];
	foreign.cs.post_commit_offset = 1;
	foreign.cs.abort_ip = (uintptr_t)&foreign.landing[2];
}

TEST(a_foreign_pointer_is_never_overwritten)
{
	volatile uintptr_t *slot = os_steal_area_slot();
	uintptr_t theirs = (uintptr_t)&foreign.cs;
	uint64_t stamp;

	begin(OS_STEAL_FLAG);
	fill_foreign();
	/* The kernel may clear theirs, too, and then it is for us to arm. */
	for (int tries = 0; steal.mode == OS_STEAL_FLAG && tries < 100;
	     tries++) {
		*slot = theirs;
		CHECK(os_steal_disturbed(&steal));
		os_steal_rearm(&steal);
	}
	CHECK_EQ(steal.mode, OS_STEAL_ASK);
	CHECK(*slot == theirs || !*slot);
	*slot = theirs;
	os_steal_collect(&steal, 100, &stamp);
	os_steal_anchor(&steal, &stamp);
	os_steal_rearm(&steal);
	os_steal_ask(&steal);
	os_steal_fini(&steal);
	CHECK(*slot == theirs || !*slot);
	/* From the start. */
	for (int tries = 0; tries < 100; tries++) {
		*slot = theirs;
		os_steal_init(&steal, &base);
		if (*slot == theirs)
			break;
		os_steal_fini(&steal);
	}
	CHECK_EQ(steal.mode, OS_STEAL_ASK);
	CHECK(*slot == theirs || !*slot);
	os_steal_fini(&steal);
	*slot = 0;
}

TEST(asking_pays_out_what_was_stolen)
{
	struct books books = {0};
	uint64_t start;
	uint64_t end;
	uint64_t cpu_ns;
	pid_t child;

	begin(OS_STEAL_ASK);
	CHECK(!os_steal_disturbed(&steal));
	child = compete();
	os_steal_anchor(&steal, &start);
	cpu_ns = os_thread_cpu_ns();
	end = start + base.ticks_per_second;
	/* Short intervals, and a question each millisecond. */
	while (start < end) {
		press_until(&books, start + base.ticks_per_second / 1000, 1000,
			    &start);
		os_steal_ask(&steal);
		CHECK(os_steal_disturbed(&steal));
	}
	/* Waiting for it here would be a sleep of our own, which is held. */
	kill(child, SIGKILL);
	/* Until the last debt is paid, whoever else competes meanwhile. */
	do {
		os_steal_ask(&steal);
		press_until(&books, start + base.ticks_per_second / 1000, 1000,
			    &start);
	} while (to_ns((uint64_t)llabs(steal.carry)) > 20000);
	cpu_ns = os_thread_cpu_ns() - cpu_ns;
	end_competitor(child);
	CHECK_GT(to_ns(books.stolen), 200 * MS);
	check_exec(&books, cpu_ns, 5000);
	os_steal_fini(&steal);
}

TEST(fini_disarms)
{
	volatile uintptr_t *slot = os_steal_area_slot();
	int lowest = dup(0);

	close(lowest);
	begin(OS_STEAL_FLAG);
	os_steal_fini(&steal);
	CHECK_EQ(*slot, 0);
	CHECK_EQ(dup(0), lowest);
	os_steal_fini(&steal);
}

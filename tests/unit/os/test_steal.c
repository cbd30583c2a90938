/* SPDX-License-Identifier: Apache-2.0 */
/*
 * True CPU time where the kernel flags: what is left after the stolen time is
 * what its clock of the thread says, and sleepers are not robbed.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

#include "harness/refuse.h"
#include "unit/os/pressing.h"

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
	/* The feeder may have begun a little earlier. */
	CHECK_GT(to_ns(books.held), 350 * MS);
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

static void sleep_without_schedstat(void)
{
	struct books books = {0};
	uint64_t start;

	os_steal_anchor(&steal, &start);
	for (int i = 0; i < 10; i++) {
		usleep(5000);
		press_until(&books, start, 0, &start);
	}
	CHECK_GE(books.hits, 10);
	CHECK_EQ(books.stolen, 0);
	os_steal_fini(&steal);
}

TEST(without_schedstat_a_sleeper_loses_nothing)
{
	begin(OS_STEAL_FLAG);
	close(steal.schedstat);
	steal.schedstat = -1;
	sleep_without_schedstat();
}

TEST(with_an_unreadable_schedstat_a_sleeper_loses_nothing)
{
	begin(OS_STEAL_FLAG);
	test_refuse(SYS_pread64, EIO);
	sleep_without_schedstat();
}

/* Then what was off the CPU is what was stolen, as far as one can tell. */
TEST(with_an_unreadable_schedstat_a_competitor_is_noticed)
{
	struct books books = {0};
	uint64_t start;
	uint64_t cpu_ns;
	pid_t child;

	begin(OS_STEAL_FLAG);
	test_refuse(SYS_pread64, EIO);
	child = compete();
	os_steal_anchor(&steal, &start);
	cpu_ns = os_thread_cpu_ns();
	press_until(&books, start + base.ticks_per_second / 4,
		    os_ns_to_ticks(&base, 20000), &start);
	cpu_ns = os_thread_cpu_ns() - cpu_ns;
	end_competitor(child);
	CHECK_GT(to_ns(books.stolen), 40 * MS);
	check_exec(&books, cpu_ns, 5000);
	os_steal_fini(&steal);
}

static struct os_thread sleeper;
static struct os_steal its;
static atomic_int phase;

/* Sleeps, then is robbed by a competitor on its CPU. */
static void sleep_and_compute(void *unused)
{
	uint64_t stamp;
	uint64_t end;

	(void)unused;
	os_steal_init(&its, &base);
	os_steal_anchor(&its, &stamp);
	phase = 1;
	usleep(50000);
	end = os_thread_cpu_ns() + 20 * MS;
	while (os_thread_cpu_ns() < end)
		arch_relax();
	phase = 2;
	while (phase == 2)
		usleep(1000);
	os_steal_anchor(&its, &stamp);
	phase = 4;
	while (phase == 4)
		usleep(1000);
	os_steal_fini(&its);
}

TEST(another_thread_collects_for_one_that_is_away)
{
	struct os_steal moved;
	uint64_t stamp;
	uint64_t slept;
	uint64_t stolen;
	uint64_t start;
	uint64_t wall;
	pid_t child;

	begin(OS_STEAL_FLAG);
	child = compete();
	CHECK_EQ(os_thread_create(&sleeper, NULL, sleep_and_compute, NULL), 0);
	while (phase < 1)
		usleep(100);
	start = os_ticks();
	while (phase < 2)
		usleep(1000);
	end_competitor(child);
	wall = to_ns(os_ticks() - start);
	os_steal_move(&moved, &its);
	stolen = os_steal_collect_from(&moved, &sleeper, UINT64_MAX / 4, &stamp,
				       &slept);
	NOTE("wall %.3f, slept %.3f, stolen %.3f ms", (double)wall / MS,
	     (double)to_ns(slept) / MS, (double)to_ns(stolen) / MS);
	CHECK_GE(to_ns(slept), 49 * MS);
	CHECK_LT(to_ns(slept) + to_ns(stolen), wall);
	CHECK_GT(to_ns(stolen), 2 * MS);
	CHECK_EQ(os_steal_collect_from(&moved, &sleeper, 5, &stamp, &slept), 0);
	moved = its;
	CHECK_EQ(os_steal_collect_from(&moved, &sleeper, 5, &stamp, &slept), 5);
	/* It comes back to an anchor, from which on nothing was. */
	phase = 3;
	while (phase < 4)
		usleep(100);
	os_steal_move(&moved, &its);
	stolen = os_steal_collect_from(&moved, &sleeper, UINT64_MAX / 4, &stamp,
				       &slept);
	CHECK_LT(to_ns(stolen), 20 * MS);
	phase = 5;
	os_thread_join(&sleeper);
	CHECK_EQ(os_steal_collect_from(&moved, &sleeper, 5, &stamp, &slept), 0);
	os_steal_fini(&steal);
}

TEST(what_asks_can_move)
{
	struct os_steal moved;
	uint64_t stamp;

	begin(OS_STEAL_ASK);
	os_steal_move(&moved, &steal);
	memset(&steal, 0, sizeof(steal));
	os_steal_anchor(&moved, &stamp);
	CHECK(!os_steal_disturbed(&moved));
	os_steal_ask(&moved);
	CHECK(os_steal_disturbed(&moved));
	os_steal_rearm(&moved);
	CHECK(!os_steal_disturbed(&moved));
	os_steal_fini(&moved);
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

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waiting for descriptors: thousands at once, many for one, deadlines that race
 * with readiness, cancelling.  No byte is waited for in vain, none comes twice.
 */
#include <stdlib.h>
#include <sys/resource.h>

#include "unit/io/descriptors.h"

/* Read one byte, waiting for it: 1; 0 at the end; -ECANCELED. */
static int read_byte(int fd)
{
	char byte;

	while (true) {
		ssize_t n = read(fd, &byte, 1);
		int error;

		if (n >= 0)
			return (int)n;
		CHECK_EQ(errno, EAGAIN);
		error = mete_fd_wait(fd, METE_READ, METE_FOREVER);
		if (error == -ECANCELED)
			return error;
		CHECK_EQ(error, 0);
	}
}

static void write_byte(int fd)
{
	while (write(fd, "x", 1) != 1) {
		CHECK_EQ(errno, EAGAIN);
		CHECK_EQ(mete_fd_wait(fd, METE_WRITE, METE_FOREVER), 0);
	}
}

struct line {
	int fds[2];
	mete_task task;
	uint64_t count;
};

static void *echo(void *arg)
{
	struct line *line = arg;

	while (read_byte(line->fds[0]) == 1) {
		line->count++;
		write_byte(line->fds[0]);
	}
	return NULL;
}

static size_t lines_to_be_had(size_t wanted)
{
	struct rlimit limit;

	CHECK_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = limit.rlim_max;
	CHECK_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
	if (wanted * 2 + 100 > limit.rlim_max)
		wanted = (limit.rlim_max - 100) / 2;
	return wanted;
}

struct client {
	struct line *lines;
	size_t count;
	uint64_t rounds;
	uint64_t state;
};

/* Each line belongs to one client. */
static void *call_some(void *arg)
{
	struct client *client = arg;

	for (uint64_t i = 0; i < client->rounds; i++) {
		struct line *line = &client->lines[test_random(&client->state) %
						   client->count];

		write_byte(line->fds[1]);
		CHECK_EQ(read_byte(line->fds[1]), 1);
	}
	return NULL;
}

static void run_echo(unsigned cpus, size_t count, uint64_t rounds)
{
	enum {
		CLIENTS = 8
	};
	struct client clients[CLIENTS];
	mete_task tasks[CLIENTS];
	struct line *lines = calloc(count, sizeof(*lines));
	uint64_t echoed = 0;

	CHECK(lines);
	start_cpus(cpus);
	for (size_t i = 0; i < count; i++) {
		connect_pair(lines[i].fds);
		lines[i].task = spawn(echo, &lines[i]);
	}
	for (size_t i = 0; i < CLIENTS; i++) {
		clients[i] = (struct client){
			.lines = lines + count / CLIENTS * i,
			.count = count / CLIENTS,
			.rounds = rounds,
			.state = test_seed() + i,
		};
		tasks[i] = spawn(call_some, &clients[i]);
	}
	for (size_t i = 0; i < CLIENTS; i++)
		join(tasks[i]);
	for (size_t i = 0; i < count; i++) {
		close(lines[i].fds[1]);
		join(lines[i].task);
		close(lines[i].fds[0]);
		echoed += lines[i].count;
	}
	CHECK_EQ(echoed, CLIENTS * rounds);
	stop();
	free(lines);
}

TEST_WITHIN(thousands_of_descriptors, 60)
{
	run_echo(2, lines_to_be_had(4000), test_rounds(2000));
}

TEST_WITHIN(more_cpus_than_the_machine_has, 60)
{
	run_echo(6, 64, test_rounds(1000));
}

TEST(one_cpu)
{
	run_echo(1, 16, test_rounds(2000));
}

static int shared[2];
static atomic_ulong arrived;

static void *compete_for_bytes(void *arg)
{
	while (read_byte(shared[0]) == 1)
		arrived++;
	return arg;
}

TEST(many_readers_of_one_descriptor)
{
	uint64_t rounds = test_rounds(5000);
	mete_task tasks[10];

	start_cpus(3);
	connect_pair(shared);
	for (int i = 0; i < 10; i++)
		tasks[i] = spawn(compete_for_bytes, NULL);
	for (uint64_t i = 0; i < rounds; i++) {
		write_byte(shared[1]);
		if (i % 64 == 0)
			usleep(500);
	}
	close(shared[1]);
	for (int i = 0; i < 10; i++)
		join(tasks[i]);
	CHECK_EQ(arrived, rounds);
	stop();
}

struct racer {
	int fd;
	uint64_t bytes;
	uint64_t late;
	uint64_t state;
};

/* Takes `bytes` bytes, with deadlines that are about as far as the next. */
static void *race_with_deadlines(void *arg)
{
	struct racer *racer = arg;
	char byte;

	for (uint64_t taken = 0; taken < racer->bytes;) {
		uint64_t deadline =
			now_ns() + test_random(&racer->state) % 100000;
		int error = mete_fd_wait(racer->fd, METE_READ, deadline);

		if (error) {
			CHECK_EQ(error, -ETIMEDOUT);
			CHECK_GE(now_ns(), deadline);
			racer->late++;
		}
		taken += read(racer->fd, &byte, 1) == 1;
	}
	return NULL;
}

static void *write_at_odd_times(void *arg)
{
	struct racer *racer = arg;

	for (uint64_t i = 0; i < racer->bytes; i++) {
		mete_task_sleep(test_random(&racer->state) % 100000);
		write_byte(racer->fd);
	}
	return NULL;
}

TEST_WITHIN(deadlines_race_with_readiness, 40)
{
	enum {
		PAIRS = 6
	};
	uint64_t bytes = test_rounds(4000);
	struct racer racers[PAIRS][2];
	mete_task tasks[PAIRS][2];
	uint64_t late = 0;

	start_cpus(2);
	for (unsigned i = 0; i < PAIRS; i++) {
		int fds[2];

		connect_pair(fds);
		for (unsigned k = 0; k < 2; k++)
			racers[i][k] = (struct racer){fds[k], bytes, 0,
						      test_seed() + i * 2 + k};
		tasks[i][0] = spawn(race_with_deadlines, &racers[i][0]);
		tasks[i][1] = spawn(write_at_odd_times, &racers[i][1]);
	}
	for (unsigned i = 0; i < PAIRS; i++) {
		join(tasks[i][0]);
		join(tasks[i][1]);
		late += racers[i][0].late;
	}
	NOTE("%llu of %llu waits were late", (unsigned long long)late,
	     (unsigned long long)(late + bytes * PAIRS));
	CHECK_GT(late, 0);
	stop();
}

static atomic_ulong cancelled;

static void *wait_to_be_cancelled(void *arg)
{
	int *fd = arg;

	CHECK_EQ(read_byte(*fd), -ECANCELED);
	cancelled++;
	return NULL;
}

/* A descriptor is cancelled and closed, and its number used anew at once. */
TEST(cancel_and_close_and_open)
{
	uint64_t rounds = test_rounds(1000);
	int fds[2];

	start_cpus(2);
	for (uint64_t i = 0; i < rounds; i++) {
		mete_task tasks[3];
		uint64_t before = cancelled;

		connect_pair(fds);
		for (int k = 0; k < 3; k++)
			tasks[k] = spawn(wait_to_be_cancelled, &fds[0]);
		while (cancelled < before + 3)
			CHECK_EQ(mete_fd_cancel(fds[0]), 0);
		for (int k = 0; k < 3; k++)
			join(tasks[k]);
		close(fds[0]);
		close(fds[1]);
	}
	stop();
}

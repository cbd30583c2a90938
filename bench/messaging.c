/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench messaging: groups in which everybody writes to everybody.
 *
 * As `perf bench sched messaging` (and hackbench): in each of -g groups (10), 20
 * senders send each of 20 receivers -l messages (100) of 100 bytes.  --via:
 *
 *   sem     a buffer of 256 messages before each receiver: two semaphores count
 *           what is in it and what has room, senders take turns by a mutex
 *   channel a bounded channel of so many instead, on Mete alone
 *   pipe    a pipe before each receiver
 *   socket  a pair of local stream sockets, perf's default
 *
 * Time runs from when all may begin until all have ended.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/engine.h"

#define GROUPS        10
#define LOOPS         100
#define SIDES         20 /* senders of a group, and receivers */
#define MESSAGE_BYTES 100
#define BUFFER        256

/* A receiver, and what stands before it. */
struct messaging_box {
	_Alignas(128) union bench_sem filled;
	_Alignas(128) union bench_sem room;
	union bench_mutex turn;
	unsigned next; /* to be filled */
	char (*buffer)[MESSAGE_BYTES];
	struct mete_chan chan;
	int ends[2]; /* read, write */
	uint64_t awaited;
};

struct messaging_sender {
	struct messaging_box *boxes; /* of its group */
	unsigned loops;
};

struct messaging_run {
	struct bench_crew crew;
	unsigned groups;
	unsigned way;
	struct messaging_box *boxes;
	struct messaging_sender *senders;
};

BENCH_WORK void send_by_sem(struct messaging_box *box, const char *message,
			    enum bench_engine engine)
{
	bench_sem_wait(engine, &box->room);
	bench_lock(engine, &box->turn);
	memcpy(box->buffer[box->next++ % BUFFER], message, MESSAGE_BYTES);
	bench_unlock(engine, &box->turn);
	bench_sem_post(engine, &box->filled);
}

BENCH_WORK void *sender_by_sem(void *arg, enum bench_engine engine)
{
	struct messaging_sender *sender = arg;
	char message[MESSAGE_BYTES] = {0};

	for (unsigned i = 0; i < sender->loops; i++)
		for (unsigned to = 0; to < SIDES; to++)
			send_by_sem(&sender->boxes[to], message, engine);
	return NULL;
}
BENCH_BOTH(sender_by_sem);

BENCH_WORK void *receiver_by_sem(void *arg, enum bench_engine engine)
{
	struct messaging_box *box = arg;
	char message[MESSAGE_BYTES];

	for (uint64_t i = 0; i < box->awaited; i++) {
		bench_sem_wait(engine, &box->filled);
		memcpy(message, box->buffer[i % BUFFER], MESSAGE_BYTES);
		/* It is read, whoever looks at it. */
		__asm__ volatile("" : : "r"(message) : "memory");
		bench_sem_post(engine, &box->room);
	}
	return NULL;
}
BENCH_BOTH(receiver_by_sem);

static void *sender_by_chan(void *arg)
{
	struct messaging_sender *sender = arg;
	const char message[MESSAGE_BYTES] = {0};

	for (unsigned i = 0; i < sender->loops * SIDES; i++)
		mete_chan_send(&sender->boxes[i % SIDES].chan, message,
			       METE_FOREVER);
	return NULL;
}

static void *receiver_by_chan(void *arg)
{
	struct messaging_box *box = arg;
	char message[MESSAGE_BYTES];

	for (uint64_t i = 0; i < box->awaited; i++)
		mete_chan_recv(&box->chan, message, METE_FOREVER);
	return NULL;
}

/* Waits until a call that could not be made may be made again. */
BENCH_WORK void try_again(int fd, unsigned event, enum bench_engine engine)
{
	if (engine == BENCH_METE && errno == EAGAIN)
		mete_fd_wait(fd, event, METE_FOREVER);
	else if (errno != EINTR)
		abort();
}

BENCH_WORK void *sender_by_fd(void *arg, enum bench_engine engine)
{
	struct messaging_sender *sender = arg;
	const char message[MESSAGE_BYTES] = {0};

	for (unsigned i = 0; i < sender->loops * SIDES; i++) {
		int fd = sender->boxes[i % SIDES].ends[1];
		size_t done = 0;

		while (done < MESSAGE_BYTES) {
			ssize_t n = write(fd, message, MESSAGE_BYTES - done);

			if (n < 0)
				try_again(fd, METE_WRITE, engine);
			else
				done += (size_t)n;
		}
	}
	return NULL;
}
BENCH_BOTH(sender_by_fd);

BENCH_WORK void *receiver_by_fd(void *arg, enum bench_engine engine)
{
	struct messaging_box *box = arg;
	char message[MESSAGE_BYTES];

	for (uint64_t i = 0; i < box->awaited; i++) {
		size_t done = 0;

		while (done < MESSAGE_BYTES) {
			ssize_t n = read(box->ends[0], message,
					 MESSAGE_BYTES - done);

			if (n < 0)
				try_again(box->ends[0], METE_READ, engine);
			else
				done += (size_t)n;
		}
	}
	return NULL;
}
BENCH_BOTH(receiver_by_fd);

enum {
	BY_SEM,
	BY_CHANNEL,
	BY_PIPE,
	BY_SOCKET
};

static const char *const ways[] = {
	[BY_SEM] = "sem",
	[BY_CHANNEL] = "channel",
	[BY_PIPE] = "pipe",
	[BY_SOCKET] = "socket",
	NULL,
};

static int box_open(const struct messaging_run *run, struct messaging_box *box)
{
	const struct bench_options *options = run->crew.options;
	bool of_mete = options->engine == BENCH_METE;

	if (run->way == BY_CHANNEL)
		return of_mete ? mete_chan_init(&box->chan, MESSAGE_BYTES,
						BUFFER)
			       : -ENOTSUP;
	if (run->way == BY_PIPE)
		return pipe2(box->ends, of_mete ? O_NONBLOCK : 0) ? -errno : 0;
	if (run->way == BY_SOCKET)
		return socketpair(AF_UNIX,
				  SOCK_STREAM | (of_mete ? SOCK_NONBLOCK : 0),
				  0, box->ends)
			       ? -errno
			       : 0;
	bench_sem_init(options, &box->filled, 0);
	bench_sem_init(options, &box->room, BUFFER);
	bench_mutex_init(options, &box->turn);
	box->buffer = malloc(BUFFER * sizeof(*box->buffer));
	return box->buffer ? 0 : -ENOMEM;
}

static void box_close(const struct messaging_run *run,
		      struct messaging_box *box)
{
	free(box->buffer);
	if (run->way == BY_CHANNEL)
		mete_chan_fini(&box->chan);
	if (box->ends[0] >= 0) {
		close(box->ends[0]);
		close(box->ends[1]);
	}
}

/* Two descriptors a receiver: as many as the process may have. */
static void raise_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static void man(struct messaging_run *run, unsigned i)
{
	enum bench_engine engine = run->crew.options->engine;
	struct bench_member *receiver = &run->crew.members[2 * i];
	struct bench_member *sender = receiver + 1;

	if (run->way == BY_SEM) {
		receiver->fn = receiver_by_sem_of[engine];
		sender->fn = sender_by_sem_of[engine];
	} else if (run->way == BY_CHANNEL) {
		receiver->fn = receiver_by_chan;
		sender->fn = sender_by_chan;
	} else {
		receiver->fn = receiver_by_fd_of[engine];
		sender->fn = sender_by_fd_of[engine];
	}
	receiver->arg = &run->boxes[i];
	sender->arg = &run->senders[i / SIDES];
	receiver->cpu = sender->cpu = BENCH_ANY_CPU;
}

static int drive(struct messaging_run *run, unsigned loops)
{
	unsigned count = run->groups * SIDES;
	unsigned opened = 0;
	int rc = 0;

	for (unsigned i = 0; i < count; i++) {
		run->boxes[i].ends[0] = -1;
		run->boxes[i].awaited = (uint64_t)SIDES * loops;
		run->senders[i / SIDES].boxes = &run->boxes[i - i % SIDES];
		run->senders[i / SIDES].loops = loops;
		man(run, i);
	}
	while (opened < count && !rc) {
		rc = box_open(run, &run->boxes[opened]);
		opened += !rc;
	}
	if (!rc)
		rc = bench_crew(&run->crew);
	while (opened > 0)
		box_close(run, &run->boxes[--opened]);
	return rc;
}

static unsigned or_usual(unsigned said, unsigned usual)
{
	return said ? said : usual;
}

static int once(const struct bench_options *options, double *figures)
{
	unsigned groups = or_usual(options->groups, GROUPS);
	unsigned loops = or_usual(options->loops, LOOPS);
	unsigned count = groups * SIDES;
	struct messaging_run run = {
		.crew = {.options = options, .count = 2 * count},
		.groups = groups,
		.way = bench_way(options, ways),
	};
	int rc = -ENOMEM;

	raise_files();
	run.crew.members = calloc(2 * (size_t)count, sizeof(*run.crew.members));
	run.senders = calloc(groups, sizeof(*run.senders));
	run.boxes = aligned_alloc(128, count * sizeof(*run.boxes));
	if (run.crew.members && run.senders && run.boxes) {
		memset(run.boxes, 0, count * sizeof(*run.boxes));
		rc = drive(&run, loops);
	}
	free(run.boxes);
	free(run.senders);
	free(run.crew.members);
	if (!rc) {
		double spent_ns =
			(double)(run.crew.ended_ns - run.crew.set_out_ns);

		figures[0] = spent_ns / 1e9;
		figures[1] = (double)count * SIDES * loops * 1e3 / spent_ns;
	}
	return rc;
}

static const struct bench_metric metrics[] = {
	{"total", "s"},
	{"messages", "M/s"},
	{0},
};

static int run(const struct bench_options *options)
{
	struct bench_options own = *options;
	struct bench_line about;

	own.tasks = 2 * SIDES * or_usual(options->groups, GROUPS);
	about = bench_about(&own, "messaging", ways[bench_way(&own, ways)]);
	return bench_repeat(&own, &about, metrics, once);
}

const struct bench bench_messaging = {
	.name = "messaging",
	.summary = "groups in which everybody writes to everybody",
	.ways = ways,
	.threads = true,
	.run = run,
};

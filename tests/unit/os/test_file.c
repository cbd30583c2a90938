/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files are read whole, whatever their length, and written whole, whatever the
 * reader's pace.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "harness/refuse.h"
#include "harness/test.h"
#include "os/file.h"
#include "os/inject.h"
#include "os/mem.h"

static void write_file(const char *path, size_t bytes)
{
	FILE *file = fopen(path, "w");

	CHECK(file);
	for (size_t i = 0; i < bytes; i++)
		fputc('a' + (int)(i % 26), file);
	fclose(file);
}

TEST(lengths)
{
	static const size_t lengths[] = {0,    1,    4094, 4095,
					 4096, 8191, 8192, 100000};
	char path[] = "/tmp/mete-file-XXXXXX";

	CHECK_GE(mkstemp(path), 0);
	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		char *text;

		write_file(path, lengths[i]);
		CHECK_EQ(os_file_read(path, &text), 0);
		CHECK_EQ(strlen(text), lengths[i]);
		for (size_t k = 0; k < lengths[i]; k += 97)
			CHECK_EQ(text[k], 'a' + (int)(k % 26));
		os_free(text);
	}
	unlink(path);
}

TEST(errors_are_told)
{
	char *text = NULL;
	int lowest = dup(0);

	close(lowest);
	CHECK_EQ(os_file_read("/nowhere/at/all", &text), -ENOENT);
	CHECK_EQ(os_file_read("/tmp", &text), -EISDIR);
	CHECK_EQ(os_file_read("/dev/zero", &text), -EFBIG);
	CHECK(!text);
	/* No descriptor was left open. */
	CHECK_EQ(dup(0), lowest);
}

enum {
	WRITTEN = 1000000
};

static atomic_int interruptions;
static int ends[2];
static size_t received;

static void interrupted(int signal)
{
	(void)signal;
	interruptions++;
}

static char written_at(size_t i)
{
	return (char)('a' + i * i % 23);
}

/* In small pieces, now and then after a rest, interrupting the writer. */
static void *read_slowly(void *writer)
{
	char piece[1000];
	ssize_t n;

	while ((n = read(ends[0], piece, sizeof(piece))) > 0) {
		for (ssize_t i = 0; i < n; i++)
			CHECK_EQ(piece[i], written_at(received + (size_t)i));
		if (received / 50000 != (received + (size_t)n) / 50000) {
			usleep(1000);
			pthread_kill(*(pthread_t *)writer, SIGUSR1);
		}
		received += (size_t)n;
	}
	return NULL;
}

static void write_to_slow_reader(int flags)
{
	const struct sigaction action = {.sa_handler = interrupted};
	pthread_t self = pthread_self();
	char *text = malloc(WRITTEN);
	pthread_t reader;

	for (size_t i = 0; i < WRITTEN; i++)
		text[i] = written_at(i);
	CHECK_EQ(sigaction(SIGUSR1, &action, NULL), 0);
	CHECK_EQ(pipe2(ends, flags), 0);
	CHECK_EQ(fcntl(ends[0], F_SETFL, 0), 0);
	CHECK_EQ(pthread_create(&reader, NULL, read_slowly, &self), 0);
	errno = ENOTTY;
	CHECK_EQ(os_file_write(ends[1], text, WRITTEN), 0);
	CHECK_EQ(errno, ENOTTY);
	close(ends[1]);
	pthread_join(reader, NULL);
	CHECK_EQ(received, WRITTEN);
	CHECK_GT(interruptions, 0);
	free(text);
}

TEST(all_of_it_goes_out)
{
	write_to_slow_reader(0);
}

TEST(all_of_it_goes_out_where_nothing_blocks)
{
	write_to_slow_reader(O_NONBLOCK);
}

static volatile sig_atomic_t alarms;

static void alarmed(int signal)
{
	(void)signal;
	alarms++;
}

/* Once, in 10 ms, and no call is begun anew for it by itself. */
static void interrupt_soon(void)
{
	const struct sigaction action = {.sa_handler = alarmed};

	CHECK_EQ(sigaction(SIGALRM, &action, NULL), 0);
	ualarm(10000, 0);
}

/* Behind the interruption. */
static void *write_late(void *fd)
{
	sigset_t alarm;

	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &alarm, NULL);
	usleep(50000);
	CHECK_EQ(write(*(int *)fd, "late", 4), 4);
	close(*(int *)fd);
	return NULL;
}

TEST(a_read_goes_on_after_a_signal)
{
	char path[] = "/tmp/mete-file-XXXXXX";
	pthread_t writer;
	char *text;
	int fd;

	CHECK(mkdtemp(path));
	CHECK_EQ(chdir(path), 0);
	CHECK_EQ(mkfifo("fifo", 0600), 0);
	fd = open("fifo", O_RDWR);
	CHECK_EQ(pthread_create(&writer, NULL, write_late, &fd), 0);
	interrupt_soon();
	CHECK_EQ(os_file_read("fifo", &text), 0);
	CHECK_EQ(alarms, 1);
	CHECK_STR(text, "late");
	os_free(text);
	pthread_join(writer, NULL);
	unlink("fifo");
	rmdir(path);
}

static void *read_late(void *bytes)
{
	char piece[4096];
	size_t left = *(size_t *)bytes;
	sigset_t alarm;

	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &alarm, NULL);
	usleep(50000);
	while (left) {
		ssize_t n = read(ends[0], piece, sizeof(piece));

		CHECK_GT(n, 0);
		left -= (size_t)n;
	}
	return NULL;
}

/* Into a pipe that is full, so that nothing goes out before the signal. */
TEST(a_write_goes_on_after_a_signal)
{
	char piece[4096] = {0};
	size_t bytes = 0;
	pthread_t reader;

	CHECK_EQ(pipe2(ends, O_NONBLOCK), 0);
	while (write(ends[1], piece, sizeof(piece)) == (ssize_t)sizeof(piece))
		bytes += sizeof(piece);
	CHECK_EQ(fcntl(ends[0], F_SETFL, 0), 0);
	CHECK_EQ(fcntl(ends[1], F_SETFL, 0), 0);
	bytes += 4;
	CHECK_EQ(pthread_create(&reader, NULL, read_late, &bytes), 0);
	interrupt_soon();
	CHECK_EQ(os_file_write(ends[1], "late", 4), 0);
	CHECK_EQ(alarms, 1);
	pthread_join(reader, NULL);
}

TEST(a_wait_for_room_that_is_refused)
{
	char piece[4096] = {0};

	CHECK_EQ(pipe2(ends, O_NONBLOCK), 0);
	while (write(ends[1], piece, sizeof(piece)) > 0)
		;
#ifdef SYS_poll
	test_refuse(SYS_poll, ENOMEM);
#endif
	test_refuse(SYS_ppoll, ENOMEM);
	CHECK_EQ(os_file_write(ends[1], "text", 4), -ENOMEM);
}

TEST(a_write_of_nothing_is_an_error)
{
	CHECK_EQ(pipe2(ends, 0), 0);
	test_refuse_where(SYS_write, 0, (uint32_t)ends[1], 0);
	CHECK_EQ(os_file_write(ends[1], "text", 4), -EIO);
}

TEST(what_cannot_be_written_is_told)
{
	int full = open("/dev/full", O_WRONLY);

	CHECK_GE(full, 0);
	errno = ENOTTY;
	CHECK_EQ(os_file_write(full, "text", 4), -ENOSPC);
	CHECK_EQ(os_file_write(-1, "text", 4), -EBADF);
	CHECK_EQ(os_file_write(-1, "text", 0), 0);
	signal(SIGPIPE, SIG_IGN);
	CHECK_EQ(pipe2(ends, 0), 0);
	close(ends[0]);
	CHECK_EQ(os_file_write(ends[1], "text", 4), -EPIPE);
	CHECK_EQ(errno, ENOTTY);
#ifdef METE_FAULTS
	os_fault_arm(OS_CALL_WRITE, 1, false);
	CHECK_EQ(os_file_write(STDERR_FILENO, "text", 4), -EIO);
	CHECK_EQ(os_file_write(STDERR_FILENO, "", 0), 0);
	CHECK_EQ(os_fault_count(OS_CALL_WRITE), 1);
#endif
}

#ifdef METE_FAULTS
TEST(refusals_leak_nothing)
{
	char path[] = "/tmp/mete-file-XXXXXX";
	int lowest;

	CHECK_GE(mkstemp(path), 0);
	write_file(path, 10000);
	lowest = dup(0);
	close(lowest);
	for (uint64_t k = 1;; k++) {
		char *text = NULL;
		int err;

		os_fault_arm(OS_CALL_ANY, k, false);
		err = os_file_read(path, &text);
		if (os_fault_count(OS_CALL_ANY) < k) {
			CHECK_EQ(err, 0);
			os_free(text);
			break;
		}
		CHECK(err == -ENOMEM || err == -EMFILE);
		CHECK(!text);
		CHECK_EQ(dup(0), lowest);
		close(lowest);
	}
	unlink(path);
}
#endif

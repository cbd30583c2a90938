/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dump: what it says of CPUs and groups, and when it can't.
 * (tests/stress asks for it in handlers.)
 */
#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>

#include "stat/dump.h"
#include "unit/stat/dumped.h"

static atomic_int flag;

static void *spin(void *arg)
{
	flag = 1;
	while (flag == 1)
		;
	return arg;
}

static void *nothing(void *arg)
{
	return arg;
}

static void *sleep_long(void *arg)
{
	mete_task_sleep(300 * MS);
	return arg;
}

TEST(nothing_to_dump)
{
	int fd = memfd_create("dump", 0);

	CHECK_EQ(mete_dump(fd), -ENOSYS);
	start_cpus(1);
	CHECK_EQ(mete_dump(-1), -EBADF);
	CHECK_EQ(mete_dump(open("/dev/full", O_WRONLY)), -ENOSPC);
	stop();
	CHECK_EQ(mete_dump(fd), -ENOSYS);
	CHECK_EQ(lseek(fd, 0, SEEK_END), 0);
}

/* A line of the dump that begins so, once there is one; to be freed. */
static char *line_once(const char *beginning)
{
	uint64_t end = soon();

	while (true) {
		char *text = dump_text();
		char *line = text;

		while (*line && strncmp(line, beginning, strlen(beginning)))
			line += strcspn(line, "\n") + 1;
		line = *line ? strndup(line, strcspn(line, "\n")) : NULL;
		if (!line && now_ns() > end)
			FAIL("no line '%s' in: %s", beginning, text);
		free(text);
		if (line)
			return line;
	}
}

TEST(cpus)
{
	mete_task spinner;
	mete_task queued[3];
	char beginning[80];
	unsigned bound;
	unsigned queue;
	char *line;

	start_cpus(2);
	free(line_once("cpu   0    parked     -  "));
	line = line_once("cpu   1    parked     -  ");
	CHECK_EQ(sscanf(line, "cpu 1 parked - %u %u none", &queue, &bound), 2);
	CHECK_EQ(queue, 0);
	CHECK_EQ(bound, 0);
	free(line);
	spinner = spawn_on(1, spin, NULL);
	await(&flag);
	snprintf(beginning, sizeof(beginning),
		 "cpu   1    busy       0x%016" PRIx64 " ", spinner.id);
	free(line_once(beginning));
	/* On their way, to the CPU that is kept. */
	for (int i = 0; i < 3; i++)
		queued[i] = spawn_on(1, nothing, NULL);
	line = line_once(beginning);
	CHECK_HAS(line, " some");
	free(line);
	flag = 2;
	join(spinner);
	for (int i = 0; i < 3; i++)
		join(queued[i]);
	stop();
}

static void *spawn_and_spin(void *arg)
{
	mete_task *tasks = arg;

	for (int i = 0; i < 3; i++)
		tasks[i] = spawn(nothing, NULL);
	return spin(NULL);
}

TEST(queues)
{
	mete_task tasks[4];
	unsigned queue;
	char *line;

	start_cpus(1);
	tasks[3] = spawn(spawn_and_spin, tasks);
	await(&flag);
	line = line_once("cpu   0    busy ");
	CHECK_EQ(sscanf(line, "cpu 0 busy %*s %u", &queue), 1);
	CHECK_EQ(queue, 3);
	CHECK_HAS(line, " none");
	free(line);
	flag = 2;
	for (int i = 0; i < 4; i++)
		join(tasks[i]);
	stop();
}

TEST(books_off_knows_no_polling)
{
	start_with(1, METE_BOOKS_OFF);
	free(line_once("mete dump: 1 CPUs, books off, monotonic "));
	free(line_once("group 0x0000000000000001 0        -   "));
	stop();
	start_with(1, METE_BOOKS_GROUP);
	free(line_once("mete dump: 1 CPUs, books group, monotonic "));
	free(line_once("group 0x0000000000000001 0        0.0"));
	stop();
}

TEST(groups)
{
	char path[METE_PATH_MAX + 2] = "";
	char name[METE_NAME_MAX + 1];
	mete_group group = METE_ROOT;
	mete_task tasks[3];
	unsigned inside;
	double exec_s;
	char *text;
	char *at;

	start_cpus(1);
	/* As deep and as long as can be. */
	for (int i = 0; i < METE_DEPTH_MAX; i++) {
		memset(name, 'a' + i % 26, METE_NAME_MAX);
		name[METE_NAME_MAX] = '\0';
		group = group_below(group, name);
		strcat(strcat(path, "/"), name);
	}
	strcat(path, "\n");
	tasks[0] = spawn_in(group, spin, NULL);
	await(&flag);
	usleep(20000);
	flag = 2;
	join(tasks[0]);
	for (int i = 0; i < 3; i++)
		tasks[i] = spawn_in(i ? group : METE_ROOT, sleep_long, NULL);
	free(line_once("group 0x0000000000000001 1 "));
	text = dump_text();
	at = strstr(text, path);
	CHECK(at != NULL);
	while (at > text && at[-1] != '\n')
		at--;
	CHECK_EQ(sscanf(at, "group %*s %u %lf /", &inside, &exec_s), 2);
	CHECK_EQ(inside, 2);
	CHECK(exec_s > 0.001 && exec_s < 10);
	/* The task's line has all of it, too. */
	at = strstr(strstr(text, "\ntask "), path);
	CHECK(at != NULL);
	free(text);
	CHECK_EQ(mete_group_destroy(group), 0);
	text = dump_text();
	path[strlen(path) - 1] = '\0';
	at = strstr(text, path);
	CHECK(at != NULL);
	CHECK_EQ(strncmp(at + strlen(path), " (destroyed)\n", 13), 0);
	free(text);
	for (int i = 0; i < 3; i++)
		join(tasks[i]);
	stop();
}

/* A reader that is slow, on a descriptor that does not block. */
static void *take_all(void *arg)
{
	static char text[100000];
	int fd = *(int *)arg;
	size_t used = 0;
	ssize_t n;

	while ((n = read(fd, text + used, 700)) > 0) {
		used += (size_t)n;
		CHECK_LT(used, sizeof(text) - 700);
		usleep(500);
	}
	text[used] = '\0';
	return text;
}

TEST(a_slow_reader_gets_it_all)
{
	static mete_task tasks[300];
	pthread_t reader;
	void *text;
	int ends[2];

	start_cpus(1);
	for (int i = 0; i < 300; i++)
		tasks[i] = spawn(sleep_long, NULL);
	CHECK_EQ(pipe2(ends, O_NONBLOCK), 0);
	fcntl(ends[0], F_SETFL, 0);
	fcntl(ends[1], F_SETPIPE_SZ, 4096);
	CHECK_EQ(pthread_create(&reader, NULL, take_all, &ends[0]), 0);
	errno = ENOTTY;
	CHECK_EQ(mete_dump(ends[1]), 0);
	CHECK_EQ(errno, ENOTTY);
	close(ends[1]);
	pthread_join(reader, &text);
	CHECK_EQ(dumped_check(text).tasks, 300);
	for (int i = 0; i < 300; i++)
		join(tasks[i]);
	stop();
}

/* Whether it is among CPUs, groups or tasks. */
TEST(wherever_the_room_ends_it_ends)
{
	static mete_task tasks[60];
	char name[16];
	int fd = memfd_create("dump", MFD_CLOEXEC);
	off_t bytes;

	start_cpus(40);
	for (int i = 0; i < 60; i++) {
		snprintf(name, sizeof(name), "group-%d", i);
		tasks[i] = spawn_in(group_below(METE_ROOT, name), sleep_long,
				    NULL);
	}
	CHECK_EQ(mete_dump(fd), 0);
	bytes = lseek(fd, 0, SEEK_END);
	signal(SIGXFSZ, SIG_IGN);
	for (off_t room = 0; room < bytes / 2; room += 500) {
		struct rlimit limit = {(rlim_t)room, RLIM_INFINITY};

		CHECK_EQ(ftruncate(fd, 0), 0);
		lseek(fd, 0, SEEK_SET);
		CHECK_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
		CHECK_EQ(mete_dump(fd), -EFBIG);
		CHECK_EQ(lseek(fd, 0, SEEK_END), room);
	}
	for (int i = 0; i < 60; i++)
		join(tasks[i]);
	stop();
}

/* As may be seen while the groups of a path are used again. */
TEST(a_path_that_goes_round_ends)
{
	static struct acct_group group = {.parent = &group, .name = "round"};
	int fd = memfd_create("dump", MFD_CLOEXEC);
	struct dump dump = {.fd = fd};
	char text[BUFFER_BYTES];
	size_t bytes;

	dump.text.at = dump.buffer;
	dump.text.room = sizeof(dump.buffer);
	dump_path(&dump, &group);
	bytes = dump.text.used;
	CHECK_EQ(bytes, ACCT_DEPTH_MAX * strlen("/round"));
	memcpy(text, dump.buffer, bytes);
	text[bytes] = '\0';
	CHECK_HAS(text, "/round/round");
	close(fd);
}

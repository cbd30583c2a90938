/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For the tests of the dump: take one, check every line of it against the
 * grammar, find lines in it.
 */
#ifndef UNIT_STAT_DUMPED_H
#define UNIT_STAT_DUMPED_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "unit/sched/running.h"

/* A line that begins with "task". */
struct dumped_task {
	uint64_t id;
	char state[16];
	int cpu;      /* -1: "-" */
	double for_s; /* -1: "-" */
	char kind[16];
	uint64_t object; /* 0: none */
	char name[64];
	const char *group; /* into the line */
};

static inline double dumped_seconds(const char *word)
{
	return strcmp(word, "-") ? strtod(word, NULL) : -1;
}

/* False when the line is none, or one that is malformed. */
static inline bool dumped_parse_task(const char *line, struct dumped_task *ret)
{
	char cpu[16];
	char span[32];
	int at = 0;

	memset(ret, 0, sizeof(*ret));
	if (sscanf(line, "task 0x%16" SCNx64 " %15s %15s %31s %15s %n",
		   &ret->id, ret->state, cpu, span, ret->kind, &at) != 5)
		return false;
	if (!strncmp(line + at, "0x", 2)) {
		char *end;

		ret->object = strtoull(line + at, &end, 16);
		at = (int)(end - line);
	}
	ret->cpu = strcmp(cpu, "-") ? atoi(cpu) : -1;
	ret->for_s = dumped_seconds(span);
	line = strchr(line + at, '"');
	if (!line || strcspn(line + 1, "\"") >= sizeof(ret->name))
		return false;
	memcpy(ret->name, line + 1, strcspn(line + 1, "\""));
	line = strchr(line + 1, '"');
	if (!line || line[1] != ' ')
		return false;
	ret->group = line + 2;
	return ret->group[0] == '/';
}

/* A counting of a dump, every line held against the grammar. */
struct dumped {
	unsigned cpus;
	unsigned groups;
	unsigned tasks;
	bool ended;
};

static inline void dumped_check_line(const char *line, struct dumped *count)
{
	struct dumped_task task;
	unsigned cpu;
	uint64_t id;
	unsigned tasks;
	char word[32];
	int at = 0;

	CHECK(!count->ended);
	if (!strncmp(line, "mete dump: ", 11) || line[0] == '#')
		return;
	if (!strncmp(line, "cpu ", 4)) {
		CHECK_EQ(sscanf(line, "cpu %u %31s", &cpu, word), 2);
		CHECK_EQ(cpu, count->cpus);
		count->cpus++;
	} else if (!strncmp(line, "group ", 6)) {
		CHECK_EQ(sscanf(line, "group 0x%16" SCNx64 " %u %31s %n", &id,
				&tasks, word, &at),
			 3);
		CHECK_EQ(line[at], '/');
		count->groups++;
	} else if (!strncmp(line, "end ", 4)) {
		CHECK_EQ(sscanf(line, "end %u tasks:", &tasks), 1);
		CHECK_EQ(tasks, count->tasks);
		count->ended = true;
	} else {
		if (!dumped_parse_task(line, &task))
			FAIL("malformed: %s", line);
		count->tasks++;
	}
}

/* Every line, by its end replaced with NUL. */
static inline struct dumped dumped_check(char *text)
{
	struct dumped count = {0};
	char *end;

	for (; (end = strchr(text, '\n')); text = end + 1) {
		*end = '\0';
		dumped_check_line(text, &count);
		*end = '\n';
	}
	CHECK(count.ended);
	CHECK_EQ(*text, '\0');
	return count;
}

/* What a dump says, checked; to be freed. */
static inline char *dump_text(void)
{
	int fd = memfd_create("dump", MFD_CLOEXEC);
	off_t bytes;
	char *text;

	CHECK_GE(fd, 0);
	CHECK_EQ(mete_dump(fd), 0);
	bytes = lseek(fd, 0, SEEK_END);
	CHECK_GT(bytes, 0);
	text = malloc((size_t)bytes + 1);
	CHECK(text);
	CHECK_EQ(pread(fd, text, (size_t)bytes, 0), bytes);
	text[bytes] = '\0';
	close(fd);
	CHECK_EQ(strlen(text), bytes);
	dumped_check(text);
	return text;
}

/* The line of a task: false when there is none. */
static inline bool dumped_find(const char *text, mete_task task,
			       struct dumped_task *ret)
{
	static char line[2048];

	for (; *text; text += strcspn(text, "\n") + 1) {
		size_t length = strcspn(text, "\n");

		CHECK_LT(length, sizeof(line));
		memcpy(line, text, length);
		line[length] = '\0';
		if (dumped_parse_task(line, ret) && ret->id == task.id)
			return true;
	}
	return false;
}

/* The line of a task in a dump of now, once it is in that state. */
static inline struct dumped_task dumped_once(mete_task task, const char *state)
{
	struct dumped_task found = {0};
	uint64_t end = soon();

	while (strcmp(found.state, state) != 0) {
		char *text = dump_text();

		CHECK_LT(now_ns(), end);
		CHECK(dumped_find(text, task, &found));
		free(text);
	}
	return found;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the parts of a dump share: a buffer that is written out as it fills up,
 * and columns in it.
 *
 * A line begins with dump_room(LINE_BYTES): its columns stand in what that gives,
 * so that they know where they began.  What may be longer, the path of a group,
 * comes last, in pieces.
 */
#ifndef STAT_DUMP_H
#define STAT_DUMP_H

#include "base/text.h"
#include "stat/stat.h"

#define BUFFER_BYTES 1024
#define LINE_BYTES   (BUFFER_BYTES / 3)

/* Of the columns, their gap included. */
enum {
	ROW_WIDTH = 6,
	HANDLE_WIDTH = 19,
	STATE_WIDTH = 8,
	CPU_WIDTH = 5,
	CPU_STATE_WIDTH = 11,
	TIME_WIDTH = 19,
	WAITS_WIDTH = 29,
	COUNT_WIDTH = 9,
};

struct dump {
	int fd;
	int error;
	struct text text;
	uint64_t tasks[METE_TASK_DEAD + 1]; /* by state */
	char buffer[BUFFER_BYTES];
};

/* The text, with room for `bytes` more: what was there may have gone out. */
struct text *dump_room(struct dump *dump, size_t bytes);

void dump_column(struct text *text, const char *string, size_t width);
void dump_number(struct text *text, uint64_t number, size_t width);
void dump_handle(struct text *text, uint64_t id);
void dump_ticks(struct text *text, uint64_t ticks);
void dump_path(struct dump *dump, const struct acct_group *group);

const char *dump_state_name(enum mete_task_state state);
void dump_tasks(struct dump *dump);

#endif

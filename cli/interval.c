/* SPDX-License-Identifier: Apache-2.0 */
/* What groups have used within an interval, while the run goes on. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <yajl/yajl_gen.h>

#include "cli/books.h"
#include "cli/format.h"

/* The path stands last: it is never shortened, and shifts nothing. */
void interval_text(const struct lab_interval *interval)
{
	if (interval->first)
		printf("%12s %8s %6s %8s %8s  %s\n", "time", "exec", "%cpu",
		       "wait", "switches", "group");
	for (size_t i = 0; i < interval->groups->count; i++) {
		const struct lab_usage *used = &interval->used[i];
		char exec[FORMAT_BYTES];
		char part[FORMAT_BYTES];
		char wait[FORMAT_BYTES];
		char switches[FORMAT_BYTES];

		format_time(exec, used->exec_ns);
		format_percent(part, used->exec_ns, interval->long_ns);
		format_time(wait, used->wait_ns);
		format_count(switches, used->switches);
		printf("%12.6f %8s %6s %8s %8s  %s\n",
		       (double)interval->at_ns / 1e9, exec, part, wait,
		       switches, interval->groups->rows[i].path);
	}
	if (interval->last)
		putchar('\n');
}

static void key(yajl_gen gen, const char *name)
{
	yajl_gen_string(gen, (const unsigned char *)name, strlen(name));
}

static void put(yajl_gen gen, const char *name, uint64_t figure)
{
	key(gen, name);
	if (figure == LAB_UNKNOWN)
		yajl_gen_null(gen);
	else
		yajl_gen_integer(gen, (long long)figure);
}

static int print_group(const struct lab_interval *interval, size_t group)
{
	const struct lab_usage *used = &interval->used[group];
	yajl_gen gen = yajl_gen_alloc(NULL);
	const unsigned char *text;
	size_t length;
	int rc = 0;

	if (!gen)
		return -ENOMEM;
	yajl_gen_map_open(gen);
	put(gen, "at_ns", interval->at_ns);
	put(gen, "interval_ns", interval->long_ns);
	key(gen, "group");
	key(gen, interval->groups->rows[group].path);
	put(gen, "exec_ns", used->exec_ns);
	put(gen, "wait_ns", used->wait_ns);
	put(gen, "switches", used->switches);
	yajl_gen_map_close(gen);
	if (yajl_gen_get_buf(gen, &text, &length) == yajl_gen_status_ok) {
		fwrite(text, 1, length, stdout);
		putchar('\n');
	} else {
		rc = -ENOMEM;
	}
	yajl_gen_free(gen);
	return rc;
}

int interval_json(const struct lab_interval *interval)
{
	int rc = 0;

	for (size_t i = 0; i < interval->groups->count && !rc; i++)
		rc = print_group(interval, i);
	return rc;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Options of the runtime: defaults, environment, limits. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "os/env.h"
#include "os/fault.h"
#include "os/mem.h"
#include "os/topology.h"
#include "runtime/runtime.h"

#define MOST_CPUS     1024
#define LEAST_STACK   4096
#define MOST_STACK    (UINT64_C(1) << 30)
#define LEAST_SLICE   100000
#define MOST_SLICE    UINT64_C(10000000000)
#define MOST_TASKS    (1u << 24)
#define DEFAULT_STACK (64 * 1024)
#define DEFAULT_SLICE 3000000
#define DEFAULT_TASKS (1u << 20)

static const char *const books_names[] = {"task", "group", "off"};
static const char *const placement_names[] = {"auto", "local", "spread"};

/* A number with an optional suffix K, M or G, the whole of `text`. */
static int parse_number(const char *text, uint64_t *ret)
{
	static const char suffixes[] = "KMG";
	const char *suffix;
	uint64_t value;
	char *end;

	if (*text < '0' || *text > '9')
		return -EINVAL;
	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno)
		return -EINVAL;
	suffix = *end ? strchr(suffixes, *end) : NULL;
	if (suffix) {
		unsigned shift = 10 * (unsigned)(suffix - suffixes + 1);

		if (value > UINT64_MAX >> shift)
			return -EINVAL;
		value <<= shift;
		end++;
	}
	if (*end)
		return -EINVAL;
	*ret = value;
	return 0;
}

/* A variable that is a number of least … most units; 0 when it is not set. */
static int number_variable(const char *name, uint64_t least, uint64_t most,
			   uint64_t *ret_value)
{
	const char *text = os_getenv(name);
	uint64_t value;

	if (!text || !*text)
		return 0;
	if (parse_number(text, &value) || value < least || value > most)
		return -EINVAL;
	*ret_value = value;
	return 0;
}

/* A variable that is one of `count` names. */
static int name_variable(const char *variable, const char *const *names,
			 unsigned count, unsigned *ret_value)
{
	const char *text = os_getenv(variable);

	if (!text || !*text)
		return 0;
	for (unsigned i = 0; i < count; i++) {
		if (strcmp(text, names[i]) != 0)
			continue;
		*ret_value = i;
		return 0;
	}
	return -EINVAL;
}

static int names_of(struct mete_options *options)
{
	unsigned books = options->books;
	unsigned placement = options->placement;

	if (name_variable("METE_BOOKS", books_names, 3, &books) ||
	    name_variable("METE_PLACEMENT", placement_names, 3, &placement))
		return -EINVAL;
	options->books = (enum mete_books)books;
	options->placement = (enum mete_placement)placement;
	return 0;
}

static int read_environment(struct mete_options *options)
{
	uint64_t cpus = options->cpus;
	uint64_t stack = options->stack_bytes;
	uint64_t slice_us = options->slice_ns / 1000;
	uint64_t tasks = options->max_tasks;

	if (number_variable("METE_CPUS", 1, MOST_CPUS, &cpus) ||
	    number_variable("METE_STACK", LEAST_STACK, MOST_STACK, &stack) ||
	    number_variable("METE_SLICE", LEAST_SLICE / 1000, MOST_SLICE / 1000,
			    &slice_us) ||
	    number_variable("METE_MAX_TASKS", 1, MOST_TASKS, &tasks) ||
	    names_of(options))
		return -EINVAL;
	options->cpus = (unsigned)cpus;
	options->stack_bytes = (size_t)stack;
	if (slice_us != options->slice_ns / 1000)
		options->slice_ns = slice_us * 1000;
	options->max_tasks = (unsigned)tasks;
	return 0;
}

/* As many as affinity and the container allow. */
static int default_cpus(unsigned *ret_cpus)
{
	struct os_cpulist allowed;
	unsigned limit;
	int error = os_cpus_allowed(&allowed);

	if (error)
		return error;
	*ret_cpus = allowed.count;
	os_cpulist_fini(&allowed);
	error = os_cpu_limit("", &limit);
	if (error)
		return error;
	if (limit < *ret_cpus)
		*ret_cpus = limit;
	if (*ret_cpus > MOST_CPUS)
		*ret_cpus = MOST_CPUS;
	return 0;
}

static bool in_range(const struct mete_options *o)
{
	return o->cpus <= MOST_CPUS && (unsigned)o->books <= METE_BOOKS_OFF &&
	       (unsigned)o->placement <= METE_PLACE_SPREAD &&
	       o->stack_bytes >= LEAST_STACK && o->stack_bytes <= MOST_STACK &&
	       o->slice_ns >= LEAST_SLICE && o->slice_ns <= MOST_SLICE &&
	       o->max_tasks <= MOST_TASKS &&
	       !(o->flags & ~(unsigned)(METE_REPORT_OVERFLOW | METE_IGNORE_ENV |
					METE_NO_BIND));
}

int options_resolve(const struct mete_options *options,
		    struct mete_options *ret_options)
{
	struct mete_options o = METE_OPTIONS_INIT;
	size_t page = os_page_bytes();

	if (options) {
		if (options->size < sizeof(options->size))
			return -EINVAL;
		memcpy(&o, options,
		       options->size < sizeof(o) ? options->size : sizeof(o));
		o.size = sizeof(o);
	}
	if (!(o.flags & METE_IGNORE_ENV) && read_environment(&o))
		return -EINVAL;
	if (!o.stack_bytes)
		o.stack_bytes = DEFAULT_STACK;
	if (!o.slice_ns)
		o.slice_ns = DEFAULT_SLICE;
	if (!o.max_tasks)
		o.max_tasks = DEFAULT_TASKS;
	if (!in_range(&o))
		return -EINVAL;
	o.stack_bytes = (o.stack_bytes + page - 1) & ~(page - 1);
	if (!o.cpus) {
		int error = default_cpus(&o.cpus);

		if (error)
			return error;
	}
	*ret_options = o;
	return 0;
}

void options_show(const struct mete_options *options)
{
	const char *show = os_getenv("METE_SHOW");
	char text[256];
	int length;

	if (options->flags & METE_IGNORE_ENV || !show || strcmp(show, "1") != 0)
		return;
	length = snprintf(text, sizeof(text),
			  "METE_CPUS=%u\nMETE_BOOKS=%s\nMETE_STACK=%zu\n"
			  "METE_SLICE=%llu\nMETE_MAX_TASKS=%u\n"
			  "METE_PLACEMENT=%s\n",
			  options->cpus, books_names[options->books],
			  options->stack_bytes,
			  (unsigned long long)(options->slice_ns / 1000),
			  options->max_tasks,
			  placement_names[options->placement]);
	os_write_err(text, (size_t)length);
}

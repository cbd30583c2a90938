/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whatever the environment says of the runtime's options: what is in force is
 * what a second, simpler reading of it says, or it is refused and nothing is
 * touched.
 *
 * The options are read alone; what they ask the system is answered here, by
 * the first two bytes of an input.  The rest are variables, one a line.
 */
#include <errno.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "os/env.h"
#include "os/fault.h"
#include "os/mem.h"
#include "os/topology.h"
#include "runtime/runtime.h"

#define NAMES     7
#define VALUE_MAX 64

enum {
	CPUS,
	BOOKS,
	STACK,
	SLICE,
	TASKS,
	PLACEMENT,
	SHOW
};

const char *const fuzz_words[] = {
	"METE_CPUS=",
	"METE_BOOKS=",
	"METE_STACK=",
	"METE_SLICE=",
	"METE_MAX_TASKS=",
	"METE_PLACEMENT=",
	"METE_SHOW=",
	"\n",
	"0",
	"1",
	"1024",
	"1025",
	"4K",
	"4095",
	"1G",
	"1048577K",
	"18446744073709551615",
	"18446744073709551616",
	"16777216",
	"16M",
	"100",
	"10000000",
	"task",
	"group",
	"off",
	"auto",
	"local",
	"spread",
	"-1",
	" 1",
	"KK",
	"0x10",
	"18014398509481988K",
	NULL,
};

static const char *const names[NAMES] = {
	"METE_CPUS",      "METE_BOOKS",     "METE_STACK", "METE_SLICE",
	"METE_MAX_TASKS", "METE_PLACEMENT", "METE_SHOW",
};
static char values[NAMES][VALUE_MAX];
static uint8_t machine;
static char shown[1024];

const char *os_getenv(const char *name)
{
	for (int i = 0; i < NAMES; i++)
		if (strcmp(name, names[i]) == 0)
			return values[i][0] ? values[i] : NULL;
	REQUIRE(!"a variable that is not told");
	return NULL;
}

size_t os_page_bytes(void)
{
	return machine & 1 ? 65536 : 4096;
}

static unsigned allowed(void)
{
	static const unsigned counts[] = {1, 2, 64, 5000};

	return counts[machine >> 1 & 3];
}

static unsigned limit(void)
{
	static const unsigned limits[] = {1, 3, 1024, UINT32_MAX};

	return limits[machine >> 3 & 3];
}

int os_cpus_allowed(struct os_cpulist *ret)
{
	if (machine & 1 << 5)
		return -EPERM;
	*ret = (struct os_cpulist){.count = allowed()};
	return 0;
}

void os_cpulist_fini(struct os_cpulist *list)
{
	REQUIRE(list->count == allowed());
}

int os_cpu_limit(const char *root, unsigned *ret_cpus_ceil)
{
	REQUIRE(!*root);
	if (machine & 1 << 6)
		return -ENOMEM;
	*ret_cpus_ceil = limit();
	return 0;
}

void os_write_err(const char *text, size_t bytes)
{
	REQUIRE(bytes < sizeof(shown) && strlen(text) == bytes);
	memcpy(shown, text, bytes + 1);
}

/* "NAME=value" lines; the last of a name is what it is. */
static void set_variables(const char *text, size_t size)
{
	const char *end = text + size;

	while (text < end) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		size_t length = (size_t)((stop ? stop : end) - text);

		for (int i = 0; i < NAMES; i++) {
			size_t name = strlen(names[i]);

			if (length <= name || text[name] != '=' ||
			    memcmp(text, names[i], name) != 0)
				continue;
			snprintf(values[i], VALUE_MAX, "%.*s",
				 (int)(length - name - 1), text + name + 1);
		}
		text += length + 1;
	}
}

/* The number a value stands for, by another way; more than any when it is too
 * large.  false: it is none. */
static bool number_of(const char *text, double *ret_number)
{
	size_t digits = strspn(text, "0123456789");
	const char *suffix = text + digits;
	double number = 0;

	if (!digits || (*suffix && (!strchr("KMG", *suffix) || suffix[1])))
		return false;
	for (size_t i = 0; i < digits; i++)
		number = number * 10 + (text[i] - '0');
	for (; *suffix && *suffix != 'K'; suffix = *suffix == 'G' ? "M" : "K")
		number *= 1024;
	*ret_number = *suffix ? number * 1024 : number;
	return true;
}

/* What the variable makes of a default; false: it is to be refused. */
static bool expected_number(int name, double least, double most, double *number)
{
	if (!values[name][0])
		return true;
	return number_of(values[name], number) && *number >= least &&
	       *number <= most;
}

struct expected {
	double cpus, stack, slice_us, tasks;
	int books;
	int placement;
};

static bool expected_word(int name, const char *const *words, int *number)
{
	for (int i = 0; i < 3; i++) {
		if (strcmp(values[name], words[i]) == 0) {
			*number = i;
			return true;
		}
	}
	return !values[name][0];
}

static bool expect(struct expected *expected)
{
	static const char *const books[] = {"task", "group", "off"};
	static const char *const placements[] = {"auto", "local", "spread"};

	return expected_word(BOOKS, books, &expected->books) &&
	       expected_word(PLACEMENT, placements, &expected->placement) &&
	       expected_number(CPUS, 1, 1024, &expected->cpus) &&
	       expected_number(STACK, 4096, 1 << 30, &expected->stack) &&
	       expected_number(SLICE, 100, 10000000, &expected->slice_us) &&
	       expected_number(TASKS, 1, 1 << 24, &expected->tasks);
}

/* As many as there are, by affinity and container. */
static unsigned machine_cpus(void)
{
	unsigned cpus = allowed() < limit() ? allowed() : limit();

	return cpus < 1024 ? cpus : 1024;
}

static void require_in_force(const struct mete_options *options,
			     const struct expected *expected)
{
	double page = (double)os_page_bytes();

	REQUIRE(options->size == sizeof(*options));
	REQUIRE(options->cpus ==
		(expected->cpus ? expected->cpus : machine_cpus()));
	REQUIRE((int)options->books == expected->books);
	REQUIRE((int)options->placement == expected->placement);
	REQUIRE(options->stack_bytes % os_page_bytes() == 0);
	REQUIRE((double)options->stack_bytes >= expected->stack);
	REQUIRE((double)options->stack_bytes < expected->stack + page);
	REQUIRE((double)(options->slice_ns / 1000) == expected->slice_us);
	REQUIRE(options->max_tasks == expected->tasks);
}

/* What is shown is an environment that says the same. */
static void require_shown(const struct mete_options *options)
{
	struct mete_options again;

	shown[0] = '\0';
	options_show(options);
	if (options->flags & METE_IGNORE_ENV ||
	    strcmp(values[SHOW], "1") != 0) {
		REQUIRE(!shown[0]);
		return;
	}
	memset(values, 0, sizeof(values));
	set_variables(shown, strlen(shown));
	REQUIRE(options_resolve(NULL, &again) == 0);
	REQUIRE(again.cpus == options->cpus);
	REQUIRE(again.books == options->books);
	REQUIRE(again.placement == options->placement);
	REQUIRE(again.stack_bytes == options->stack_bytes);
	REQUIRE(again.slice_ns / 1000 == options->slice_ns / 1000);
	REQUIRE(again.max_tasks == options->max_tasks);
}

/* What the program itself asks for. */
static const struct mete_options *options_of(uint8_t byte,
					     struct mete_options *options)
{
	*options = (struct mete_options)METE_OPTIONS_INIT;
	if (!(byte & 7))
		return NULL;
	if (byte & 1)
		options->cpus = 7;
	if (byte & 2)
		options->slice_ns = 4000123;
	if (byte & 4)
		options->stack_bytes = 70000;
	if (byte & 8)
		options->flags = METE_IGNORE_ENV;
	if (byte & 16)
		options->books = METE_BOOKS_OFF;
	if (byte & 32)
		options->max_tasks = 1;
	if (byte & 64)
		options->placement = METE_PLACE_SPREAD;
	return options;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mete_options asked, in_force, untouched;
	const struct mete_options *options;
	struct expected expected;
	int status;
	bool valid;

	if (size < 2)
		return 0;
	machine = data[0];
	options = options_of(data[1], &asked);
	memset(values, 0, sizeof(values));
	set_variables((const char *)data + 2, size - 2);
	expected = (struct expected){
		.cpus = asked.cpus,
		.stack = asked.stack_bytes ? (double)asked.stack_bytes : 65536,
		.slice_us = asked.slice_ns ? 4000 : 3000,
		.tasks = asked.max_tasks ? 1 : 1 << 20,
		.books = (int)asked.books,
		.placement = (int)asked.placement,
	};
	valid = asked.flags & METE_IGNORE_ENV || expect(&expected);
	memset(&in_force, 0x5a, sizeof(in_force));
	untouched = in_force;
	status = options_resolve(options, &in_force);
	if (!valid)
		REQUIRE(status == -EINVAL);
	else if (!expected.cpus && machine & (1 << 5 | 1 << 6))
		REQUIRE(status == (machine & 1 << 5 ? -EPERM : -ENOMEM));
	else
		REQUIRE(status == 0);
	if (status) {
		REQUIRE(!memcmp(&in_force, &untouched, sizeof(in_force)));
		return 0;
	}
	require_in_force(&in_force, &expected);
	require_shown(&in_force);
	return 0;
}

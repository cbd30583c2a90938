/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory refused, at each place where the reader asks for it: one message,
 * nothing given, nothing leaked.
 *
 * The program brings an allocator of its own, glibc's behind a count; where a
 * sanitizer brings one there is nothing to be had here.
 */
#include <stdlib.h>

#include "unit/lab/grammar.h"

#if TEST_ASAN || TEST_TSAN || TEST_MSAN || !defined(__GLIBC__)
TEST(memory_refused)
{
	SKIP("the allocator is not ours in this build");
}
#else
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *old, size_t bytes);
void __libc_free(void *bytes);

static long asked;   /* how often memory was asked for */
static long refuse;  /* the ask that is refused; 0 = none */
static bool forever; /* and all after it */
static long live;    /* blocks given and not given back */

static bool grants(void)
{
	asked++;
	return refuse == 0 || (asked != refuse && !(forever && asked > refuse));
}

void *malloc(size_t bytes)
{
	void *block = grants() ? __libc_malloc(bytes) : NULL;

	live += block != NULL;
	return block;
}

void *calloc(size_t count, size_t bytes)
{
	void *block = grants() ? __libc_calloc(count, bytes) : NULL;

	live += block != NULL;
	return block;
}

void *realloc(void *old, size_t bytes)
{
	void *block = grants() ? __libc_realloc(old, bytes) : NULL;

	live += block != NULL && !old;
	return block;
}

void *reallocarray(void *old, size_t count, size_t bytes)
{
	return realloc(old, count * bytes);
}

void free(void *block)
{
	live -= block != NULL;
	__libc_free(block);
}

static const char everything[] =
	"{\"tasks\":{\"a\":{\"instance\":2,\"run\":1,\"suspend\",\"lock\":"
	"\"m\","
	"\"wait\":{\"ref\":\"c\",\"mutex\":\"m\"},\"unlock\":\"m\","
	"\"timer\":{\"ref\":\"unique\",\"period\":5},\"barrier\":\"b\","
	"\"cpus\":[0,1,0],\"taskgroup\":\"/a/b\",\"frag\":1,},"
	"\"a\":{\"phases\":{\"p\":{\"run\":1,\"fork\":\"a1\",\"mem\":5,"
	"\"cpus\":[1],\"taskgroup\":\"/c\"},\"q\":{\"mem\":1}}}},"
	"\"a much longer key than any other in this file, to grow a buffer, "
	"and to grow it again, until it moves\":\"and a value that is as "
	"long as that, with an escape \\n in it, to be copied, and so on\","
	"\"global\":{\"duration\":1,\"logdir\":\"./\"}}";

/*
 * Reads with the n-th ask refused; whether it came to that.  The C library can
 * do without a few of its own (it gives back what a message did not need):
 * then the program is whole.  Counts what was refused in *ret_failures.
 */
static bool read_refused(long n, bool all, long *ret_failures)
{
	struct lab_program *program = NULL;
	struct lab_error error = {{0, 0}, ""};
	long before = live;
	int r;

	asked = 0;
	forever = all;
	refuse = n;
	r = lab_program_parse(everything, sizeof(everything) - 1, "f", &program,
			      &error);
	refuse = 0;
	if (r == 0) {
		CHECK_EQ(program->task_count, 3);
		CHECK_EQ(program->warning_count, 4);
	} else {
		CHECK_EQ(r, -12);
		CHECK_STR(error.text, "f: no memory to read it");
		CHECK(!program);
		++*ret_failures;
	}
	lab_program_free(program);
	CHECK_EQ(live, before);
	return n > 0 && asked >= n;
}

static void refuse_each(bool all)
{
	long failures = 0;
	long n = 1;

	CHECK(!read_refused(0, all, &failures));
	CHECK_EQ(failures, 0);
	while (read_refused(n, all, &failures))
		n++;
	NOTE("%ld asks, refused at %ld of them", n - 1, failures);
	CHECK_GT(failures, 80);
	CHECK_GE(failures, n - 1 - 5);
}

TEST(memory_refused_once)
{
	refuse_each(false);
}

TEST(memory_refused_for_ever)
{
	refuse_each(true);
}
#endif

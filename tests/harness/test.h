/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The test harness: a file is a program, a TEST is a case.
 *
 * Each case runs in a child process of its own, in its own process group and
 * under a wall-time limit, so that a case may start and leave runtimes,
 * threads and children as it likes, crash, hang or stop itself.  The result is
 * TAP on standard output.
 *
 * A failed check records where and what, and ends the child with _exit():
 * never longjmp or abort, since it may stand on a task's stack.  It needs
 * about 1 KiB of that.  Checks may be made from any thread, task or signal
 * handler.  A case that passes leaves by exit(), so that leak checkers run.  A
 * case that ends without having made a check has failed: it can't fail
 * otherwise.
 *
 *	#include "harness/test.h"
 *
 *	TEST(adds_up)
 *	{
 *		CHECK_EQ(add(1, 2), 3);
 *	}
 */
#ifndef METE_TEST_H
#define METE_TEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which sanitizer this was compiled with; gcc and clang say it differently. */
#if defined(__has_feature)
# define TEST_FEATURE(name) __has_feature(name)
#else
# define TEST_FEATURE(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || TEST_FEATURE(address_sanitizer)
# define TEST_ASAN 1
#else
# define TEST_ASAN 0
#endif
#if defined(__SANITIZE_THREAD__) || TEST_FEATURE(thread_sanitizer)
# define TEST_TSAN 1
#else
# define TEST_TSAN 0
#endif
#if TEST_FEATURE(memory_sanitizer)
# define TEST_MSAN 1
#else
# define TEST_MSAN 0
#endif

/* They watch over the C library's functions themselves, and make its calls. */
#define TEST_SANITIZED (TEST_ASAN || TEST_TSAN || TEST_MSAN)

/* Whether coverage is counted, in code that is not optimised. */
#ifdef METE_COVERAGE
# define TEST_COVERAGE 1
#else
# define TEST_COVERAGE 0
#endif

struct test_case {
	const char *name;
	void (*run)(void);
	unsigned limit_s;
	struct test_case *next;
};

/* Wall time of a case, unless TEST_WITHIN says otherwise. */
#define TEST_LIMIT_S 20

/* A case; registered before main() in the order of the file. */
#define TEST(name) TEST_WITHIN(name, TEST_LIMIT_S)

/* A case that may take `seconds` in a plain build (more in slow ones). */
#define TEST_WITHIN(name, seconds)                                        \
 static void test_##name(void);                                           \
 static struct test_case test_case_##name = {#name, test_##name, seconds, \
					     NULL};                       \
 __attribute__((constructor)) static void test_add_##name(void)           \
 {                                                                        \
  test_register(&test_case_##name);                                       \
 }                                                                        \
 static void test_##name(void)

/* The condition holds. */
#define CHECK(condition)                            \
 do {                                               \
  test_checked();                                   \
  if (!(condition))                                 \
   test_fail(__FILE__, __LINE__, "%s", #condition); \
 } while (0)

/* Two integers of at most 64 bits compare so; both are printed if not. */
#define CHECK_EQ(a, b) TEST_COMPARE(a, ==, b)
#define CHECK_NE(a, b) TEST_COMPARE(a, !=, b)

/* The same as signed numbers. */
#define CHECK_LT(a, b) TEST_COMPARE(a, <, b)
#define CHECK_LE(a, b) TEST_COMPARE(a, <=, b)
#define CHECK_GT(a, b) TEST_COMPARE(a, >, b)
#define CHECK_GE(a, b) TEST_COMPARE(a, >=, b)

#define TEST_COMPARE(a, op, b)                                               \
 do {                                                                        \
  int64_t test_a = (int64_t)(a);                                             \
  int64_t test_b = (int64_t)(b);                                             \
  test_checked();                                                            \
  if (!(test_a op test_b))                                                   \
   test_fail_compare(__FILE__, __LINE__, #a " " #op " " #b, test_a, test_b); \
 } while (0)

/* Two strings are equal. */
#define CHECK_STR(a, b) test_check_str(__FILE__, __LINE__, #a, (a), (b))

/* The string `text` contains `part`. */
#define CHECK_HAS(text, part) \
 test_check_has(__FILE__, __LINE__, #text, (text), (part))

/* Give up, and say why and with what: FAIL("task %u is lost", n). */
#define FAIL(...) test_fail(__FILE__, __LINE__, __VA_ARGS__)

/* Leave the case as skipped; the reason is shown. */
#define SKIP(...) test_skip(__VA_ARGS__)

/* A line of comment in the output. */
#define NOTE(...) test_note(__VA_ARGS__)

/*
 * How much slower this build is thought to be (METE_TEST_SLOW; 1 = plain),
 * limits are stretched by it.  test_rounds() shortens a loop accordingly.
 */
unsigned test_slow(void);
uint64_t test_rounds(uint64_t rounds);

/*
 * Random numbers that can be had again: seeded by METE_TEST_SEED (printed when
 * a case fails), the same in each child.
 */
uint64_t test_seed(void);
uint64_t test_random(uint64_t *state);

/* What became of a function in a child process. */
struct test_outcome {
	int status;        /* as of waitpid() */
	char output[4096]; /* what it wrote to fds 1 and 2, cut, NUL at end */
};

/*
 * Run fn(arg) in a child of its own and wait for it; returning from fn is
 * _exit(0).  For what must die.  Not from a task.
 */
void test_in_child(void (*fn)(void *), void *arg,
		   struct test_outcome *ret_outcome);

/* Behind the macros. */
void test_register(struct test_case *test);
void test_checked(void);
void test_fail(const char *file, int line, const char *format, ...)
	__attribute__((noreturn, format(printf, 3, 4)));
void test_fail_compare(const char *file, int line, const char *what, int64_t a,
		       int64_t b) __attribute__((noreturn));
void test_check_str(const char *file, int line, const char *what, const char *a,
		    const char *b);
void test_check_has(const char *file, int line, const char *what,
		    const char *text, const char *part);
void test_skip(const char *format, ...)
	__attribute__((noreturn, format(printf, 1, 2)));
void test_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The harness's parent runs the cases one after the other and is the only one
 * that prints results; what a child has to say (a failure, a reason to skip)
 * stands in one shared page.  The first to fail claims the page, a second
 * failure of another thread only waits for the end.
 */
#include "harness/test.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	EXIT_FAILED = 1,
	EXIT_SKIPPED = 77,
	POLL_MS = 50,
	MS_PER_S = 1000,
};

/* Shared by the parent and the child that runs a case. */
struct page {
	int claimed; /* a failure or skip is being written */
	int checked; /* at least one check was made */
	char text[1024];
};

static struct test_case *first_case;
static struct test_case **last_case = &first_case;
static struct page *page;
static pid_t harness_pid;

void test_register(struct test_case *test)
{
	*last_case = test;
	last_case = &test->next;
}

void test_checked(void)
{
	/* Looked at first: checks in hot loops must not fight for the line. */
	if (!__atomic_load_n(&page->checked, __ATOMIC_RELAXED))
		__atomic_store_n(&page->checked, 1, __ATOMIC_RELAXED);
}

/* Only one may end the case; the others wait to be ended with it. */
static void claim_page(void)
{
	if (!__atomic_exchange_n(&page->claimed, 1, __ATOMIC_ACQ_REL))
		return;
	for (;;)
		pause();
}

static void leave(int status) __attribute__((noreturn));
static void leave(int status)
{
	if (getpid() == harness_pid) { /* --nofork: nobody else will say it */
		fflush(stdout);
		dprintf(STDOUT_FILENO, "# %s\n", page->text);
	}
	_exit(status);
}

void test_fail(const char *file, int line, const char *format, ...)
{
	va_list args;
	int used;

	claim_page();
	used = snprintf(page->text, sizeof(page->text), "%s:%d: ", file, line);
	if (used > 0 && (size_t)used < sizeof(page->text)) {
		va_start(args, format);
		vsnprintf(page->text + used, sizeof(page->text) - (size_t)used,
			  format, args);
		va_end(args);
	}
	leave(EXIT_FAILED);
}

void test_fail_compare(const char *file, int line, const char *what, int64_t a,
		       int64_t b)
{
	test_fail(file, line, "%s: %lld (0x%llx) and %lld (0x%llx)", what,
		  (long long)a, (unsigned long long)a, (long long)b,
		  (unsigned long long)b);
}

void test_check_str(const char *file, int line, const char *what, const char *a,
		    const char *b)
{
	test_checked();
	if (!a || !b || strcmp(a, b))
		test_fail(file, line, "%s is \"%.400s\", expected \"%.400s\"",
			  what, a ? a : "(null)", b ? b : "(null)");
}

void test_check_has(const char *file, int line, const char *what,
		    const char *text, const char *part)
{
	test_checked();
	if (!text || !strstr(text, part))
		test_fail(file, line, "%s is \"%.600s\", without \"%.200s\"",
			  what, text ? text : "(null)", part);
}

void test_skip(const char *format, ...)
{
	va_list args;

	claim_page();
	va_start(args, format);
	vsnprintf(page->text, sizeof(page->text), format, args);
	va_end(args);
	leave(EXIT_SKIPPED);
}

void test_note(const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	dprintf(STDOUT_FILENO, "# %s\n", text);
}

static uint64_t environment_number(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text && *text ? strtoull(text, NULL, 0) : otherwise;
}

unsigned test_slow(void)
{
	unsigned slow = (unsigned)environment_number("METE_TEST_SLOW", 1);

	return slow ? slow : 1;
}

uint64_t test_rounds(uint64_t rounds)
{
	uint64_t few = rounds / test_slow();

	return few ? few : 1;
}

uint64_t test_seed(void)
{
	return environment_number("METE_TEST_SEED", 1);
}

/* splitmix64: any state will do, 0 too. */
uint64_t test_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

void test_in_child(void (*fn)(void *), void *arg,
		   struct test_outcome *ret_outcome)
{
	size_t used = 0;
	int pipe_fds[2];
	ssize_t n;
	pid_t pid;

	fflush(NULL);
	if (pipe(pipe_fds))
		FAIL("pipe: %s", strerror(errno));
	pid = fork();
	if (pid < 0)
		FAIL("fork: %s", strerror(errno));
	if (!pid) {
		dup2(pipe_fds[1], STDOUT_FILENO);
		dup2(pipe_fds[1], STDERR_FILENO);
		close(pipe_fds[0]);
		close(pipe_fds[1]);
		fn(arg);
		fflush(NULL);
		_exit(0);
	}
	close(pipe_fds[1]);
	do { /* read to the end, keep what fits */
		char rest[512];
		size_t room = sizeof(ret_outcome->output) - 1 - used;

		n = room ? read(pipe_fds[0], ret_outcome->output + used, room)
			 : read(pipe_fds[0], rest, sizeof(rest));
		if (n > 0 && room)
			used += (size_t)n;
	} while (n > 0 || (n < 0 && errno == EINTR));
	close(pipe_fds[0]);
	ret_outcome->output[used] = '\0';
	while (waitpid(pid, &ret_outcome->status, 0) < 0 && errno == EINTR)
		;
}

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * MS_PER_S +
	       (uint64_t)now.tv_nsec / 1000000;
}

/* Wait for the child; false when its time is over. */
static bool wait_until(pid_t pid, uint64_t limit_ms, int *ret_status)
{
	uint64_t end_ms = now_ms() + limit_ms;
	struct timespec step = {0, POLL_MS * 1000000L};
	sigset_t child_ends;

	sigemptyset(&child_ends);
	sigaddset(&child_ends, SIGCHLD);
	for (;;) {
		if (waitpid(pid, ret_status, WNOHANG) == pid)
			return true;
		if (now_ms() > end_ms)
			return false;
		sigtimedwait(&child_ends, NULL, &step);
	}
}

static pid_t start_case(const struct test_case *test)
{
	sigset_t child_ends;
	pid_t pid;

	/* Blocked, so that its coming ends sigtimedwait() in the parent. */
	sigemptyset(&child_ends);
	sigaddset(&child_ends, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child_ends, NULL);
	fflush(NULL);
	pid = fork();
	if (pid)
		return pid;
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigprocmask(SIG_UNBLOCK, &child_ends, NULL);
	test->run();
	exit(0);
}

static void result(bool ok, unsigned number, const char *name,
		   const char *directive)
{
	printf("%sok %u - %s%s\n", ok ? "" : "not ", number, name, directive);
}

/* METE_TEST_LIMIT_S: a case may take no longer, whatever it says itself. */
static uint64_t limit_ms_of(const struct test_case *test)
{
	uint64_t most = environment_number("METE_TEST_LIMIT_S", UINT64_MAX);

	return (test->limit_s < most ? test->limit_s : most) * MS_PER_S *
	       test_slow();
}

/* Run a case in a child; true unless it failed. */
static bool run_case(const struct test_case *test, unsigned number)
{
	uint64_t limit_ms = limit_ms_of(test);
	char directive[sizeof(page->text) + 16] = "";
	char why[128] = "";
	int status = 0;
	bool ok = false;
	pid_t pid;

	memset(page, 0, sizeof(*page));
	pid = start_case(test);
	if (pid < 0) {
		snprintf(why, sizeof(why), "fork: %s", strerror(errno));
	} else if (!wait_until(pid, limit_ms, &status)) {
		snprintf(why, sizeof(why), "not done after %llu ms",
			 (unsigned long long)limit_ms);
		kill(-pid, SIGKILL);
		waitpid(pid, &status, 0);
	} else if (WIFSIGNALED(status)) {
		snprintf(why, sizeof(why), "killed by signal %d (%s)",
			 WTERMSIG(status), strsignal(WTERMSIG(status)));
	} else if (WEXITSTATUS(status) == EXIT_SKIPPED) {
		snprintf(directive, sizeof(directive), " # SKIP %s",
			 page->text);
		ok = true;
	} else if (WEXITSTATUS(status)) {
		snprintf(why, sizeof(why), "exit status %d",
			 WEXITSTATUS(status));
	} else if (!page->checked) {
		snprintf(why, sizeof(why), "made no check");
	} else {
		ok = true;
	}
	if (pid > 0)
		kill(-pid, SIGKILL); /* whatever it left behind */
	result(ok, number, test->name, directive);
	if (!ok)
		printf("# %s%s%s (seed %llu)\n", page->text,
		       page->text[0] ? "; " : "", why,
		       (unsigned long long)test_seed());
	return ok;
}

static bool is_wanted(const char *name, char **names, int count)
{
	for (int i = 0; i < count; i++)
		if (!strcmp(name, names[i]))
			return true;
	return !count;
}

static unsigned count_wanted(char **names, int count)
{
	unsigned wanted = 0;

	for (struct test_case *test = first_case; test; test = test->next)
		wanted += is_wanted(test->name, names, count);
	return wanted;
}

static int usage(const char *program, int status)
{
	fprintf(status ? stderr : stdout,
		"usage: %s [--list | --nofork] [CASE...]\n", program);
	return status;
}

int main(int argc, char **argv)
{
	bool list = argc > 1 && !strcmp(argv[1], "--list");
	bool nofork = argc > 1 && !strcmp(argv[1], "--nofork");
	int first = 1 + (list || nofork);
	unsigned number = 0, failed = 0;
	unsigned wanted;

	if (argc > first && argv[first][0] == '-')
		return usage(argv[0], strcmp(argv[first], "--help") ? 2 : 0);
	page = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return 2;
	wanted = count_wanted(argv + first, argc - first);
	if (!wanted) {
		fprintf(stderr, "%s: no such case\n", argv[0]);
		return 2;
	}
	if (nofork)
		harness_pid = getpid();
	if (!list)
		printf("1..%u\n", wanted);
	for (struct test_case *test = first_case; test; test = test->next) {
		if (!is_wanted(test->name, argv + first, argc - first))
			continue;
		if (list) {
			printf("%s\n", test->name);
		} else if (nofork) { /* for debuggers; a failure ends it */
			test->run();
			result(page->checked, ++number, test->name, "");
			page->checked = 0;
		} else {
			failed += !run_case(test, ++number);
		}
	}
	return failed != 0;
}

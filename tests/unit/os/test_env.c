/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The environment is read, but not by programs with more rights than their
 * caller: a copy of this program, set-user-ID of another user, sees nothing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/test.h"
#include "os/env.h"
#include "os/file.h"

/* Runs in the copy, before the harness. */
__attribute__((constructor)) static void answer(void)
{
	/* Past secure_getenv(), or the copy would never get here. */
	if (getenv("OS_ENV_ANSWER"))
		_exit(os_getenv("OS_ENV_ANSWER") ? 10 : 11);
}

TEST(what_is_set_is_read)
{
	unsetenv("METE_OS_TEST");
	CHECK(!os_getenv("METE_OS_TEST"));
	setenv("METE_OS_TEST", "17", 1);
	CHECK_STR(os_getenv("METE_OS_TEST"), "17");
}

static void copy_self(const char *to)
{
	char buffer[65536];
	FILE *in = fopen("/proc/self/exe", "rb");
	FILE *out = fopen(to, "wb");
	size_t n;

	CHECK(in && out);
	while ((n = fread(buffer, 1, sizeof(buffer), in)))
		CHECK_EQ(fwrite(buffer, 1, n, out), n);
	fclose(in);
	fclose(out);
}

static void run_copy(void *path)
{
	setenv("OS_ENV_ANSWER", "1", 1);
	if (!geteuid() && setuid(65534))
		_exit(1);
	execl(path, path, (char *)NULL);
	_exit(2);
}

TEST(set_user_id_programs_read_nothing)
{
	char dir[] = "/tmp/mete-env-XXXXXX";
	char path[64];
	struct test_outcome plain;
	struct test_outcome raised;

	if (geteuid())
		SKIP("only root can make a program another user's");
	CHECK(mkdtemp(dir));
	CHECK_EQ(chmod(dir, 0755), 0);
	snprintf(path, sizeof(path), "%s/copy", dir);
	copy_self(path);
	CHECK_EQ(chmod(path, 0755), 0);
	test_in_child(run_copy, path, &plain);
	CHECK_EQ(chmod(path, 04755), 0);
	test_in_child(run_copy, path, &raised);
	unlink(path);
	rmdir(dir);
	CHECK_EQ(WEXITSTATUS(plain.status), 10);
	if (WEXITSTATUS(raised.status) == 10)
		SKIP("/tmp ignores set-user-ID");
	CHECK_EQ(WEXITSTATUS(raised.status), 11);
}

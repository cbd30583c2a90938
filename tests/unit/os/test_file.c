/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files are read whole, whatever their length.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/test.h"
#include "os/file.h"
#include "os/inject.h"
#include "os/mem.h"

static void write_file(const char *path, size_t bytes)
{
	FILE *file = fopen(path, "w");

	CHECK(file);
	for (size_t i = 0; i < bytes; i++)
		fputc('a' + (int)(i % 26), file);
	fclose(file);
}

TEST(lengths)
{
	static const size_t lengths[] = {0,    1,    4094, 4095,
					 4096, 8191, 8192, 100000};
	char path[] = "/tmp/mete-file-XXXXXX";

	CHECK_GE(mkstemp(path), 0);
	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		char *text;

		write_file(path, lengths[i]);
		CHECK_EQ(os_file_read(path, &text), 0);
		CHECK_EQ(strlen(text), lengths[i]);
		for (size_t k = 0; k < lengths[i]; k += 97)
			CHECK_EQ(text[k], 'a' + (int)(k % 26));
		os_free(text);
	}
	unlink(path);
}

TEST(errors_are_told)
{
	char *text = NULL;
	int lowest = dup(0);

	close(lowest);
	CHECK_EQ(os_file_read("/nowhere/at/all", &text), -ENOENT);
	CHECK_EQ(os_file_read("/tmp", &text), -EISDIR);
	CHECK_EQ(os_file_read("/dev/zero", &text), -EFBIG);
	CHECK(!text);
	/* No descriptor was left open. */
	CHECK_EQ(dup(0), lowest);
}

#ifdef METE_FAULTS
TEST(refusals_leak_nothing)
{
	char path[] = "/tmp/mete-file-XXXXXX";
	int lowest;

	CHECK_GE(mkstemp(path), 0);
	write_file(path, 10000);
	lowest = dup(0);
	close(lowest);
	for (uint64_t k = 1;; k++) {
		char *text = NULL;
		int err;

		os_fault_arm(OS_CALL_ANY, k, false);
		err = os_file_read(path, &text);
		if (os_fault_count(OS_CALL_ANY) < k) {
			CHECK_EQ(err, 0);
			os_free(text);
			break;
		}
		CHECK(err == -ENOMEM || err == -EMFILE);
		CHECK(!text);
		CHECK_EQ(dup(0), lowest);
		close(lowest);
	}
	unlink(path);
}
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Files: what is read whole, and what can't be read. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lab/grammar/text.h"
#include "unit/lab/grammar.h"

/* A file of `length` times `byte`; the name is the caller's. */
static char *new_file(char byte, size_t length)
{
	char *name = strdup("/tmp/mete-test-XXXXXX");
	int fd = mkstemp(name);
	FILE *file = fdopen(fd, "w");

	CHECK(file);
	for (size_t i = 0; i < length; i++)
		putc(byte, file);
	CHECK_EQ(fclose(file), 0);
	return name;
}

static void drop_file(char *name)
{
	unlink(name);
	free(name);
}

TEST(a_file_is_read_whole)
{
	static const size_t lengths[] = {0, 1, 4094, 4095, 4096, 4097, 100000};

	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		char *name = new_file('x', lengths[i]);
		struct lab_text text;
		struct lab_error error;

		CHECK_EQ(lab_text_read(name, &text, &error), 0);
		CHECK_EQ(text.length, lengths[i]);
		CHECK_EQ(strlen(text.bytes), lengths[i]);
		free(text.bytes);
		drop_file(name);
	}
}

TEST(a_missing_file_is_named)
{
	struct lab_text text;
	struct lab_error error;

	CHECK_EQ(lab_text_read("/nowhere/x.json", &text, &error), -2);
	CHECK_STR(error.text, "/nowhere/x.json: No such file or directory, "
			      "expected a workload file");
	CHECK_EQ(error.place.line, 0);
}

TEST(a_directory_is_named)
{
	struct lab_text text;
	struct lab_error error;

	CHECK_EQ(lab_text_read("/tmp", &text, &error), -21);
	CHECK_STR(error.text, "/tmp: Is a directory, expected a workload file");
}

TEST(length_is_bounded)
{
	char *name = new_file(' ', LAB_TEXT_BYTES_MAX);
	struct lab_text text;
	struct lab_error error;

	CHECK_EQ(lab_text_read(name, &text, &error), 0);
	CHECK_EQ(text.length, LAB_TEXT_BYTES_MAX);
	free(text.bytes);
	drop_file(name);
	CHECK_EQ(lab_text_read("/dev/zero", &text, &error), -22);
	CHECK_STR(error.text, "/dev/zero: too long, expected at most 16 MiB");
}

TEST(a_dash_is_standard_input)
{
	char *name = new_file('y', 5000);
	struct lab_text text;
	struct lab_error error;

	CHECK(freopen(name, "r", stdin));
	CHECK_EQ(lab_text_read("-", &text, &error), 0);
	CHECK_EQ(text.length, 5000);
	CHECK_STR(lab_text_name("-"), "<stdin>");
	CHECK_STR(lab_text_name("./-"), "./-");
	free(text.bytes);
	drop_file(name);
}

TEST(a_closed_standard_input_is_named)
{
	struct lab_text text;
	struct lab_error error;

	close(0);
	CHECK_EQ(lab_text_read("-", &text, &error), -9);
	CHECK_HAS(error.text, "<stdin>: Bad file descriptor");
}

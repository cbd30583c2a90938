/* SPDX-License-Identifier: Apache-2.0 */
/* lab/exec_mem.c: what moves memory does so, and is refused by name. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "unit/lab/run.h"

TEST(memory_is_gone_through_on_every_engine)
{
	for (size_t i = 0; lab_engines[i]; i++) {
		struct lab_result result;

		run_text(
			"{\"global\": {\"mem_buffer_size\": 100000},"
			"\"tasks\": {\"a\": {\"instance\": 2, \"loop\": 2,"
			" \"mem\": 1000000, \"iorun\": 1000000,"
			" \"memrun\": {\"type\": \"read\", \"size\": 10000,"
			" \"count\": 3000},"
			" \"memrun1\": {\"type\": \"write\", \"size\": 1000,"
			" \"count\": 5000, \"pattern\": \"random\"},"
			" \"memrun2\": {\"type\": \"chase\", \"size\": 100000,"
			" \"count\": 5000, \"pattern\": \"random\"}},"
			"\"b\": {\"loop\": 2, \"memrun\": {\"type\": \"chase\","
			" \"size\": 3, \"count\": 100, \"ref\": \"x\"}}}}",
			lab_engines[i], &result);
		CHECK_EQ(result.outcome, LAB_ENDED);
		if (result.warnings)
			FAIL("%s", result.warnings);
		CHECK_GT(task_usage(&result, "a-1")->exec_ns, 20000);
		lab_result_free(&result);
	}
}

TEST(a_longer_chase_takes_longer)
{
	struct lab_result result;

	run_text("{\"tasks\": {"
		 "\"few\": {\"loop\": 1, \"memrun\": {\"type\": \"chase\","
		 " \"size\": 4096, \"count\": 2000}},"
		 "\"many\": {\"loop\": 1, \"memrun\": {\"type\": \"chase\","
		 " \"size\": 4096, \"count\": 4000000}}}}",
		 &lab_engine_mete, &result);
	CHECK_GT(task_usage(&result, "many-0")->exec_ns,
		 20 * task_usage(&result, "few-0")->exec_ns);
	lab_result_free(&result);
}

TEST(what_cannot_be_had_is_told)
{
	struct lab_result result;

	run_text("{\"tasks\": {\"a\": {\"loop\": 1, \"memrun\": {\"type\":"
		 " \"read\", \"size\": 4000000000000000000, \"count\": 1}}}}",
		 &lab_engine_threads, &result);
	CHECK_EQ(result.outcome, LAB_ENDED);
	CHECK_HAS(result.warnings, "a-0: no buffer for it; left out");
	lab_result_free(&result);
}

TEST(bytes_go_to_the_device_that_is_allowed)
{
	char path[] = "/tmp/mete-device-XXXXXX";
	char text[256];
	int fd = mkstemp(path);
	struct lab_program *program;
	struct lab_run_options options = {
		.engine = &lab_engine_mete,
		.duration_us = LAB_FOREVER,
	};
	struct lab_result result;
	struct lab_error error;

	CHECK_GE(fd, 0);
	snprintf(text, sizeof(text),
		 "{\"global\": {\"io_device\": \"%s\","
		 " \"mem_buffer_size\": 1000},"
		 "\"tasks\": {\"a\": {\"loop\": 2, \"iorun\": 12345}}}",
		 path);
	program = program_of(text);
	CHECK(lab_run(program, &options, &result, &error) < 0);
	CHECK_HAS(error.text, "test.json:1:26: \"io_device\" is \"/tmp/mete-");
	CHECK_HAS(error.text, "expected --allow-io for any other than "
			      "\"/dev/null\"");
	options.allow_io = true;
	CHECK_EQ(lab_run(program, &options, &result, &error), 0);
	CHECK_EQ(lseek(fd, 0, SEEK_END), 24690);
	lab_result_free(&result);
	lab_program_free(program);
	close(fd);
	unlink(path);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The object "global": how long, calibrated on what, and what the log files
 * are to be, which this version leaves out.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lab/grammar/reader.h"

static const struct lab_range durations = {INT64_MIN, LAB_DURATION_S_MAX,
					   "seconds, or -1"};
static const struct lab_range loop_costs = {1, 1000000, "ns a loop"};
static const struct lab_range buffers = {1, INT64_C(1) << 40, "bytes"};
static const struct lab_range sizes = {0, INT64_MAX, "a size"};

static int read_duration(struct lab_reader *r, const struct lab_node *node)
{
	int64_t seconds;
	int error = lab_integer(r, node, &durations, &seconds);

	if (error < 0)
		return error;
	r->program->duration_us = seconds > 0 ? seconds * 1000000 : LAB_FOREVER;
	return 0;
}

/* "CPU3" or an integer. */
static int read_calibration(struct lab_reader *r, const struct lab_node *node)
{
	struct lab_program *program = r->program;
	const char *text;
	int64_t value;
	char *end;
	int error;

	if (node->kind != LAB_NODE_STRING) {
		error = lab_integer(r, node, &loop_costs, &value);
		if (error < 0)
			return error;
		program->calibration = LAB_NS_PER_LOOP;
		program->calibration_ns = (unsigned)value;
		return 0;
	}
	text = lab_tree_string(&r->tree, node);
	errno = 0;
	value = -1;
	if (strncmp(text, "CPU", 3) == 0 && isdigit((unsigned char)text[3])) {
		value = strtol(text + 3, &end, 10);
		if (*end || errno)
			value = -1;
	}
	if (value < 0 || value > (int64_t)LAB_CPU_MAX)
		return lab_refuse(r, node->place,
				  "\"calibration\" is %s, expected \"CPU0\" or "
				  "the like, or an integer (ns a loop)",
				  lab_quote(text).text);
	program->calibration = LAB_CALIBRATE_ON_CPU;
	program->calibration_cpu = (unsigned)value;
	return 0;
}

/* A word of the log's: looked at, and named where it asks for something. */
enum log_value {
	LOG_BOOL,
	LOG_STRING,
	LOG_BOOL_OR_STRING,
	LOG_INTEGER_OR_STRING,
};

static const struct {
	const char *key;
	enum log_value value;
} log_words[] = {
	{"logdir", LOG_STRING},         {"log_size", LOG_INTEGER_OR_STRING},
	{"ftrace", LOG_BOOL_OR_STRING}, {"gnuplot", LOG_BOOL},
	{"cumulative_slack", LOG_BOOL},
};

static int read_log_word(struct lab_reader *r, const struct lab_node *node,
			 const char *word, enum log_value value)
{
	bool asks = true;
	int64_t size;
	int error;

	if (node->kind == LAB_NODE_STRING &&
	    (value == LOG_BOOL_OR_STRING || value == LOG_INTEGER_OR_STRING))
		value = LOG_STRING;
	switch (value) {
	case LOG_BOOL:
	case LOG_BOOL_OR_STRING:
		error = lab_bool(r, node, &asks);
		break;
	case LOG_INTEGER_OR_STRING:
		error = lab_integer(r, node, &sizes, &size);
		break;
	default:
		error = lab_expect(r, node, LAB_NODE_STRING, "a string");
		if (error == 0 && strcmp(word, "ftrace") == 0)
			asks = strcmp(lab_tree_string(&r->tree, node), "none");
		break;
	}
	if (error == 0 && asks)
		lab_leave_out(r, word, node->key_place);
	return error;
}

/* A string that the program keeps. */
static int read_word(struct lab_reader *r, const struct lab_node *node,
		     char **ret_word)
{
	int error = lab_expect(r, node, LAB_NODE_STRING, "a string");
	char *name;

	if (error < 0)
		return error;
	name = strdup(lab_tree_string(&r->tree, node));
	if (!name)
		return -ENOMEM;
	free(*ret_word);
	*ret_word = name;
	return 0;
}

static int read_buffer_size(struct lab_reader *r, const struct lab_node *node)
{
	int64_t bytes;
	int error = lab_integer(r, node, &buffers, &bytes);

	if (error == 0)
		r->program->mem_buffer_bytes = (uint64_t)bytes;
	return error;
}

static int read_member(struct lab_reader *r, const struct lab_node *node)
{
	struct lab_program *program = r->program;
	const char *key = lab_tree_key(&r->tree, node);

	if (strcmp(key, "duration") == 0)
		return read_duration(r, node);
	if (strcmp(key, "calibration") == 0)
		return read_calibration(r, node);
	if (strcmp(key, "default_policy") == 0)
		return lab_policy(r, node, &program->default_policy);
	if (strcmp(key, "pi_enabled") == 0)
		return lab_bool(r, node, &program->pi_enabled);
	if (strcmp(key, "lock_pages") == 0)
		return lab_bool(r, node, &program->lock_pages);
	if (strcmp(key, "log_basename") == 0)
		return read_word(r, node, &program->log_basename);
	if (strcmp(key, "io_device") == 0) {
		program->io_place = node->place;
		return read_word(r, node, &program->io_device);
	}
	if (strcmp(key, "mem_buffer_size") == 0)
		return read_buffer_size(r, node);
	for (size_t i = 0; i < sizeof(log_words) / sizeof(log_words[0]); i++)
		if (strcmp(key, log_words[i].key) == 0)
			return read_log_word(r, node, log_words[i].key,
					     log_words[i].value);
	return lab_unknown_key(r, node);
}

int lab_global(struct lab_reader *r, const struct lab_node *node)
{
	const struct lab_node *item;
	int error;

	error = lab_expect(r, node, LAB_NODE_OBJECT, "an object");
	for (item = lab_tree_child(&r->tree, node); item && error == 0;
	     item = lab_tree_next(&r->tree, item))
		error = read_member(r, item);
	return error;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Settings: what a task and a phase may both say (loop, CPUs, scheduling, task
 * group).  A key that comes again counts anew, as JSON readers have it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <mete/types.h>

#include "lab/grammar/reader.h"

#define NICE_MIN (-20)
#define NICE_MAX 19
#define RT_MAX   99

/* What rt-app gives a real-time task that asks for nothing. */
#define RT_DEFAULT 10

static const struct lab_range loops = {INT64_MIN, INT64_MAX,
				       "a count, or -1 for ever"};
static const struct lab_range cpu_numbers = {0, LAB_CPU_MAX, "a CPU's number"};
static const struct lab_range node_numbers = {0, LAB_CPU_MAX,
					      "a node's number"};
static const struct lab_range priorities = {NICE_MIN, RT_MAX,
					    "a nice value or a priority"};
static const struct lab_range spans = {0, LAB_TIME_US_MAX, "microseconds"};

static int read_loop(struct lab_reader *r, const struct lab_node *node,
		     struct lab_settings *settings)
{
	int error = lab_integer(r, node, &loops, &settings->loop);

	if (error < 0)
		return error;
	if (settings->loop < 0)
		settings->loop = LAB_FOREVER;
	settings->loop_given = true;
	settings->loop_place = node->place;
	return 0;
}

static int compare_cpus(const void *left, const void *right)
{
	unsigned a = *(const unsigned *)left;
	unsigned b = *(const unsigned *)right;

	return a < b ? -1 : a > b;
}

/* Sorted, each once. */
static void tidy_cpus(struct lab_cpus *cpus)
{
	size_t kept = 0;

	qsort(cpus->cpus, cpus->count, sizeof(*cpus->cpus), compare_cpus);
	for (size_t i = 0; i < cpus->count; i++)
		if (i == 0 || cpus->cpus[i] != cpus->cpus[kept - 1])
			cpus->cpus[kept++] = cpus->cpus[i];
	cpus->count = kept;
}

static int read_cpus(struct lab_reader *r, const struct lab_node *node,
		     struct lab_settings *settings)
{
	const struct lab_node *item;
	struct lab_cpus cpus = {.place = node->place};
	size_t count = 0;
	int error;

	error = lab_expect(r, node, LAB_NODE_ARRAY, "an array of CPU numbers");
	if (error < 0)
		return error;
	for (item = lab_tree_child(&r->tree, node); item;
	     item = lab_tree_next(&r->tree, item))
		count++;
	if (count == 0)
		return lab_refuse(r, node->place,
				  "\"cpus\" is empty, expected at least one "
				  "CPU's number");
	cpus.cpus = calloc(count, sizeof(*cpus.cpus));
	if (!cpus.cpus)
		return -ENOMEM;
	for (item = lab_tree_child(&r->tree, node); item;
	     item = lab_tree_next(&r->tree, item)) {
		int64_t cpu;

		error = lab_integer(r, item, &cpu_numbers, &cpu);
		if (error < 0) {
			free(cpus.cpus);
			return error;
		}
		cpus.cpus[cpus.count++] = (unsigned)cpu;
	}
	tidy_cpus(&cpus);
	free(settings->cpus.cpus);
	settings->cpus = cpus;
	return 0;
}

/* Why the `length` bytes at `name` can't be a group's name; NULL: they can. */
static const char *bad_group_name(const char *name, size_t length)
{
	if (length > METE_NAME_MAX)
		return "a name that is too long, expected at most 31 bytes";
	if ((length == 1 && name[0] == '.') ||
	    (length == 2 && memcmp(name, "..", 2) == 0))
		return "\".\" or \"..\", expected names";
	for (size_t i = 0; i < length; i++)
		if ((unsigned char)name[i] < 0x20 || name[i] == 0x7F)
			return "a control character, expected names";
	return NULL;
}

/* The path without double and trailing slashes, or why it is none. */
static const char *clean_path(char *path)
{
	const char *from = path;
	char *to = path;
	unsigned depth = 0;

	while (*from) {
		const char *why;
		size_t length;

		from += strspn(from, "/");
		length = strcspn(from, "/");
		if (length == 0)
			break;
		why = bad_group_name(from, length);
		if (why)
			return why;
		if (++depth > METE_DEPTH_MAX)
			return "more groups than one path may, expected at "
			       "most 32";
		*to++ = '/';
		memmove(to, from, length);
		to += length;
		from += length;
	}
	if (to == path)
		*to++ = '/';
	*to = '\0';
	if (to - path > METE_PATH_MAX)
		return "too many characters, expected at most 1023";
	return NULL;
}

static int read_taskgroup(struct lab_reader *r, const struct lab_node *node,
			  struct lab_settings *settings)
{
	const char *text;
	const char *why;
	char *path = NULL;
	int error;

	error = lab_expect(r, node, LAB_NODE_STRING,
			   "a path such as \"/web/api\"");
	if (error < 0)
		return error;
	text = lab_tree_string(&r->tree, node);
	if (text[0] != '\0' && text[0] != '/')
		return lab_refuse(r, node->place,
				  "\"taskgroup\" is %s, expected a path that "
				  "begins with \"/\"",
				  lab_quote(text).text);
	if (text[0] != '\0') {
		path = strdup(text);
		if (!path)
			return -ENOMEM;
		why = clean_path(path);
		if (why) {
			free(path);
			return lab_refuse(r, node->place,
					  "\"taskgroup\" holds %s", why);
		}
	}
	free(settings->taskgroup);
	settings->taskgroup = path;
	return 0;
}

int lab_policy(struct lab_reader *r, const struct lab_node *node,
	       enum lab_policy *ret_policy)
{
	static const struct {
		const char *name;
		enum lab_policy policy;
	} policies[] = {
		{"SCHED_OTHER", LAB_POLICY_OTHER},
		{"SCHED_BATCH", LAB_POLICY_BATCH},
		{"SCHED_IDLE", LAB_POLICY_IDLE},
		{"SCHED_FIFO", LAB_POLICY_FIFO},
		{"SCHED_RR", LAB_POLICY_RR},
		{"SCHED_DEADLINE", LAB_POLICY_DEADLINE},
	};
	const char *name;
	int error = lab_name(r, node, &name);

	if (error < 0)
		return error;
	for (size_t i = 0; i < sizeof(policies) / sizeof(policies[0]); i++) {
		if (strcmp(name, policies[i].name) == 0) {
			*ret_policy = policies[i].policy;
			return 0;
		}
	}
	return lab_refuse(r, node->place,
			  "%s is %s, expected SCHED_OTHER, SCHED_BATCH, "
			  "SCHED_IDLE, SCHED_FIFO, SCHED_RR or SCHED_DEADLINE",
			  lab_quote(lab_tree_key(&r->tree, node)).text,
			  lab_quote(name).text);
}

static int read_priority(struct lab_reader *r, const struct lab_node *node,
			 struct lab_settings *settings)
{
	int64_t priority;
	int error = lab_integer(r, node, &priorities, &priority);

	if (error < 0)
		return error;
	settings->sched.priority = (int)priority;
	settings->sched.priority_given = true;
	settings->sched.priority_place = node->place;
	return 0;
}

/* util_min, util_max, nodes_membind: looked at and left out. */
static int read_left_out(struct lab_reader *r, const struct lab_node *node,
			 const char *word, bool list)
{
	static const struct lab_range clamps = {-1, 1024, "0 to 1024, or -1"};
	const struct lab_node *item = node;
	int error = 0;
	int64_t value;

	lab_leave_out(r, word, node->key_place);
	if (!list)
		return lab_integer(r, node, &clamps, &value);
	error = lab_expect(r, node, LAB_NODE_ARRAY, "an array of node numbers");
	for (item = lab_tree_child(&r->tree, node); item && error == 0;
	     item = lab_tree_next(&r->tree, item))
		error = lab_integer(r, item, &node_numbers, &value);
	return error;
}

/* Where a deadline parameter is kept; NULL where the key is none. */
static uint64_t *deadline_field(struct lab_sched *sched, const char *key)
{
	if (strcmp(key, "dl-runtime") == 0)
		return &sched->dl_runtime_us;
	if (strcmp(key, "dl-period") == 0)
		return &sched->dl_period_us;
	if (strcmp(key, "dl-deadline") == 0)
		return &sched->dl_deadline_us;
	return NULL;
}

/* As lab_setting(), for what is asked of the scheduler. */
static int read_sched(struct lab_reader *r, const struct lab_node *node,
		      struct lab_settings *settings, const char *key)
{
	struct lab_sched *sched = &settings->sched;
	uint64_t *field = deadline_field(sched, key);
	int64_t span = 0;
	int error;

	if (strcmp(key, "policy") == 0)
		error = lab_policy(r, node, &sched->policy);
	else if (strcmp(key, "priority") == 0)
		error = read_priority(r, node, settings);
	else if (field)
		error = lab_integer(r, node, &spans, &span);
	else
		return 0;
	if (error < 0)
		return error;
	if (field)
		*field = (uint64_t)span;
	if (!sched->given)
		sched->place = node->key_place;
	sched->given = true;
	return 1;
}

int lab_setting(struct lab_reader *r, const struct lab_node *node,
		struct lab_settings *settings)
{
	const char *key = lab_tree_key(&r->tree, node);
	int error;

	if (strcmp(key, "loop") == 0)
		error = read_loop(r, node, settings);
	else if (strcmp(key, "cpus") == 0)
		error = read_cpus(r, node, settings);
	else if (strcmp(key, "taskgroup") == 0)
		error = read_taskgroup(r, node, settings);
	else if (strcmp(key, "util_min") == 0)
		error = read_left_out(r, node, "util_min", false);
	else if (strcmp(key, "util_max") == 0)
		error = read_left_out(r, node, "util_max", false);
	else if (strcmp(key, "nodes_membind") == 0)
		error = read_left_out(r, node, "nodes_membind", true);
	else
		return read_sched(r, node, settings, key);
	return error < 0 ? error : 1;
}

/* The bounds of a priority under a policy. */
static void priority_bounds(enum lab_policy policy, int *ret_min, int *ret_max)
{
	bool real_time = policy == LAB_POLICY_FIFO || policy == LAB_POLICY_RR;
	bool nice = policy == LAB_POLICY_OTHER || policy == LAB_POLICY_BATCH ||
		    policy == LAB_POLICY_IDLE;

	*ret_min = real_time ? 1 : NICE_MIN;
	*ret_max = nice ? NICE_MAX : RT_MAX;
}

int lab_settings_end(struct lab_reader *r, struct lab_settings *settings,
		     enum lab_policy policy)
{
	struct lab_sched *sched = &settings->sched;
	int min;
	int max;

	if (sched->policy == LAB_POLICY_SAME)
		sched->policy = policy;
	priority_bounds(sched->policy, &min, &max);
	if (!sched->priority_given && min == 1)
		sched->priority = RT_DEFAULT;
	else if (sched->priority_given &&
		 (sched->priority < min || sched->priority > max))
		return lab_refuse(r, sched->priority_place,
				  "\"priority\" is %d, expected %d to %d under "
				  "this policy",
				  sched->priority, min, max);
	if (!sched->dl_period_us)
		sched->dl_period_us = sched->dl_runtime_us;
	if (!sched->dl_deadline_us)
		sched->dl_deadline_us = sched->dl_period_us;
	return 0;
}

void lab_settings_fini(struct lab_settings *settings)
{
	free(settings->cpus.cpus);
	free(settings->taskgroup);
}

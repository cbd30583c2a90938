/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks and phases. */
#include "unit/lab/grammar.h"

TEST(a_task_without_phases_is_one)
{
	struct lab_program *program = taken(TASK("\"run\":1"));
	const struct lab_task_spec *spec = program->specs;

	CHECK_STR(spec->name, "t");
	CHECK_EQ(spec->instances, 1);
	CHECK_EQ(spec->loop, LAB_FOREVER);
	CHECK_EQ(spec->delay_us, 0);
	CHECK_EQ(spec->phase_count, 1);
	CHECK_STR(spec->phases[0].name, "t");
	CHECK_EQ(spec->phases[0].loop, 1);
	CHECK(!spec->taskgroup);
	CHECK_EQ(spec->place.column, 11);
	CHECK_EQ(program->task_count, 1);
	lab_program_free(program);
}

TEST(its_loop_is_its_phase_s)
{
	struct lab_program *program = taken(TASK("\"loop\":7,\"run\":1"));

	CHECK_EQ(program->specs[0].loop, 1);
	CHECK_EQ(program->specs[0].phases[0].loop, 7);
	lab_program_free(program);
	program = taken(TASK("\"loop\":-1,\"run\":1"));
	CHECK_EQ(program->specs[0].phases[0].loop, LAB_FOREVER);
	lab_program_free(program);
	program = taken(TASK("\"loop\":-7,\"run\":1"));
	CHECK_EQ(program->specs[0].phases[0].loop, LAB_FOREVER);
	lab_program_free(program);
}

TEST(phases_have_loops_of_their_own)
{
	struct lab_program *program =
		taken(TASK("\"loop\":3,\"phases\":{\"a\":{\"run\":1},"
			   "\"b\":{\"loop\":5,\"run\":2,\"taskgroup\":\"/b\","
			   "\"cpus\":[1]},\"a\":{\"loop\":-1,\"run\":3}}"));
	const struct lab_task_spec *spec = program->specs;

	CHECK_EQ(spec->loop, 3);
	CHECK_EQ(spec->phase_count, 3);
	CHECK_STR(spec->phases[0].name, "a");
	CHECK_EQ(spec->phases[0].loop, 1);
	CHECK(!spec->phases[0].taskgroup);
	CHECK_EQ(spec->phases[0].ops[0].amount_us, 1);
	CHECK_STR(spec->phases[1].name, "b");
	CHECK_EQ(spec->phases[1].loop, 5);
	CHECK_STR(spec->phases[1].taskgroup, "/b");
	CHECK_EQ(spec->phases[1].cpus.count, 1);
	CHECK_STR(spec->phases[2].name, "a");
	CHECK_EQ(spec->phases[2].loop, LAB_FOREVER);
	CHECK_EQ(spec->phases[2].ops[0].amount_us, 3);
	lab_program_free(program);
	program = taken(TASK("\"phases\":{\"a\":{\"run\":1}},\"loop\":0"));
	CHECK_EQ(program->specs[0].loop, 0);
	lab_program_free(program);
	program = taken(TASK("\"phases\":{\"a\":{\"run\":1}}"));
	CHECK_EQ(program->specs[0].loop, LAB_FOREVER);
	lab_program_free(program);
}

TEST(instances_and_delays)
{
	struct lab_program *program = taken(
		"{\"tasks\":{\"a\":{\"run\":1,\"instance\":3,\"delay\":50},"
		"\"b\":{\"instance\":0,\"run\":1},\"c\":{\"run\":1}}}");

	CHECK_EQ(program->specs[0].instances, 3);
	CHECK_EQ(program->specs[0].delay_us, 50);
	CHECK_EQ(program->specs[1].instances, 0);
	CHECK_EQ(program->task_count, 4);
	lab_program_free(program);
}

TEST(numbers_out_of_range_are_refused)
{
	static const struct refusal refusals[] = {
		{TASK("\"instance\":-1,\"run\":1"),
		 "f:1:27: \"instance\" is -1, expected 0 to 1000000 (tasks)"},
		{TASK("\"instance\":1000001,\"run\":1"),
		 "f:1:27: \"instance\" is 1000001, expected 0 to 1000000 "
		 "(tasks)"},
		{TASK("\"instance\":\"2\",\"run\":1"),
		 "f:1:27: \"instance\" is a string, expected an integer "
		 "(tasks)"},
		{TASK("\"delay\":-1,\"run\":1"),
		 "f:1:24: \"delay\" is -1, expected 0 to 1000000000000 "
		 "(microseconds)"},
		{TASK("\"period\":-1,\"run\":1"),
		 "f:1:25: \"period\" is -1, expected 0 to 1000000000000 "
		 "(microseconds)"},
		{TASK("\"loop\":1.5,\"run\":1"),
		 "f:1:23: \"loop\" is not a whole number, expected an integer "
		 "(a count, or -1 for ever)"},
		{TASK("\"loop\":0,\"run\":1"),
		 "f:1:23: \"loop\" of a phase is 0, expected at least 1, or "
		 "-1 for ever"},
		{TASK("\"phases\":{\"p\":{\"run\":1,\"loop\":0}}"),
		 "f:1:46: \"loop\" of a phase is 0, expected at least 1, or "
		 "-1 for ever"},
		{"{\"tasks\":{\"a\":{\"run\":1,\"instance\":1000000},"
		 "\"b\":{\"run\":1}}}",
		 "f:1:48: too many tasks with \"b\", expected at most "
		 "1000000"},
	};

	REFUSED(refusals);
}

TEST(what_is_no_task_is_refused)
{
	static const struct refusal refusals[] = {
		{"{\"tasks\":[]}",
		 "f:1:10: \"tasks\" is an array, expected an object of tasks"},
		{"{\"tasks\":{\"a\":5}}",
		 "f:1:15: \"a\" is an integer, expected an object with events "
		 "or \"phases\""},
		{"{\"tasks\":{\"\":{\"run\":1}}}",
		 "f:1:11: a task's name is empty, expected a name"},
		{"{\"tasks\":{\"a\":{}}}",
		 "f:1:15: \"a\" has no events, expected at least one such as "
		 "\"run\" or \"sleep\""},
		{TASK("\"loop\":1"),
		 "f:1:15: \"t\" has no events, expected at least one such as "
		 "\"run\" or \"sleep\""},
		{TASK("\"phases\":5"),
		 "f:1:25: \"phases\" is an integer, expected an object of "
		 "phases"},
		{TASK("\"phases\":{}"),
		 "f:1:25: \"phases\" is empty, expected at least one phase"},
		{TASK("\"phases\":{\"p\":1}"),
		 "f:1:30: \"p\" is an integer, expected an object with "
		 "events"},
		{TASK("\"phases\":{\"p\":{\"loop\":1}}"),
		 "f:1:30: \"p\" has no events, expected at least one such as "
		 "\"run\" or \"sleep\""},
	};

	REFUSED(refusals);
}

TEST(the_old_form_is_refused_by_name)
{
	static const struct refusal refusals[] = {
		{TASK("\"exec\":1000,\"period\":5000"),
		 "f:1:16: \"exec\" is of the old form of tasks, expected "
		 "events "
		 "such as \"run\", \"sleep\" and \"lock\""},
		{TASK("\"run\":1,\"lock_order\":[0]"),
		 "f:1:24: \"lock_order\" is of the old form of tasks, expected "
		 "events such as \"run\", \"sleep\" and \"lock\""},
		{TASK("\"phases\":{\"p\":{\"exec\":1}}"),
		 "f:1:31: \"exec\" is of the old form of tasks, expected "
		 "events "
		 "such as \"run\", \"sleep\" and \"lock\""},
	};

	REFUSED(refusals);
}

TEST(legacy_keys_are_deadlines)
{
	struct lab_program *program =
		taken(TASK("\"policy\":\"SCHED_DEADLINE\",\"runtime\":5,"
			   "\"period\":10,\"deadline\":8,"
			   "\"phases\":{\"p\":{\"run\":1}}"));
	const struct lab_sched *sched = &program->specs[0].sched;

	CHECK_EQ(sched->dl_runtime_us, 5);
	CHECK_EQ(sched->dl_period_us, 10);
	CHECK_EQ(sched->dl_deadline_us, 8);
	CHECK_EQ(program->warning_count, 0);
	lab_program_free(program);
	program = taken(TASK("\"runtime\":5,\"dl-period\":7,\"period\":10"));
	CHECK_EQ(program->specs[0].sched.dl_runtime_us, 0);
	CHECK_EQ(program->specs[0].sched.dl_period_us, 7);
	CHECK_EQ(op_of(program, 0, 0)->kind, LAB_RUNTIME);
	lab_program_free(program);
}

TEST(events_beside_phases_do_nothing)
{
	warned(TASK("\"run\":1,\"phases\":{\"p\":{\"sleep\":2}}"), 1, 16,
	       "\"run\" beside \"phases\" does nothing");
}

TEST(unknown_keys_are_warned_of_once)
{
	warned(TASK("\"run\":1,\"frag\":1,\"frag\":{\"a\":[]}"), 1, 24,
	       "unknown key \"frag\", passed over");
	warned(TASK("\"phases\":{\"p\":{\"logsize\":1,\"run\":1}}"), 1, 31,
	       "unknown key \"logsize\", passed over");
}

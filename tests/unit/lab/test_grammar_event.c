/* SPDX-License-Identifier: Apache-2.0 */
/* Events: words, values, references. */
#include "unit/lab/grammar.h"

/* `event`, alone in a task, is an op of this kind and amount. */
static void does(const char *event, enum lab_op_kind kind, int64_t amount_us)
{
	char text[1024];
	struct lab_program *program;
	const struct lab_op *op;

	strcpy(text, "{\"tasks\":{\"t\":{\"lock\":\"m\",");
	strcat(text, event);
	strcat(text, ",\"suspend\"}}}");
	program = taken(text);
	op = op_of(program, 0, 1);
	CHECK_EQ(op->kind, kind);
	CHECK_EQ(op->amount_us, amount_us);
	CHECK_EQ(op->place.line, 1);
	CHECK_EQ(op->place.column, 27);
	CHECK_EQ(program->specs[0].phases[0].op_count, 3);
	lab_program_free(program);
}

TEST(each_word_is_an_op)
{
	does("\"run\":5", LAB_RUN, 5);
	does("\"run\":-1", LAB_RUN, -1);
	does("\"runtime\":6", LAB_RUNTIME, 6);
	does("\"sleep\":0", LAB_SLEEP, 0);
	does("\"timer\":{\"ref\":\"x\",\"period\":8}", LAB_TIMER, 8);
	does("\"lock\":\"x\"", LAB_LOCK, 0);
	does("\"unlock\":\"m\"", LAB_UNLOCK, 0);
	does("\"wait\":{\"ref\":\"c\",\"mutex\":\"m\"}", LAB_WAIT, 0);
	does("\"sync\":{\"ref\":\"c\",\"mutex\":\"m\"}", LAB_SYNC, 0);
	does("\"signal\":\"c\"", LAB_SIGNAL, 0);
	does("\"broad\":\"c\"", LAB_BROAD, 0);
	does("\"barrier\":\"b\"", LAB_BARRIER, 0);
	does("\"suspend\":\"s\"", LAB_SUSPEND, 0);
	does("\"suspend\":null", LAB_SUSPEND, 0);
	does("\"resume\":\"t\"", LAB_RESUME, 0);
	does("\"yield\":\"\"", LAB_YIELD, 0);
	does("\"sem_post\":\"s\"", LAB_SEM_POST, 0);
	does("\"sem_wait\":\"s\"", LAB_SEM_WAIT, 0);
	does("\"fork\":\"t\"", LAB_FORK, 0);
	does("\"mem\":5", LAB_MEM, 5);
	does("\"iorun\":6", LAB_IORUN, 6);
}

TEST(words_match_by_their_beginning)
{
	does("\"run1\":5", LAB_RUN, 5);
	does("\"run_time\":5", LAB_RUN, 5);
	does("\"runtime_2\":5", LAB_RUNTIME, 5);
	does("\"sleepy\":5", LAB_SLEEP, 5);
	does("\"timerA\":{\"ref\":\"x\",\"period\":5}", LAB_TIMER, 5);
	does("\"lock_2\":\"x\"", LAB_LOCK, 0);
	does("\"broadcast\":\"x\"", LAB_BROAD, 0);
	does("\"resume1\":\"t\"", LAB_RESUME, 0);
	does("\"suspend1\":\"t\"", LAB_SUSPEND, 0);
	does("\"yielding\":[{}]", LAB_YIELD, 0);
}

TEST(events_keep_their_order_and_repeat)
{
	struct lab_program *program =
		taken(TASK("\"run\":1,\"sleep\":2,\"run\":3,"));

	CHECK_EQ(program->specs[0].phases[0].op_count, 3);
	CHECK_EQ(op_of(program, 0, 0)->amount_us, 1);
	CHECK_EQ(op_of(program, 0, 1)->amount_us, 2);
	CHECK_EQ(op_of(program, 0, 2)->amount_us, 3);
	lab_program_free(program);
}

TEST(values_of_a_wrong_kind_are_refused)
{
	static const struct refusal refusals[] = {
		{TASK("\"run\":\"5\""),
		 "f:1:22: \"run\" is a string, expected an integer "
		 "(microseconds)"},
		{TASK("\"run\":1.5"),
		 "f:1:22: \"run\" is not a whole number, expected an integer "
		 "(microseconds)"},
		{TASK("\"run\":99999999999999999999"),
		 "f:1:22: \"run\" is beyond 64 bits, expected an integer "
		 "(microseconds)"},
		{TASK("\"sleep\":null"),
		 "f:1:24: \"sleep\" is null, expected an integer "
		 "(microseconds)"},
		{TASK("\"timer\":5"),
		 "f:1:24: \"timer\" is an integer, expected an object with "
		 "\"ref\" and \"period\""},
		{TASK("\"lock\":{}"),
		 "f:1:23: \"lock\" is an object, expected a name in quotes"},
		{TASK("\"lock\":\"\""), "f:1:23: \"lock\" is empty, expected "
					"a name"},
		{TASK("\"wait\":\"c\""),
		 "f:1:23: \"wait\" is a string, expected an object with "
		 "\"ref\" and \"mutex\""},
		{TASK("\"wait\":{\"ref\":1}"),
		 "f:1:30: \"ref\" is an integer, expected a name in quotes"},
		{TASK("\"suspend\":1"),
		 "f:1:26: \"suspend\" is an integer, expected a task's name"},
		{TASK("\"resume\":null"),
		 "f:1:25: \"resume\" is null, expected a name in quotes"},
		{TASK("\"mem\":\"5\""),
		 "f:1:22: \"mem\" is a string, expected an integer (a count)"},
		{TASK("\"iorun\":-1"),
		 "f:1:24: \"iorun\" is -1, expected at least 0 (a count)"},
		{TASK("\"sem_post\":1"),
		 "f:1:27: \"sem_post\" is an integer, expected a name in "
		 "quotes"},
		{TASK("\"sem_wait\":\"\""),
		 "f:1:27: \"sem_wait\" is empty, expected a name"},
		{TASK("\"fork\":5"),
		 "f:1:23: \"fork\" is an integer, expected a name in quotes"},
		{TASK("\"barrier\":true"),
		 "f:1:26: \"barrier\" is true or false, expected a name in "
		 "quotes"},
	};

	REFUSED(refusals);
}

TEST(amounts_out_of_range_are_refused)
{
	static const struct refusal refusals[] = {
		{TASK("\"sleep\":-1"),
		 "f:1:24: \"sleep\" is -1, expected 0 to 1000000000000 "
		 "(microseconds)"},
		{TASK("\"runtime\":-1"),
		 "f:1:26: \"runtime\" is -1, expected 0 to 1000000000000 "
		 "(microseconds)"},
		{TASK("\"run\":1000000000001"),
		 "f:1:22: \"run\" is 1000000000001, expected -1000000000000 to "
		 "1000000000000 (microseconds)"},
		{TASK("\"timer\":{\"ref\":\"x\",\"period\":-2}"),
		 "f:1:44: \"period\" is -2, expected 0 to 1000000000000 "
		 "(microseconds)"},
	};

	REFUSED(refusals);
	does("\"sleep\":1000000000000", LAB_SLEEP, LAB_TIME_US_MAX);
}

TEST(a_bare_suspend_means_the_task_itself)
{
	struct lab_program *program =
		taken(TASK("\"suspend\",\"suspend\":\"\",\"suspend\":\"t\","
			   "\"suspend\":\"x\",\"suspend\""));

	CHECK_EQ(program->specs[0].phases[0].op_count, 5);
	CHECK_STR(program->objects[op_of(program, 0, 0)->object].name, "t");
	CHECK_EQ(op_of(program, 0, 1)->object, op_of(program, 0, 0)->object);
	CHECK_EQ(op_of(program, 0, 2)->object, op_of(program, 0, 0)->object);
	CHECK_NE(op_of(program, 0, 3)->object, op_of(program, 0, 0)->object);
	CHECK_EQ(op_of(program, 0, 4)->mutex, op_of(program, 0, 0)->mutex);
	lab_program_free(program);
}

TEST(timers_have_defaults_and_modes)
{
	struct lab_program *program = taken(
		TASK("\"timer\":{},\"timer1\":{\"ref\":\"a\","
		     "\"mode\":\"absolute\"},\"timer2\":{\"ref\":\"a\"},"
		     "\"timer3\":{\"ref\":\"unique2\",\"mode\":\"relative\"}"));
	const struct lab_object *objects = program->objects;

	CHECK_EQ(program->object_count, 3);
	CHECK_STR(objects[0].name, "unknown");
	CHECK_EQ(objects[0].kind, LAB_TIMER_OBJECT);
	CHECK_EQ(objects[0].absolute, false);
	CHECK_EQ(objects[1].absolute, true);
	CHECK_EQ(objects[1].unique, false);
	CHECK_EQ(objects[2].absolute, false);
	CHECK_EQ(objects[2].unique, true);
	CHECK_EQ(op_of(program, 0, 0)->amount_us, 0);
	CHECK_EQ(op_of(program, 0, 2)->object, 1);
	lab_program_free(program);
	refused(TASK("\"timer\":{\"mode\":\"late\"}"),
		"f:1:32: \"mode\" is \"late\", expected \"relative\" or "
		"\"absolute\"");
	warned(TASK("\"timer\":{\"offset\":1}"), 1, 25,
	       "unknown key \"offset\", passed over");
}

TEST(wait_and_sync_take_a_condition_and_a_mutex)
{
	struct lab_program *program = taken(
		TASK("\"lock\":\"m\",\"wait\":{\"mutex\":\"m\",\"ref\":\"c\"},"
		     "\"sync\":{\"ref\":\"c\",\"mutex\":\"m\"},"
		     "\"sync2\":{}"));

	CHECK_EQ(op_of(program, 0, 1)->mutex, op_of(program, 0, 0)->object);
	CHECK_EQ(op_of(program, 0, 2)->object, op_of(program, 0, 1)->object);
	CHECK_STR(program->objects[op_of(program, 0, 1)->object].name, "c");
	CHECK_EQ(program->objects[op_of(program, 0, 1)->object].kind, LAB_COND);
	CHECK_STR(program->objects[op_of(program, 0, 3)->mutex].name,
		  "unknown");
	CHECK_EQ(program->warning_count, 0);
	lab_program_free(program);
	warned(TASK("\"sync\":{\"cond\":\"c\"}"), 1, 24,
	       "unknown key \"cond\", passed over");
}

TEST(posts_and_waits_of_a_name_meet)
{
	struct lab_program *program =
		taken(TASK("\"sem_post\":\"s\",\"sem_wait1\":\"s\","
			   "\"lock\":\"s\",\"sem_wait\":\"r\""));

	CHECK_EQ(op_of(program, 0, 0)->object, op_of(program, 0, 1)->object);
	CHECK_NE(op_of(program, 0, 0)->object, op_of(program, 0, 2)->object);
	CHECK_NE(op_of(program, 0, 0)->object, op_of(program, 0, 3)->object);
	CHECK_EQ(program->objects[op_of(program, 0, 0)->object].kind,
		 LAB_SEM_OBJECT);
	lab_program_free(program);
}

TEST(ops_that_use_no_object_name_none)
{
	struct lab_program *program = taken(TASK("\"run\":1,\"lock\":\"m\""));

	CHECK_EQ(op_of(program, 0, 0)->object, LAB_NONE);
	CHECK_EQ(op_of(program, 0, 0)->mutex, LAB_NONE);
	CHECK_EQ(op_of(program, 0, 1)->mutex, LAB_NONE);
	lab_program_free(program);
}

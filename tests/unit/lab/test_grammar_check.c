/* SPDX-License-Identifier: Apache-2.0 */
/* What only the whole shows: references, barriers, forks. */
#include "unit/lab/grammar.h"

/* Two tasks, "a" of `instances`, with these members. */
#define TWO(a, b) "{\"tasks\":{\"a\":{" a "},\n\"b\":{" b "}}}"

static void users_are(const char *text, uint32_t users)
{
	struct lab_program *program = taken(text);

	CHECK_EQ(program->objects[0].kind, LAB_BARRIER_OBJECT);
	CHECK_EQ(program->objects[0].users, users);
	CHECK_EQ(program->warning_count, 0);
	lab_program_free(program);
}

TEST(a_barrier_waits_for_every_instance)
{
	users_are(TWO("\"barrier\":\"x\"", "\"barrier\":\"x\""), 2);
	users_are(TWO("\"barrier\":\"x\",\"instance\":3",
		      "\"instance\":4,\"barrier1\":\"x\""),
		  7);
	users_are(TWO("\"phases\":{\"p\":{\"barrier\":\"x\"}},\"instance\":2",
		      "\"run\":1"),
		  2);
	users_are(TWO("\"barrier\":\"x\",\"instance\":0", "\"run\":1"), 0);
}

TEST(a_barrier_that_can_t_be_met_is_refused)
{
	static const struct refusal refusals[] = {
		{TASK("\"barrier\":\"x\",\"run\":1,\"barrier2\":\"x\""),
		 "f:1:26: the barrier \"x\" can't be met: it waits for 2, but "
		 "1 tasks come to it, expected each task to name it once"},
		{TWO("\"instance\":2,\"barrier\":\"x\"",
		     "\"phases\":{\"p\":{\"barrier\":\"x\"},"
		     "\"q\":{\"barrier\":\"x\"}}"),
		 "f:1:39: the barrier \"x\" can't be met: it waits for 4, but "
		 "3 tasks come to it, expected each task to name it once"},
	};

	REFUSED(refusals);
}

TEST(a_barrier_of_one_is_warned_of)
{
	warned(TASK("\"barrier\":\"x\""), 1, 26,
	       "the barrier \"x\" has one user: it never waits");
}

TEST(a_mutex_must_be_locked_somewhere)
{
	static const struct refusal refusals[] = {
		{TASK("\"run\":1,\"unlock\":\"m\""),
		 "f:1:24: \"unlock\" with the mutex \"m\", which no task "
		 "locks, "
		 "expected a \"lock\" of it before"},
		{TWO("\"lock\":\"m\"",
		     "\"wait\":{\"ref\":\"c\",\"mutex\":\"n\"}"),
		 "f:2:6: \"wait\" with the mutex \"n\", which no task locks, "
		 "expected a \"lock\" of it before"},
		{TASK("\"wait\":{}"),
		 "f:1:16: \"wait\" with the mutex \"unknown\", which no task "
		 "locks, expected a \"lock\" of it before"},
	};
	struct lab_program *program;

	REFUSED(refusals);
	program = taken(TWO("\"unlock\":\"m\"", "\"lock\":\"m\""));
	lab_program_free(program);
	program = taken(TWO("\"sync\":{\"ref\":\"c\",\"mutex\":\"m\"}",
			    "\"wait\":{\"ref\":\"c\",\"mutex\":\"m\"}"));
	lab_program_free(program);
}

TEST(a_resume_must_name_someone)
{
	struct lab_program *program;

	refused(TASK("\"resume\":\"x\""),
		"f:1:16: \"resume\" of \"x\", expected the name of a task or "
		"of a \"suspend\"");
	program = taken(TWO("\"resume\":\"b\"", "\"run\":1"));
	CHECK_EQ(program->warning_count, 0);
	lab_program_free(program);
	program = taken(TWO("\"resume\":\"x\"", "\"suspend\":\"x\""));
	CHECK_EQ(program->warning_count, 0);
	lab_program_free(program);
}

TEST(a_signal_to_nobody_is_warned_of)
{
	struct lab_program *program;

	warned(TASK("\"signal\":\"c\""), 1, 16,
	       "\"signal\" of \"c\" wakes nobody: nothing waits for it");
	warned(TASK("\"broad\":\"c\""), 1, 16,
	       "\"broad\" of \"c\" wakes nobody: nothing waits for it");
	program = taken(TWO("\"signal\":\"b\"", "\"suspend\""));
	CHECK_EQ(program->warning_count, 0);
	lab_program_free(program);
}

TEST(a_fork_must_name_a_task_without_barriers)
{
	refused(TASK("\"run\":1,\"fork\":\"x\""),
		"f:1:31: \"fork\" of \"x\", expected the name of a task");
	refused(TWO("\"run\":1,\"fork\":\"b\"",
		    "\"instance\":2,\"barrier\":\"x\""),
		"f:1:31: \"fork\" of \"b\", which comes to a barrier, expected "
		"a task without");
}

TEST(a_fork_knows_its_task_wherever_it_stands)
{
	struct lab_program *program =
		taken(TWO("\"phases\":{\"p\":{\"run\":1},\"q\":{\"run\":1,"
			  "\"fork\":\"b\",\"fork\":\"a\"}}",
			  "\"instance\":0,\"run\":1"));
	const struct lab_phase *phase = &program->specs[0].phases[1];

	CHECK_EQ(program->warning_count, 0);
	CHECK_EQ(phase->op_count, 3);
	CHECK_EQ(phase->ops[1].kind, LAB_FORK);
	CHECK_STR(program->specs[phase->ops[1].object].name, "b");
	CHECK_STR(program->specs[phase->ops[2].object].name, "a");
	CHECK_EQ(program->specs[1].instances, 0);
	lab_program_free(program);
}

TEST(unlocks_in_any_phase_are_looked_at)
{
	refused(TASK("\"phases\":{\"p\":{\"run\":1},"
		     "\"q\":{\"run\":1,\"unlock\":\"m\"}}"),
		"f:1:53: \"unlock\" with the mutex \"m\", which no task locks, "
		"expected a \"lock\" of it before");
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gate: conc/gate.h and conc/gate.c.
 *
 *  - what the owner does inside and what a guest does while it visits never
 *    meet: both touch a word without any order, so that they would race;
 *  - and each sees what the other has done before;
 *  - nobody waits (who loops is a livelock to the checker).
 *
 * The heavy fence is the checker's fence on the guest's side, and the light one
 * a full fence on the owner's, which is what the heavy one makes of it.
 *
 *	covers: src/conc/gate.h src/conc/gate.c
 *	drops: src/conc/gate.h gate_own
 */
#include "model/model.h"

#include "conc/gate.c"

void base_panic(const char *, int, const char *what)
{
	rl::ctx().fail_test(what, rl::test_result_user_assert_failed,
			    MODEL_HERE);
	__builtin_unreachable();
}

enum third {
	SHUTS,  /* the third thread shuts the gate */
	VISITS, /* ... is a second guest, which touches nothing */
};

template <enum third Third> struct passes : rl::test_suite<passes<Third>, 3> {
	struct gate gate;
	plain<int> data;
	int changes = 0;

	void before()
	{
		gate_init(&gate);
		data.set(0);
	}

	void change()
	{
		MODEL_CHECK(data.get() == changes);
		data.set(++changes);
	}

	void own()
	{
		for (int i = 0; i < 3; i++) {
			if (!gate_own(&gate))
				continue;
			change();
			gate_leave(&gate);
		}
	}

	void visit(bool touches)
	{
		for (int i = 0; i < 2; i++) {
			if (!gate_visit(&gate))
				continue;
			if (touches)
				change();
			gate_depart(&gate);
		}
	}

	void thread(unsigned index)
	{
		if (index == 0)
			own();
		else if (index == 1)
			visit(true);
		else if (Third == VISITS)
			visit(false);
		else
			for (int i = 0; i < 2; i++)
				gate_shut(&gate);
	}
};

int main(int argc, char **argv)
{
	model_arguments(argc, argv);
	model_run<passes<SHUTS>>("it is opened and shut", 3, 100000);
	model_run<passes<VISITS>>("two guests", 3, 100000);
	return model_result();
}

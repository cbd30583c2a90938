/* SPDX-License-Identifier: Apache-2.0 */
/* lab/engine.c: engines by name. */
#include "harness/test.h"
#include "lab/engine.h"

TEST(engines_are_found_by_their_whole_name)
{
	CHECK(lab_engine_find("mete") == &lab_engine_mete);
	CHECK(lab_engine_find("threads") == &lab_engine_threads);
	CHECK(lab_engine_find("thread") == NULL);
	CHECK(lab_engine_find("") == NULL);
}

TEST(mete_is_the_default)
{
	CHECK(lab_engines[0] == &lab_engine_mete);
}

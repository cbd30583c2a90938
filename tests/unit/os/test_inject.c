/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The injector fails the call that it was told to, once or from then on, and
 * is absent from builds without it.
 */
#include "harness/test.h"
#include "os/inject.h"
#include "os/mem.h"

#ifdef METE_FAULTS

TEST(the_kth_call_fails_once)
{
	os_fault_arm(OS_CALL_MAP, 3, false);
	CHECK(!os_fault(OS_CALL_MAP));
	CHECK(!os_fault(OS_CALL_ALLOC));
	CHECK(!os_fault(OS_CALL_MAP));
	CHECK(os_fault(OS_CALL_MAP));
	CHECK(!os_fault(OS_CALL_MAP));
	CHECK_EQ(os_fault_count(OS_CALL_MAP), 4);
	CHECK_EQ(os_fault_count(OS_CALL_ALLOC), 1);
	CHECK_EQ(os_fault_count(OS_CALL_ANY), 5);
}

TEST(all_calls_fail_from_the_kth)
{
	os_fault_arm(OS_CALL_ALLOC, 2, true);
	void *block = os_alloc(10);

	CHECK(block);
	CHECK(!os_alloc(10));
	CHECK(!os_alloc(10));
	os_free(block);
	os_fault_arm(OS_CALL_ALLOC, 0, true);
	block = os_alloc(10);
	CHECK(block);
	os_free(block);
}

TEST(any_counts_all_kinds)
{
	os_fault_arm(OS_CALL_ANY, 2, false);
	CHECK(!os_fault(OS_CALL_FILE));
	CHECK(os_fault(OS_CALL_THREAD));
	CHECK(!os_fault(OS_CALL_FILE));
}

#else

TEST(nothing_fails_without_it)
{
	for (unsigned call = 0; call < OS_CALLS; call++)
		CHECK(!os_fault((enum os_call)call));
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* lab/machine.c: a file's CPUs and an engine's. */
#include <sched.h>

#include "harness/test.h"
#include "lab/machine.h"

TEST(numbers_are_ranks_among_the_allowed)
{
	unsigned numbers[] = {1, 4, 6};
	struct lab_machine machine = {numbers, 3};

	CHECK_EQ(lab_machine_cpu(&machine, 3, 1), 0);
	CHECK_EQ(lab_machine_cpu(&machine, 3, 6), 2);
	CHECK_EQ(lab_machine_cpu(&machine, 3, 0), -1);
	CHECK_EQ(lab_machine_cpu(&machine, 2, 6), -1);
}

TEST(more_cpus_than_allowed_count_for_themselves)
{
	unsigned numbers[] = {1, 4};
	struct lab_machine machine = {numbers, 2};

	CHECK_EQ(lab_machine_cpu(&machine, 4, 0), 0);
	CHECK_EQ(lab_machine_cpu(&machine, 4, 3), 3);
	CHECK_EQ(lab_machine_cpu(&machine, 4, 4), -1);
}

TEST(a_thread_is_bound_and_unbound)
{
	struct lab_machine *machine;
	unsigned last;
	cpu_set_t set;

	CHECK_EQ(lab_machine_create(&machine), 0);
	CHECK_GE(machine->count, 1);
	last = (unsigned)machine->count - 1;
	CHECK_EQ(lab_machine_bind(machine, &last, 1), 0);
	CHECK_EQ(sched_getcpu(), machine->numbers[last]);
	CHECK_EQ(lab_machine_bind(machine, NULL, 0), 0);
	CHECK_EQ(sched_getaffinity(0, sizeof(set), &set), 0);
	CHECK_EQ(CPU_COUNT(&set), machine->count);
	lab_machine_free(machine);
	lab_machine_free(NULL);
}

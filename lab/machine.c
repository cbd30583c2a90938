/* SPDX-License-Identifier: Apache-2.0 */
/* The CPUs that this process may use; see machine.h. */
#include "lab/machine.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>

/* The largest machine whose mask is asked for. */
#define CPUS_MAX 65536u

static int collect(struct lab_machine *machine, cpu_set_t *set, size_t bytes)
{
	if (sched_getaffinity(0, bytes, set) < 0)
		return -errno;
	machine->numbers = calloc((size_t)CPU_COUNT_S(bytes, set) + 1,
				  sizeof(*machine->numbers));
	if (!machine->numbers)
		return -ENOMEM;
	for (unsigned i = 0; i < CPUS_MAX; i++)
		if (CPU_ISSET_S(i, bytes, set))
			machine->numbers[machine->count++] = i;
	return 0;
}

int lab_machine_create(struct lab_machine **ret_machine)
{
	struct lab_machine *machine = calloc(1, sizeof(*machine));
	cpu_set_t *set = CPU_ALLOC(CPUS_MAX);
	int rc = -ENOMEM;

	if (machine && set)
		rc = collect(machine, set, CPU_ALLOC_SIZE(CPUS_MAX));
	CPU_FREE(set);
	if (rc) {
		lab_machine_free(machine);
		return rc;
	}
	*ret_machine = machine;
	return 0;
}

int lab_machine_create_plain(struct lab_machine **ret_machine, unsigned cpus)
{
	struct lab_machine *machine = calloc(1, sizeof(*machine));

	if (!machine)
		return -ENOMEM;
	machine->count = cpus ? cpus : LAB_PLAIN_CPUS;
	machine->numbers = calloc(machine->count, sizeof(*machine->numbers));
	if (!machine->numbers) {
		free(machine);
		return -ENOMEM;
	}
	for (unsigned i = 0; i < machine->count; i++)
		machine->numbers[i] = i;
	*ret_machine = machine;
	return 0;
}

void lab_machine_free(struct lab_machine *machine)
{
	if (machine)
		free(machine->numbers);
	free(machine);
}

int lab_machine_cpu(const struct lab_machine *machine, unsigned cpus,
		    unsigned number)
{
	if (cpus > machine->count)
		return number < cpus ? (int)number : -1;
	for (size_t i = 0; i < cpus; i++)
		if (machine->numbers[i] == number)
			return (int)i;
	return -1;
}

int lab_machine_bind(const struct lab_machine *machine, const unsigned *nth,
		     size_t count)
{
	size_t bytes = CPU_ALLOC_SIZE(CPUS_MAX);
	cpu_set_t *set = CPU_ALLOC(CPUS_MAX);
	int rc = 0;

	if (!set)
		return -ENOMEM;
	CPU_ZERO_S(bytes, set);
	for (size_t i = 0; i < (count ? count : machine->count); i++)
		CPU_SET_S(machine->numbers[count ? nth[i] : i], bytes, set);
	if (sched_setaffinity(0, bytes, set) < 0)
		rc = -errno;
	CPU_FREE(set);
	return rc;
}

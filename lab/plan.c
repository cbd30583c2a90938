/* SPDX-License-Identifier: Apache-2.0 */
/* The program's names resolved for an engine: CPUs, groups, unique timers. */
#include "lab/plan.h"

#include <errno.h>
#include <stdlib.h>

/* As much of the list of CPUs as a message takes. */
#define LIST_BYTES 120

static void cpus_list(const struct lab_run *run, char *list, size_t size)
{
	unsigned cpus = run->engine->cpus;
	size_t length = 0;

	list[0] = '\0';
	for (unsigned i = 0; i < cpus && length + 16 < size; i++) {
		unsigned first = cpus > run->machine->count
					 ? i
					 : run->machine->numbers[i];
		unsigned last = first;

		while (i + 1 < cpus &&
		       lab_machine_cpu(run->machine, cpus, last + 1) >= 0) {
			last++;
			i++;
		}
		length += (size_t)snprintf(list + length, size - length,
					   first == last ? "%s%u" : "%s%u-%u",
					   length ? "," : "", first, last);
	}
}

static int cpus_resolve(struct lab_run *run, const struct lab_cpus *cpus,
			unsigned **ret_cpus, struct lab_error *error)
{
	unsigned *numbers = calloc(cpus->count, sizeof(*numbers));
	char list[LIST_BYTES];

	if (!numbers)
		return -ENOMEM;
	for (size_t i = 0; i < cpus->count; i++) {
		int cpu = lab_machine_cpu(run->machine, run->engine->cpus,
					  cpus->cpus[i]);

		if (cpu < 0) {
			free(numbers);
			cpus_list(run, list, sizeof(list));
			error->place = cpus->place;
			snprintf(error->text, sizeof(error->text),
				 "%s:%u:%u: CPU %u is not allowed, expected "
				 "%s",
				 run->program->file, cpus->place.line,
				 cpus->place.column, cpus->cpus[i], list);
			return -EINVAL;
		}
		numbers[i] = (unsigned)cpu;
	}
	*ret_cpus = numbers;
	return 0;
}

static int phase_resolve(struct lab_run *run, const struct lab_phase *phase,
			 struct lab_phase_plan *plan, struct lab_error *error)
{
	plan->moves = phase->taskgroup != NULL;
	if (plan->moves)
		plan->group =
			lab_groups_find(run->groups, *phase->taskgroup
							     ? phase->taskgroup
							     : "/");
	if (phase->cpus.count == 0)
		return 0;
	plan->cpu_count = phase->cpus.count;
	plan->own_cpus = true;
	return cpus_resolve(run, &phase->cpus, &plan->cpus, error);
}

static int spec_resolve(struct lab_run *run, const struct lab_task_spec *spec,
			struct lab_plan *plan, struct lab_error *error)
{
	int rc = 0;

	plan->phases = calloc(spec->phase_count, sizeof(*plan->phases));
	if (!plan->phases)
		return -ENOMEM;
	plan->phase_count = spec->phase_count;
	if (spec->taskgroup && *spec->taskgroup)
		plan->group = lab_groups_find(run->groups, spec->taskgroup);
	if (spec->cpus.count)
		rc = cpus_resolve(run, &spec->cpus, &plan->cpus, error);
	for (size_t i = 0; i < spec->phase_count && !rc; i++) {
		struct lab_phase_plan *phase = &plan->phases[i];

		rc = phase_resolve(run, &spec->phases[i], phase, error);
		if (!phase->own_cpus) {
			phase->cpus = plan->cpus;
			phase->cpu_count = spec->cpus.count;
		}
	}
	return rc;
}

int lab_plans_create(struct lab_run *run, struct lab_error *error)
{
	const struct lab_program *program = run->program;
	int rc = 0;

	run->plans = calloc(program->spec_count + 1, sizeof(*run->plans));
	if (!run->plans)
		return -ENOMEM;
	for (size_t i = 0; i < program->object_count; i++)
		if (program->objects[i].unique)
			run->things[i].slot =
				(uint32_t)run->plans[program->objects[i].owner]
					.timers++;
	for (size_t i = 0; i < program->spec_count && !rc; i++)
		rc = spec_resolve(run, &program->specs[i], &run->plans[i],
				  error);
	return rc;
}

void lab_plans_free(struct lab_run *run)
{
	if (!run->plans)
		return;
	for (size_t i = 0; i < run->program->spec_count; i++) {
		struct lab_plan *plan = &run->plans[i];

		for (size_t k = 0; k < plan->phase_count; k++)
			if (plan->phases[k].own_cpus)
				free(plan->phases[k].cpus);
		free(plan->phases);
		free(plan->cpus);
	}
	free(run->plans);
}

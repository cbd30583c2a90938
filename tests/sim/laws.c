/* SPDX-License-Identifier: Apache-2.0 */
/* The laws, read from the rooms' own words; see laws.h. */
#include "laws.h"

#include <inttypes.h>

#include "sched/pool.h"
#include "sched/sched.h"
#include "sched/watch.h"
#include "sim/sim.h"

#define CPUS_MAX 8

/* Tasks of storms pass a safe point more often than this by far, however slow
 * their thread is. */
#define HEED_NS 8000000

static struct {
	uint64_t late_ns;
	uint64_t unseen[CPUS_MAX]; /* since when a sleeper has wakes */
	/* The deadline last seen to be over, and since when it is seen so: one
	 * may be long over when its timer is added. */
	uint64_t deadline[CPUS_MAX];
	uint64_t overdue[CPUS_MAX];
	/* A task that runs where, or is paid for by whom, it should no more. */
	const void *misplaced[CPUS_MAX];
	uint64_t unheeded[CPUS_MAX];
	/* The blocking region last seen, and since when. */
	uint64_t region[CPUS_MAX];
	uint64_t kept[CPUS_MAX];
	uint64_t nobody; /* waits for a descriptor, as last seen */
} laws;

void laws_begin(uint64_t late_ns)
{
	laws.late_ns = late_ns;
	laws.nobody = 0;
	for (int i = 0; i < CPUS_MAX; i++) {
		laws.unseen[i] = 0;
		laws.deadline[i] = 0;
		laws.region[i] = 0;
		laws.misplaced[i] = NULL;
	}
}

static uint64_t shows(const struct acct_watch *watch, uint64_t now)
{
	uint64_t start = watch->start.value;

	return watch->base.value + (start ? now - start : 0);
}

static void ledger(const struct cpu *cpu, uint64_t now)
{
	const struct acct_cpu *books = &cpu->books;
	const struct acct_slot *root = &sched.tree.root->slot[cpu->index];
	uint64_t parts = books->count[ACCT_STOLEN].value;
	uint64_t start = root->start[ACCT_EXEC].value;
	uint64_t inside;

	if (books->mode == ACCT_OFF || !books->begun.value ||
	    books->mark.sequence.value & 1)
		return;
	for (int i = 0; i < ACCT_CHARGES; i++)
		parts += shows(&books->watch[i], now);
	if (parts != now - books->begun.value)
		sim_fail("law: cpu %u has %" PRIu64 " ns of time and %" PRIu64
			 " ns in its books",
			 cpu->index, now - books->begun.value, parts);
	inside = root->base[ACCT_EXEC].value + (start ? now - start : 0);
	if (inside != shows(&books->watch[ACCT_HELD], now))
		sim_fail("law: cpu %u held %" PRIu64
			 " ns, of which its root knows %" PRIu64,
			 cpu->index, shows(&books->watch[ACCT_HELD], now),
			 inside);
}

static void runs_once(void)
{
	for (unsigned i = 0; i < sched.cpus; i++) {
		const void *task = sched.cpu[i]->current.value;

		for (unsigned k = 0; task && k < i; k++)
			if (sched.cpu[k]->current.value == task)
				sim_fail("law: task %u runs on cpus %u and %u",
					 ((const struct task *)task)->number, k,
					 i);
	}
}

static void let_down(const struct cpu *cpu, uint64_t now)
{
	uint64_t *since = &laws.unseen[cpu->index];
	bool waits = cpu->wakes.head.value || cpu->bound_wakes.head.value;

	if (!waits || !cpu->parked.value)
		*since = 0;
	else if (!*since)
		*since = now;
	else if (now - *since > laws.late_ns)
		sim_fail("law: cpu %u sleeps, and was sent a wake-up %" PRIu64
			 " ns ago",
			 cpu->index, now - *since);
}

/* A descriptor is ready, and whoever could look sleeps elsewhere or is busy. */
static void watched(uint64_t now)
{
	uint64_t since = sim_fd_ready_ns();

	/* What was left armed may be ready for long. */
	if (!sched_watch.waiting.value)
		laws.nobody = now;
	if (since < laws.nobody)
		since = laws.nobody;
	if (sim_fd_ready_ns() && now > since && now - since > laws.late_ns)
		sim_fail("law: nobody has seen for %" PRIu64
			 " ns that a descriptor is ready",
			 now - since);
}

/* A task is in a blocking region, and nobody takes its CPU over. */
static void kept(const struct cpu *cpu, uint64_t now)
{
	uint64_t *since = &laws.kept[cpu->index];
	uint64_t region = cpu->region.value;

	if (!region || laws.region[cpu->index] != region)
		*since = now;
	laws.region[cpu->index] = region;
	if (now - *since > laws.late_ns)
		sim_fail("law: cpu %u is kept in a blocking region for %" PRIu64
			 " ns",
			 cpu->index, now - *since);
}

static void pass_over(const struct cpu *cpu, uint64_t now)
{
	uint64_t *since = &laws.overdue[cpu->index];
	uint64_t deadline = cpu->timers.earliest.value;

	if (deadline > now)
		return;
	if (laws.deadline[cpu->index] != deadline) {
		laws.deadline[cpu->index] = deadline;
		*since = now;
	}
	if (now - *since > laws.late_ns)
		sim_fail("law: cpu %u has passed over a deadline for %" PRIu64
			 " ns",
			 cpu->index, now - *since);
}

static bool is_placed(const struct cpu *cpu, const struct task *task)
{
	const struct task_mask *mask = task->mask.value;
	const struct acct_group *group = task->group.value;

	if (mask && !(mask->bits[cpu->index / 64] >> cpu->index % 64 & 1))
		return false;
	return cpu->books.mode == ACCT_OFF ||
	       cpu->books.slot == &group->slot[cpu->index];
}

static void heeded(const struct cpu *cpu, uint64_t now)
{
	const struct task *task = cpu->current.value;
	const void **misplaced = &laws.misplaced[cpu->index];
	uint64_t *since = &laws.unheeded[cpu->index];

	if (!task || is_placed(cpu, task)) {
		*misplaced = NULL;
		return;
	}
	if (*misplaced != task) {
		*misplaced = task;
		*since = now;
	}
	if (now - *since > HEED_NS)
		sim_fail("law: task %u on cpu %u does not heed its new group "
			 "or affinity for %" PRIu64 " ns",
			 task->number + 1, cpu->index, now - *since);
}

void laws_check(void)
{
	uint64_t now = sim_now_ns();

	if (!sched.running.value)
		return;
	runs_once();
	if (laws.late_ns)
		watched(now);
	for (unsigned i = 0; i < sched.cpus; i++) {
		ledger(sched.cpu[i], now);
		heeded(sched.cpu[i], now);
		if (!laws.late_ns)
			continue;
		let_down(sched.cpu[i], now);
		pass_over(sched.cpu[i], now);
		kept(sched.cpu[i], now);
	}
}

static void locate_task(FILE *out, const struct task *task)
{
	static const char *const states[] = {"free", "ready", "running",
					     "blocked", "ended"};
	unsigned state = task->state.value & TASK_STATE_MASK;

	fprintf(out,
		"  task %u \"%s\" is %s%s, last on cpu %d, join %#" PRIx64 "\n",
		task->number + 1, (const char *)task->name,
		state < 5 ? states[state] : "nowhere",
		task->on_cpu.value ? " (leaving its CPU)" : "",
		(int)task->books.cpu.value, task->join.value);
}

void laws_locate(FILE *out)
{
	if (!sched.running.value)
		return;
	for (unsigned i = 0; i < sched.cpus; i++) {
		const struct cpu *cpu = sched.cpu[i];
		const struct task *runs = cpu->current.value;

		fprintf(out,
			"  cpu %u runs task %u, %s, %" PRIu64
			" queued, %u bound, wakes %s%s\n",
			i, runs ? runs->number + 1 : 0,
			cpu->parked.value ? "parked" : "awake",
			cpu->queue.tail.value - cpu->queue.head.value,
			cpu->bound_count.value,
			cpu->wakes.head.value ? "some" : "none",
			cpu->bound_wakes.head.value ? ", bound ones" : "");
	}
	for (uint32_t i = 0; i < task_numbers(); i++) {
		struct task *task = task_at(i);

		if (task && task->join.value & 3)
			locate_task(out, task);
	}
}

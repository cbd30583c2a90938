/* SPDX-License-Identifier: Apache-2.0 */
/* Ops on tasks and groups. */
#include <errno.h>

#include "storm_ops.h"

static void *child(void *arg)
{
	uint64_t ns = (uintptr_t)arg;

	storm_compute(ns, STORM_PIECE_NS);
	if (ns & 1)
		mete_task_yield();
	if (ns & 2)
		mete_task_sleep(ns);
	return arg;
}

/* Its books are read before it goes, so that sums can be held against them. */
static void bury(struct storm_actor *actor, unsigned at, mete_task task,
		 uint64_t ns)
{
	struct mete_usage usage;
	void *value = NULL;
	int rc = -ETIMEDOUT;

	if (ns & 4)
		rc = mete_task_join(task, ns & 8 ? 0 : sim_now_ns() + ns / 2,
				    &value);
	if (!rc)
		storm.detached = true; /* its books are gone */
	while (rc == -ETIMEDOUT) {
		EXPECT(!mete_task_wait(task, METE_FOREVER));
		if (!mete_task_usage(task, 0, &usage, sizeof(usage)))
			storm.dead_exec_ns += usage.exec_ns;
		rc = mete_task_join(task, METE_FOREVER, &value);
	}
	EXPECT(!rc);
	EXPECT((uintptr_t)value == ns);
	EXPECT(mete_task_join(task, METE_FOREVER, NULL) == -ESRCH);
}

void storm_spawn(struct storm_actor *actor, unsigned at)
{
	const struct storm_op *op = &actor->ops[at];
	struct mete_task_attr attr = METE_TASK_ATTR_INIT;
	mete_task task[STORM_CHILDREN];
	unsigned count = 1 + op->object % STORM_CHILDREN;
	unsigned made = 0;

	attr.name = "child";
	attr.group = op->ns & 16 ? storm.group[op->object] : (mete_group){0};
	for (unsigned i = 0; i < count; i++) {
		int rc = mete_task_create(&task[made], &attr, child,
					  (void *)(uintptr_t)op->ns);

		EXPECT(!rc || rc == -EAGAIN);
		made += !rc;
	}
	for (unsigned i = 0; i < made; i++)
		bury(actor, at, task[i], op->ns);
}

void storm_detach(struct storm_actor *actor, unsigned at)
{
	const struct storm_op *op = &actor->ops[at];
	struct mete_task_attr attr = METE_TASK_ATTR_INIT;
	mete_task task;
	int rc;

	attr.detached = op->ns & 1;
	rc = mete_task_create(&task, &attr, child,
			      (void *)(uintptr_t)(op->ns / 2));
	EXPECT(!rc || rc == -EAGAIN);
	if (rc)
		return;
	storm.detached = true;
	if (!attr.detached) {
		storm_linger(actor, op->ns);
		EXPECT(!mete_task_detach(task));
	}
}

void storm_move(struct storm_actor *actor, unsigned at)
{
	const struct storm_op *op = &actor->ops[at];
	/* Foreign actors have no task, nor have those not yet created. */
	mete_task task = storm.actor[op->other].task;
	int rc = mete_task_move(task, storm.group[op->object]);

	EXPECT(!rc || (rc == -ESRCH && !task.id));
}

void storm_charge(struct storm_actor *actor, unsigned at)
{
	const struct storm_op *op = &actor->ops[at];
	mete_group before = mete_charge(storm.group[op->object]);

	storm_linger(actor, op->ns);
	mete_charge(before);
}

void storm_bind(struct storm_actor *actor, const struct storm_op *op)
{
	struct storm_actor *whom = actor;
	unsigned cpus[4];
	struct mete_cpuset set = {cpus, 0};

	if (op->kind == STORM_BIND_OTHER)
		whom = &storm.actor[op->other];
	for (unsigned i = 0; i < storm.cpus; i++)
		if (op->ns >> i & 1)
			cpus[set.count++] = i;
	mete_task_set_affinity(whom->task, &set);
}

/* A group of its own, for a while. */
void storm_group(struct storm_actor *actor, unsigned at)
{
	const struct storm_op *op = &actor->ops[at];
	char name[] = "own-00";
	mete_group group;
	mete_group before;
	int rc;

	name[4] = (char)('a' + actor->number);
	name[5] = (char)('a' + at % 26);
	rc = mete_group_create(&group, storm.group[op->object], name, NULL);
	EXPECT(!rc || rc == -EEXIST);
	if (rc)
		return;
	before = mete_charge(group);
	storm_linger(actor, op->ns);
	if (op->ns & 1) {
		EXPECT(!mete_group_destroy(group));
		storm_compute(op->ns / 2, STORM_PIECE_NS);
		mete_charge(before);
		return;
	}
	mete_task_move(storm.actor[op->other].task, group);
	mete_charge(before);
	EXPECT(!mete_group_destroy(group));
	EXPECT(mete_group_destroy(group) == -ESRCH);
}

/* Readings of what grows never go back. */
void storm_read(struct storm_actor *actor, unsigned at)
{
	const struct storm_op *op = &actor->ops[at];
	mete_task task = storm.actor[op->other].task;
	struct mete_usage before;
	struct mete_usage usage;
	unsigned flags = op->ns & 1 ? METE_LIVE : 0;

	if (mete_task_usage(task, flags, &before, sizeof(before)) == 0) {
		storm_linger(actor, op->ns);
		if (mete_task_usage(task, flags, &usage, sizeof(usage)) == 0)
			EXPECT(usage.held_ns >= before.held_ns &&
			       usage.wait_ns >= before.wait_ns);
	}
	if (mete_group_usage(storm.group[op->object], flags, &before,
			     sizeof(before)) == 0) {
		storm_linger(actor, op->ns);
		if (!mete_group_usage(storm.group[op->object], flags, &usage,
				      sizeof(usage)))
			EXPECT(usage.held_ns >= before.held_ns &&
			       usage.voluntary >= before.voluntary);
	}
}

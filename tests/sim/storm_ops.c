/* SPDX-License-Identifier: Apache-2.0 */
/* What each op of a storm does, and what it must see. */
#include <errno.h>
#include <inttypes.h>

#include "storm.h"

#define EXPECT(condition)                                                   \
 do {                                                                       \
  if (!(condition))                                                         \
   sim_fail("actor %u, op %u: expected %s", actor->number, at, #condition); \
 } while (0)

#define PIECE_NS 2000

/* A long run, and how often it looks. */
#define LONG_NS       UINT64_C(20000000)
#define LONG_PIECE_NS 100000

struct storm storm;

static void compute_by(uint64_t ns, uint64_t most)
{
	while (ns > 0) {
		uint64_t piece = ns < most ? ns : most;

		sim_spend(piece);
		mete_checkpoint();
		ns -= piece;
	}
}

static void compute(uint64_t ns)
{
	compute_by(ns, PIECE_NS);
}

/* What happens while a lock is held. */
static void linger(struct storm_actor *actor, uint64_t ns)
{
	switch (storm_draw(&actor->random, 4)) {
	case 0:
		mete_task_yield();
		break;
	case 1:
		mete_task_sleep(ns);
		break;
	case 2:
		compute(ns);
		break;
	default:
		break;
	}
}

static uint64_t soon(const struct storm_op *op)
{
	return sim_now_ns() + op->ns;
}

static void do_lock(struct storm_actor *actor, unsigned at, bool timed)
{
	const struct storm_op *op = &actor->ops[at];
	struct mete_mutex *mutex = &storm.mutex[op->object];
	uint64_t deadline = timed ? soon(op) : METE_FOREVER;
	int rc = mete_mutex_lock(mutex, deadline);

	EXPECT(!rc || (timed && rc == -ETIMEDOUT && sim_now_ns() >= deadline));
	if (rc)
		return;
	EXPECT(++storm.inside_mutex[op->object] == 1);
	linger(actor, op->ns);
	EXPECT(mete_mutex_lock(mutex, 0) == -EDEADLK);
	EXPECT(storm.inside_mutex[op->object]-- == 1);
	EXPECT(!mete_mutex_unlock(mutex));
}

static void do_sem(struct storm_actor *actor, unsigned at)
{
	const struct storm_op *op = &actor->ops[at];

	EXPECT(!mete_sem_wait(&storm.lock[op->object], METE_FOREVER));
	EXPECT(++storm.inside_lock[op->object] == 1);
	linger(actor, op->ns);
	EXPECT(storm.inside_lock[op->object]-- == 1);
	EXPECT(!mete_sem_post(&storm.lock[op->object], 1));
}

static void do_sem_soon(struct storm_actor *actor, unsigned at)
{
	const struct storm_op *op = &actor->ops[at];
	uint64_t deadline = soon(op);
	int rc = mete_sem_wait(&storm.sem[op->object], deadline);

	EXPECT(!rc || (rc == -ETIMEDOUT && sim_now_ns() >= deadline));
	if (!rc)
		storm.taken[op->object]++;
}

static void do_post(const struct storm_op *op)
{
	unsigned count = 1 + op->ns % 3;

	storm.posted[op->object] += count;
	mete_sem_post(&storm.sem[op->object], count);
}

static void do_cond_soon(struct storm_actor *actor, unsigned at)
{
	const struct storm_op *op = &actor->ops[at];
	uint64_t deadline = soon(op);
	int rc;

	EXPECT(!mete_mutex_lock(&storm.cond_mutex, METE_FOREVER));
	rc = mete_cond_wait(&storm.cond, &storm.cond_mutex, deadline);
	EXPECT(!rc || (rc == -ETIMEDOUT && sim_now_ns() >= deadline));
	EXPECT(!mete_mutex_unlock(&storm.cond_mutex));
}

static void *child(void *arg)
{
	uint64_t ns = (uintptr_t)arg;

	compute(ns);
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

static void do_spawn(struct storm_actor *actor, unsigned at)
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

static void do_detach(struct storm_actor *actor, unsigned at)
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
		linger(actor, op->ns);
		EXPECT(!mete_task_detach(task));
	}
}

static void do_move(struct storm_actor *actor, unsigned at)
{
	const struct storm_op *op = &actor->ops[at];
	/* Foreign actors have no task, nor have those not yet created. */
	mete_task task = storm.actor[op->other].task;
	int rc = mete_task_move(task, storm.group[op->object]);

	EXPECT(!rc || (rc == -ESRCH && !task.id));
}

static void do_charge(struct storm_actor *actor, unsigned at)
{
	const struct storm_op *op = &actor->ops[at];
	mete_group before = mete_charge(storm.group[op->object]);

	linger(actor, op->ns);
	mete_charge(before);
}

static void do_bind(struct storm_actor *actor, const struct storm_op *op)
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
static void do_group(struct storm_actor *actor, unsigned at)
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
	linger(actor, op->ns);
	if (op->ns & 1) {
		EXPECT(!mete_group_destroy(group));
		compute(op->ns / 2);
		mete_charge(before);
		return;
	}
	mete_task_move(storm.actor[op->other].task, group);
	mete_charge(before);
	EXPECT(!mete_group_destroy(group));
	EXPECT(mete_group_destroy(group) == -ESRCH);
}

/* Readings of what grows never go back. */
static void do_read(struct storm_actor *actor, unsigned at)
{
	const struct storm_op *op = &actor->ops[at];
	mete_task task = storm.actor[op->other].task;
	struct mete_usage before;
	struct mete_usage usage;
	unsigned flags = op->ns & 1 ? METE_LIVE : 0;

	if (mete_task_usage(task, flags, &before, sizeof(before)) == 0) {
		linger(actor, op->ns);
		if (mete_task_usage(task, flags, &usage, sizeof(usage)) == 0)
			EXPECT(usage.held_ns >= before.held_ns &&
			       usage.wait_ns >= before.wait_ns);
	}
	if (mete_group_usage(storm.group[op->object], flags, &before,
			     sizeof(before)) == 0) {
		linger(actor, op->ns);
		if (!mete_group_usage(storm.group[op->object], flags, &usage,
				      sizeof(usage)))
			EXPECT(usage.held_ns >= before.held_ns &&
			       usage.voluntary >= before.voluntary);
	}
}

static void do_set(struct storm_actor *actor, unsigned at)
{
	struct storm_pair *pair = &storm.pair[actor->ops[at].object];

	EXPECT(!mete_mutex_lock(&pair->mutex, METE_FOREVER));
	pair->set = true;
	if (actor->ops[at].ns & 1)
		mete_cond_signal(&pair->cond);
	EXPECT(!mete_mutex_unlock(&pair->mutex));
	if (!(actor->ops[at].ns & 1))
		mete_cond_broadcast(&pair->cond);
}

static void do_await(struct storm_actor *actor, unsigned at)
{
	struct storm_pair *pair = &storm.pair[actor->ops[at].object];

	EXPECT(!mete_mutex_lock(&pair->mutex, METE_FOREVER));
	while (!pair->set)
		EXPECT(!mete_cond_wait(&pair->cond, &pair->mutex,
				       METE_FOREVER));
	EXPECT(!mete_mutex_unlock(&pair->mutex));
}

static void do_barrier(struct storm_actor *actor, unsigned at)
{
	struct storm_pair *pair = &storm.pair[actor->ops[at].object];
	int rc = mete_barrier_wait(&pair->barrier, METE_FOREVER);

	EXPECT(rc == 0 || rc == 1);
	pair->lasts += (unsigned)rc;
	EXPECT(pair->lasts <= 1);
}

static void do_sleep(struct storm_actor *actor, unsigned at)
{
	uint64_t until = soon(&actor->ops[at]);

	EXPECT(!mete_task_sleep(actor->ops[at].ns));
	EXPECT(sim_now_ns() >= until || actor->ops[at].ns == 0);
}

static void do_simple(struct storm_actor *actor, const struct storm_op *op)
{
	switch (op->kind) {
	case STORM_RUN:
		compute(op->ns);
		break;
	case STORM_RUN_LONG:
		compute_by(LONG_NS, LONG_PIECE_NS);
		break;
	case STORM_YIELD:
		mete_task_yield();
		break;
	case STORM_POST:
		do_post(op);
		break;
	case STORM_SIGNAL:
		mete_cond_signal(&storm.cond);
		break;
	case STORM_BROADCAST:
		mete_cond_broadcast(&storm.cond);
		break;
	default:
		do_bind(actor, op);
	}
}

static void do_op(struct storm_actor *actor, unsigned at)
{
	const struct storm_op *op = &actor->ops[at];

	switch (op->kind) {
	case STORM_SLEEP:
		return do_sleep(actor, at);
	case STORM_LOCK:
		return do_lock(actor, at, false);
	case STORM_LOCK_SOON:
		return do_lock(actor, at, true);
	case STORM_SEM:
		return do_sem(actor, at);
	case STORM_SEM_SOON:
		return do_sem_soon(actor, at);
	case STORM_COND_SOON:
		return do_cond_soon(actor, at);
	case STORM_SPAWN:
		return do_spawn(actor, at);
	case STORM_DETACH:
		return do_detach(actor, at);
	case STORM_MOVE:
		return do_move(actor, at);
	case STORM_CHARGE:
		return do_charge(actor, at);
	case STORM_GROUP:
		return do_group(actor, at);
	case STORM_READ:
		return do_read(actor, at);
	case STORM_GIVE:
		mete_sem_post(&storm.pair[op->object].sem, 1);
		return;
	case STORM_TAKE:
		EXPECT(!mete_sem_wait(&storm.pair[op->object].sem,
				      METE_FOREVER));
		return;
	case STORM_SET:
		return do_set(actor, at);
	case STORM_AWAIT:
		return do_await(actor, at);
	case STORM_BARRIER:
		return do_barrier(actor, at);
	default:
		return do_simple(actor, op);
	}
}

void *storm_act(void *arg)
{
	struct storm_actor *actor = arg;

	for (unsigned at = 0; at < actor->op_count; at++)
		do_op(actor, at);
	return arg;
}

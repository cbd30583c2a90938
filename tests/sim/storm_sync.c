/* SPDX-License-Identifier: Apache-2.0 */
/* Ops on reader-writer locks, events and wait groups. */
#include <errno.h>

#include "storm_ops.h"

static void do_read(struct storm_actor *actor, unsigned at, bool timed)
{
	const struct storm_op *op = &actor->ops[at];
	struct mete_rwlock *lock = &storm.rwlock[op->object];
	uint64_t deadline = timed ? storm_soon(op) : METE_FOREVER;
	int rc = mete_rwlock_read(lock, deadline);

	EXPECT(!rc || (timed && rc == -ETIMEDOUT && sim_now_ns() >= deadline));
	if (rc)
		return;
	storm.reading[op->object]++;
	EXPECT(!storm.writing[op->object]);
	storm_linger(actor, op->ns);
	EXPECT(!storm.writing[op->object]);
	storm.reading[op->object]--;
	EXPECT(!mete_rwlock_read_unlock(lock));
}

static void do_write(struct storm_actor *actor, unsigned at, bool timed)
{
	const struct storm_op *op = &actor->ops[at];
	struct mete_rwlock *lock = &storm.rwlock[op->object];
	uint64_t deadline = timed ? storm_soon(op) : METE_FOREVER;
	int rc = mete_rwlock_write(lock, deadline);

	EXPECT(!rc || (timed && rc == -ETIMEDOUT && sim_now_ns() >= deadline));
	if (rc)
		return;
	EXPECT(++storm.writing[op->object] == 1 && !storm.reading[op->object]);
	storm_linger(actor, op->ns);
	EXPECT(mete_rwlock_read(lock, 0) == -EDEADLK);
	EXPECT(storm.writing[op->object]-- == 1 && !storm.reading[op->object]);
	EXPECT(!mete_rwlock_write_unlock(lock));
}

static void do_event_soon(struct storm_actor *actor, unsigned at)
{
	const struct storm_op *op = &actor->ops[at];
	uint64_t deadline = storm_soon(op);
	int rc = mete_event_wait(&storm.event[op->object], deadline);

	EXPECT(!rc || (rc == -ETIMEDOUT && sim_now_ns() >= deadline));
}

static void do_event_take(struct storm_actor *actor, unsigned at)
{
	const struct storm_op *op = &actor->ops[at];
	struct storm_pair *pair = &storm.pair[op->object];
	int rc = mete_event_wait(&pair->event,
				 op->ns & 1 ? storm_soon(op) : METE_FOREVER);

	if (rc)
		rc = mete_event_wait(&pair->event, METE_FOREVER);
	EXPECT(!rc);
	EXPECT(mete_event_is_set(&pair->event));
	EXPECT(!mete_event_wait(&pair->event, 0));
}

static void do_work(struct storm_actor *actor, unsigned at)
{
	struct storm_pair *pair = &storm.pair[actor->ops[at].object];

	/* Some find more to do. */
	if (actor->ops[at].ns & 1)
		EXPECT(!mete_waitgroup_add(&pair->work, 1));
	storm_linger(actor, actor->ops[at].ns);
	pair->done++;
	EXPECT(!mete_waitgroup_done(&pair->work));
	if (actor->ops[at].ns & 1)
		EXPECT(!mete_waitgroup_done(&pair->work));
}

static void do_work_wait(struct storm_actor *actor, unsigned at)
{
	const struct storm_op *op = &actor->ops[at];
	struct storm_pair *pair = &storm.pair[op->object];
	uint64_t deadline = op->ns & 1 ? storm_soon(op) : METE_FOREVER;
	int rc = mete_waitgroup_wait(&pair->work, deadline);

	EXPECT(!rc || (rc == -ETIMEDOUT && sim_now_ns() >= deadline));
	if (rc)
		EXPECT(!mete_waitgroup_wait(&pair->work, METE_FOREVER));
	EXPECT(mete_waitgroup_done(&pair->work) == -EINVAL);
}

bool storm_sync(struct storm_actor *actor, unsigned at)
{
	const struct storm_op *op = &actor->ops[at];

	switch (op->kind) {
	case STORM_READ_LOCK:
	case STORM_READ_SOON:
		do_read(actor, at, op->kind == STORM_READ_SOON);
		return true;
	case STORM_WRITE:
	case STORM_WRITE_SOON:
		do_write(actor, at, op->kind == STORM_WRITE_SOON);
		return true;
	case STORM_EVENT_SOON:
		do_event_soon(actor, at);
		return true;
	case STORM_EVENT_SET:
		mete_event_set(&storm.event[op->object]);
		return true;
	case STORM_EVENT_RESET:
		mete_event_reset(&storm.event[op->object]);
		return true;
	case STORM_EVENT_GIVE:
		mete_event_set(&storm.pair[op->object].event);
		return true;
	case STORM_EVENT_TAKE:
		do_event_take(actor, at);
		return true;
	case STORM_WORK_DONE:
		do_work(actor, at);
		return true;
	case STORM_WORK_WAIT:
		do_work_wait(actor, at);
		return true;
	default:
		return false;
	}
}

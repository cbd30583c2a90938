/* SPDX-License-Identifier: Apache-2.0 */
/* What each op of a storm does, and what it must see. */
#include "storm_ops.h"

#include <errno.h>

/* A long run, and how often it looks. */
#define LONG_NS       UINT64_C(20000000)
#define LONG_PIECE_NS 100000

struct storm storm;

void storm_compute(uint64_t ns, uint64_t most)
{
	while (ns > 0) {
		uint64_t piece = ns < most ? ns : most;

		sim_spend(piece);
		mete_checkpoint();
		ns -= piece;
	}
}

void storm_linger(struct storm_actor *actor, uint64_t ns)
{
	switch (storm_draw(&actor->random, 4)) {
	case 0:
		mete_task_yield();
		break;
	case 1:
		mete_task_sleep(ns);
		break;
	case 2:
		storm_compute(ns, STORM_PIECE_NS);
		break;
	default:
		break;
	}
}

static void do_lock(struct storm_actor *actor, unsigned at, bool timed)
{
	const struct storm_op *op = &actor->ops[at];
	struct mete_mutex *mutex = &storm.mutex[op->object];
	uint64_t deadline = timed ? storm_soon(op) : METE_FOREVER;
	int rc = mete_mutex_lock(mutex, deadline);

	EXPECT(!rc || (timed && rc == -ETIMEDOUT && sim_now_ns() >= deadline));
	if (rc)
		return;
	EXPECT(++storm.inside_mutex[op->object] == 1);
	storm_linger(actor, op->ns);
	EXPECT(mete_mutex_lock(mutex, 0) == -EDEADLK);
	EXPECT(storm.inside_mutex[op->object]-- == 1);
	EXPECT(!mete_mutex_unlock(mutex));
}

static void do_sem(struct storm_actor *actor, unsigned at)
{
	const struct storm_op *op = &actor->ops[at];

	EXPECT(!mete_sem_wait(&storm.lock[op->object], METE_FOREVER));
	EXPECT(++storm.inside_lock[op->object] == 1);
	storm_linger(actor, op->ns);
	EXPECT(storm.inside_lock[op->object]-- == 1);
	EXPECT(!mete_sem_post(&storm.lock[op->object], 1));
}

static void do_sem_soon(struct storm_actor *actor, unsigned at)
{
	const struct storm_op *op = &actor->ops[at];
	uint64_t deadline = storm_soon(op);
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
	uint64_t deadline = storm_soon(op);
	int rc;

	EXPECT(!mete_mutex_lock(&storm.cond_mutex, METE_FOREVER));
	rc = mete_cond_wait(&storm.cond, &storm.cond_mutex, deadline);
	EXPECT(!rc || (rc == -ETIMEDOUT && sim_now_ns() >= deadline));
	EXPECT(!mete_mutex_unlock(&storm.cond_mutex));
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

/* Descriptors of pairs stand behind the shared ones. */
static int fd_of(unsigned pair)
{
	return (int)(STORM_SHARED + pair);
}

static void do_fd_set(unsigned pair, unsigned events)
{
	storm.pair[pair].events = events;
	sim_fd_set(fd_of(pair), events);
}

static void do_fd_await(struct storm_actor *actor, unsigned at, unsigned events)
{
	unsigned pair = actor->ops[at].object;

	EXPECT(!mete_fd_wait(fd_of(pair), events, METE_FOREVER));
	EXPECT(storm.pair[pair].events & events);
}

static void do_fd_soon(struct storm_actor *actor, unsigned at)
{
	const struct storm_op *op = &actor->ops[at];
	unsigned events = 1 + (unsigned)op->ns % 7;
	uint64_t deadline = storm_soon(op);
	int rc = mete_fd_wait((int)op->object, events, deadline);

	EXPECT(!rc || rc == -ECANCELED ||
	       (rc == -ETIMEDOUT && sim_now_ns() >= deadline));
}

/* A foreign thread is none the wiser. */
static void enter_region(struct storm_actor *actor, unsigned at)
{
	EXPECT(!mete_blocking_begin());
	EXPECT(!mete_task_self().id);
	EXPECT(mete_cpu_self() < 0);
}

static void leave_region(struct storm_actor *actor, unsigned at)
{
	EXPECT(!mete_blocking_end());
	EXPECT(mete_task_self().id == actor->task.id || !actor->task.id ||
	       actor->foreign);
	if (!actor->foreign)
		EXPECT(mete_blocking_end() == -EPERM);
}

static void do_region(struct storm_actor *actor, unsigned at)
{
	const struct storm_op *op = &actor->ops[at];

	enter_region(actor, at);
	sim_spend(op->ns);
	if (op->ns & 1) {
		EXPECT(!mete_blocking_begin());
		sim_spend(op->ns);
		EXPECT(!mete_blocking_end());
		EXPECT(!mete_task_self().id);
	}
	/* Longer than anybody may keep a CPU so. */
	if (op->ns % 16 == 4)
		sim_spend(LONG_NS);
	/* Long enough for another to take the CPU over, as it ends. */
	else if (op->ns & 2)
		mete_fd_wait((int)op->object, METE_READ,
			     storm_soon(op) + op->ns * 20);
	leave_region(actor, at);
}

static void do_region_take(struct storm_actor *actor, unsigned at)
{
	enter_region(actor, at);
	EXPECT(!mete_sem_wait(&storm.pair[actor->ops[at].object].sem,
			      METE_FOREVER));
	leave_region(actor, at);
}

static void do_sleep(struct storm_actor *actor, unsigned at)
{
	uint64_t until = storm_soon(&actor->ops[at]);

	EXPECT(!mete_task_sleep(actor->ops[at].ns));
	EXPECT(sim_now_ns() >= until || actor->ops[at].ns == 0);
}

static void do_simple(struct storm_actor *actor, const struct storm_op *op)
{
	switch (op->kind) {
	case STORM_RUN:
		storm_compute(op->ns, STORM_PIECE_NS);
		break;
	case STORM_RUN_LONG:
		storm_compute(LONG_NS, LONG_PIECE_NS);
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
	case STORM_FD_FLIP:
		sim_fd_set((int)op->object, (unsigned)op->ns % 8);
		break;
	case STORM_FD_CANCEL:
		mete_fd_cancel((int)op->object);
		break;
	case STORM_FD_FILL:
		do_fd_set(op->object, METE_READ);
		break;
	case STORM_FD_DRAIN:
		do_fd_set(op->object, METE_READ | METE_WRITE);
		break;
	case STORM_BROADCAST:
		mete_cond_broadcast(&storm.cond);
		break;
	default:
		storm_bind(actor, op);
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
		return storm_spawn(actor, at);
	case STORM_DETACH:
		return storm_detach(actor, at);
	case STORM_MOVE:
		return storm_move(actor, at);
	case STORM_CHARGE:
		return storm_charge(actor, at);
	case STORM_GROUP:
		return storm_group(actor, at);
	case STORM_READ:
		return storm_read(actor, at);
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
	case STORM_FD_READ:
		return do_fd_await(actor, at, METE_READ);
	case STORM_FD_WRITE:
		return do_fd_await(actor, at, METE_WRITE);
	case STORM_REGION:
		return do_region(actor, at);
	case STORM_REGION_TAKE:
		return do_region_take(actor, at);
	case STORM_FD_SOON:
		return do_fd_soon(actor, at);
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
		if (!storm_sync(actor, at) && !storm_chan(actor, at))
			do_op(actor, at);
	return arg;
}

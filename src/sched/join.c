/* SPDX-License-Identifier: Apache-2.0 */
/* Handles of tasks: look-up, waiting for the end, release. */
#include "sched/join.h"

#include <errno.h>

#include "sched/claim.h"
#include "sched/pool.h"
#include "sched/sched.h"
#include "sched/wait.h"

struct task *sched_find(uint64_t id)
{
	struct task *task;

	if (!(uint32_t)id)
		return NULL;
	task = task_at((uint32_t)id - 1);
	/* order: task.look pairs task.release: it is gone from its last life,
	 * for whoever took its handle from its generation */
	if (!task || a32_load_acquire(&task->generation) != id >> 32)
		return NULL;
	/* order: join.find pairs join.begin: what it is in this life */
	return (a64_load_acquire(&task->join) & JOIN_STATE) == JOIN_GONE ? NULL
									 : task;
}

struct task *sched_pin(uint64_t id)
{
	struct task *task = sched_find(id);
	uint64_t tag = (uint64_t)(uint16_t)(id >> 32) << JOIN_TAG_SHIFT;
	uint64_t word;

	if (!task)
		return NULL;
	/* relaxed: the swap validates it */
	word = a64_load_relaxed(&task->join);
	while (true) {
		if ((word & ~(JOIN_ADDRESS | JOIN_FLAGS)) != tag ||
		    (word & JOIN_STATE) == JOIN_GONE)
			return NULL;
		if (word & JOIN_PIN) {
			os_thread_yield();
			/* relaxed: as above */
			word = a64_load_relaxed(&task->join);
			continue;
		}
		/* order: join.pin pairs join.begin, join.unpin: the fields */
		if (a64_cas_acquire(&task->join, &word, word | JOIN_PIN))
			return task;
	}
}

void sched_unpin(struct task *task)
{
	/* relaxed: nobody changes the word of a pinned task but us */
	uint64_t word = a64_load_relaxed(&task->join);

	/* order: join.unpin pairs join.pin, join.change, join.again: what we
	 * did */
	a64_store_release(&task->join, word & ~(uint64_t)JOIN_PIN);
}

/* Swap the word when it is not pinned; `word` is its last known value. */
static bool change(struct task *task, uint64_t *word, uint64_t to)
{
	if (unlikely(*word & JOIN_PIN)) {
		os_thread_yield();
		/* order: join.again pairs join.change, join.unpin: as by a
		 * swap that fails, the result of a task that has ended */
		*word = a64_load_acquire(&task->join);
		return false;
	}
	/* order: join.change pairs join.unpin, join.begin, join.done, join.again,
	 * join.take, join.handed: what the others did before */
	return a64_cas_acq_rel(&task->join, word, to);
}

/* The word is GONE and the caller alone has the task. */
static void release(struct cpu *cpu, struct task *task)
{
	struct acct_group *group = task_group(task);
	uint32_t next = a32_own(&task->generation) + 1;

	if (cpu)
		acct_group_died(&sched.tree, group, cpu->index);
	else
		acct_group_leave(&sched.tree, group);
	/* order: task.release pairs task.look: see there */
	a32_own_set(&task->generation, next + !next);
	pool_give(cpu, task);
}

static struct mete_waiter *waiter_of(uint64_t word)
{
	return (struct mete_waiter *)(uintptr_t)(word & JOIN_ADDRESS);
}

static void tell_drained(void)
{
	/* order: drain.ended pairs drain.look, drain.ends, drain.foreign,
	 * drain.spawns: the count */
	a32_add_acq_rel(&sched.drained, 1);
	os_futex_wake(&sched.drained.value, 1);
}

/* The word says that the task has ended: whoever waits is woken. */
static void publish_end(struct cpu *cpu, struct task *task, uint64_t word)
{
	uint64_t tag = join_tag(task);
	uint64_t to;

	do {
		to = tag | JOIN_DONE;
		if ((word & JOIN_STATE) == JOIN_DETACHED)
			to = tag | JOIN_GONE;
		else if (word & JOIN_ADDRESS)
			to |= JOIN_PIN; /* the waiter stays until we have
					   woken it */
	} while (!change(task, &word, to));
	if (to == (tag | JOIN_GONE)) {
		release(cpu, task);
	} else if (word & JOIN_ADDRESS) {
		wait_wake(waiter_of(word));
		sched_unpin(task);
	}
}

void sched_ended(struct cpu *cpu, struct task *task)
{
	/* relaxed: the swap validates it */
	uint64_t word = a64_load_relaxed(&task->join);

	fiber_watch_end(&task->fiber);
	/* relaxed: joiners get it by the word */
	a64_store_relaxed(&task->state,
			  claim_ticket(a64_load_relaxed(&task->state)) |
				  TASK_ENDED);
	/* After sched_joiner() the joiner runs here, and holds the pin. */
	if (cpu->after != AFTER_HANDED)
		publish_end(cpu, task, word);
	a64_own_add(&cpu->ended, 1);
	/* relaxed: mete_stop() looks again in any case */
	if (unlikely(a32_load_relaxed(&sched.draining)))
		tell_drained();
}

/* The pin stays with the joiner, who comes next on this CPU: its end of the word
 * needs no swap. */
struct task *sched_joiner(struct cpu *cpu, struct task *task)
{
	/* relaxed: the swap validates it */
	uint64_t word = a64_load_relaxed(&task->join);
	struct mete_waiter *waiter;
	struct task *joiner;

	if (!(word & JOIN_ADDRESS) || word & JOIN_PIN)
		return NULL;
	waiter = waiter_of(word);
	/* order: join.take pairs join.change: the waiter's fields; it stays
	 * until the pin is gone */
	if (!a64_cas_acquire(&task->join, &word, word | JOIN_PIN))
		return NULL;
	joiner = waiter->task;
	if (joiner && claim_settled(joiner) &&
	    sched_allowed(joiner, cpu->index) && wait_claim(waiter)) {
		acct_woken_now(&joiner->books);
		waiter->handed = true;
		return joiner;
	}
	sched_unpin(task);
	return NULL;
}

/* Put a waiter into the word.  0 when it stands there, 1 when the task has
 * ended, or an error. */
static int attach(struct task *task, uint64_t id, struct mete_waiter *waiter)
{
	uint64_t tag = (uint64_t)(uint16_t)(id >> 32) << JOIN_TAG_SHIFT;
	uint64_t word = tag | JOIN_OPEN;

	while (!change(task, &word, tag | (uintptr_t)waiter | JOIN_OPEN)) {
		if ((word & ~(JOIN_ADDRESS | JOIN_FLAGS)) != tag ||
		    (word & JOIN_STATE) == JOIN_GONE)
			return -ESRCH;
		if ((word & JOIN_STATE) == JOIN_DONE)
			return 1;
		if ((word & JOIN_STATE) == JOIN_DETACHED || word & JOIN_ADDRESS)
			return -EINVAL;
	}
	return 0;
}

/* Take the waiter out again.  False when somebody has taken it already, and is
 * done with it. */
static bool withdraw(struct task *task, struct mete_waiter *waiter)
{
	uint64_t tag = join_tag(task);
	uint64_t word = tag | (uintptr_t)waiter | JOIN_OPEN;

	while (!change(task, &word, tag | JOIN_OPEN))
		if (!(word & JOIN_PIN) &&
		    (word & JOIN_ADDRESS) != (uintptr_t)waiter)
			return false;
	return true;
}

/* Until the task has ended: 0, 1 with the word pinned for the caller, or an
 * error. */
static int await_end(struct task *task, uint64_t id, uint64_t deadline_ns)
{
	uint64_t done =
		(uint64_t)(uint16_t)(id >> 32) << JOIN_TAG_SHIFT | JOIN_DONE;

	while (true) {
		struct mete_waiter waiter;
		/* order: join.done pairs join.change: its result and books */
		uint64_t word = a64_load_acquire(&task->join);
		int result;

		if ((word & ~(uint64_t)JOIN_PIN) == done)
			return 0;
		if (!deadline_ns && (word & JOIN_STATE) == JOIN_OPEN)
			return -ETIMEDOUT;
		wait_prepare(&waiter, WAIT_JOIN,
			     (void *)(uintptr_t)(task->number + 1),
			     deadline_ns);
		result = attach(task, id, &waiter);
		if (result) {
			wait_cancel(&waiter);
			return result < 0 ? result : 0;
		}
		result = wait_sleep(&waiter, deadline_ns);
		if (waiter.handed)
			return 1;
		if (!result)
			continue;
		if (withdraw(task, &waiter)) {
			wait_cancel_point();
			return result;
		}
	}
}

int sched_join(uint64_t id, uint64_t deadline_ns, bool free, void **ret_value)
{
	struct task *task = sched_find(id);
	uint64_t tag = (uint64_t)(uint16_t)(id >> 32) << JOIN_TAG_SHIFT;
	uint64_t word = tag | JOIN_DONE;
	void *value;
	int result;

	if (!task)
		return -ESRCH;
	if (task == sched_current())
		return -EDEADLK;
	result = await_end(task, id, deadline_ns);
	if (result == 1)
		/* order: join.handed pairs join.change: as join.unpin */
		a64_store_release(&task->join,
				  tag | (free ? JOIN_GONE : JOIN_DONE));
	if (result < 0 || !free)
		return result < 0 ? result : 0;
	value = task->arg;
	while (!result && !change(task, &word, tag | JOIN_GONE))
		if ((word & ~(uint64_t)JOIN_PIN) != (tag | JOIN_DONE))
			return -ESRCH;
	release(sched_cpu(), task);
	if (ret_value)
		*ret_value = value;
	return 0;
}

int sched_detach(uint64_t id)
{
	struct task *task = sched_find(id);
	uint64_t tag = (uint64_t)(uint16_t)(id >> 32) << JOIN_TAG_SHIFT;
	uint64_t word = tag | JOIN_OPEN;
	uint64_t to = tag | JOIN_DETACHED;

	if (!task)
		return -ESRCH;
	while (!change(task, &word, to)) {
		if ((word & ~(JOIN_ADDRESS | JOIN_FLAGS)) != tag ||
		    (word & JOIN_STATE) == JOIN_GONE)
			return -ESRCH;
		if ((word & JOIN_STATE) == JOIN_DETACHED || word & JOIN_ADDRESS)
			return -EINVAL;
		to = tag | ((word & JOIN_STATE) == JOIN_DONE ? JOIN_GONE
							     : JOIN_DETACHED);
	}
	if (to == (tag | JOIN_GONE))
		release(sched_cpu(), task);
	return 0;
}

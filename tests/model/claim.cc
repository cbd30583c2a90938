/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The states of a task with on_cpu: sched/claim.h, with the wake list and
 * parking below it.
 *
 * A task waits, is claimed by one of several, and runs on wherever its claimer
 * puts it, while the CPU that it left may still be busy leaving it.
 *
 *  - exactly one claim of a wait wins, and none of an older wait;
 *  - the task never runs on two CPUs at once, and is never lost;
 *  - its context, books and queueing are complete before it runs elsewhere:
 *    all of them are words without order, so a hand-over without a proper pair
 *    is a data race;
 *  - it knows whether the timer has ended its wait;
 *  - a waker that has first bound it to a CPU has it run there, wherever it was
 *    on its way to, but for a task that had not left its CPU and stays.
 *
 * The task's program is a step that a CPU executes when it has picked the task;
 * leaving is writing the context, settling is the CPU's own next step, as it is
 * in sched/switch.c.
 *
 *	covers: src/sched/claim.h
 *	plants: no-look-at-on_cpu loser-queues-too no-ticket
 *	plants: settle-early queue-where-forbidden
 *	drops: src/sched/claim.h claim_announce
 */
#include "model/model.h"

#include "os/futex.h"
#include "sched/claim.h"
#include "sched/parking.h"

#define WAITS 2
#define CPUS  2

struct cpu_model {
	struct wakelist bound;
	struct wakelist wakes;
	struct a32 parked;
	bool queued = false; /* its own queue: the task or nothing */
};

/* Where a waiter is found: the slot holds nothing, the waiter, or a post that
 * came first (as the word of a join). */
struct wait_model {
	struct aptr slot;
	struct a64 timer; /* what the timer knows of it; 0: not added yet */
	plain<uint64_t> state;
	/* what the checker knows */
	int posted = 0;
	int expired = 0;
};

static char the_post, the_waiter, the_mask;

/* The waker of the second wait is alone, has a timer against it or somebody who
 * goes by the task's word alone, or binds the task to CPU 1 first. */
enum rival {
	ALONE,
	TIMER,
	CANCELLER,
	BINDER,
};

template <enum rival Rival> struct lives : rl::test_suite<lives<Rival>, 3> {
	struct task task;
	struct cpu_model cpu[CPUS];
	struct wait_model wait[WAITS];
	struct a32 done;
	/* the task's context while it does not run, its books */
	plain<int> context;
	plain<int> woken;
	plain<int> home;
	/* what the checker knows */
	int step = 0; /* waits begun */
	int cancelled = 0;
	int runs_on = -1;

	void before()
	{
		cpu[0].queued = true;
	}

	/* As wake.c's push() and sched_notify(). */
	void push(struct wakelist *list, struct cpu_model *to)
	{
		wakelist_push(list, &task.node);
		tell(to);
	}

	void tell(struct cpu_model *to)
	{
		if (parking_claim(&to->parked))
			os_futex_wake(&to->parked.value, 1);
	}

	/* As sched_allowed(), of a mask that stands for CPU 1. */
	bool allowed(int self)
	{
		return self == 1 || !aptr_load_acquire(&task.mask);
	}

	/* As sched_send(): CPU 1 is always allowed. */
	void send()
	{
		bool bound = aptr_load_relaxed(&task.mask);

		push(bound ? &cpu[1].bound : &cpu[1].wakes, &cpu[1]);
	}

	/* As sched_queue() and sched_queue_bound(). */
	void queue(int self)
	{
		if (!model_planted("queue-where-forbidden") &&
		    aptr_load_relaxed(&task.mask) && !allowed(self))
			send();
		else
			cpu[self].queued = true;
	}

	/* As sched_pick() with its look at the mask. */
	bool pick(int self)
	{
		if (!cpu[self].queued)
			return false;
		cpu[self].queued = false;
		if (model_planted("queue-where-forbidden") || allowed(self))
			return true;
		send();
		return false;
	}

	/* As sched_ready(); `self` is -1 in a foreign thread. */
	void ready(int self)
	{
		woken.set(1);
		if (!model_planted("no-look-at-on_cpu") &&
		    !claim_settled(&task)) {
			int there = home.get();

			push(&cpu[there].bound, &cpu[there]);
		} else if (self >= 0 && allowed(self)) {
			queue(self);
		} else {
			send();
		}
	}

	bool won(bool claimed)
	{
		return claimed || model_planted("loser-queues-too");
	}

	/* As wait_claim() and sched_ready(). */
	void post(int which, int self)
	{
		struct wait_model *w = &wait[which];

		if (aptr_exchange_acq_rel(&w->slot, &the_post) != &the_waiter)
			return;
		if (Rival == TIMER || Rival == CANCELLER) {
			if (!won(claim(&task, w->state.get(), 0)))
				return;
		} else {
			claim_exclusive(&task, w->state.get());
		}
		w->posted++;
		ready(self);
	}

	/* As timers_expire(), but without the lock that keeps a timer from
	 * outliving its wait: the ticket must do that, too. */
	void expire(int which)
	{
		struct wait_model *w = &wait[which];
		uint64_t state = a64_load_acquire(&w->timer);

		if (!state)
			return;
		if (model_planted("no-ticket")) {
			state = a64_load_acquire(&task.state);
			if ((state & TASK_STATE_MASK) != TASK_BLOCKED)
				return;
		}
		if (!won(claim(&task, state, TASK_LATE)))
			return;
		w->expired++;
		ready(-1);
	}

	/* As sched_cancel(): whichever wait it finds. */
	void cancel()
	{
		uint64_t state = a64_load_acquire(&task.state);

		if ((state & TASK_STATE_MASK) != TASK_BLOCKED ||
		    !won(claim(&task, state, TASK_LATE)))
			return;
		wait[state / TASK_TICKET - 1].expired++;
		ready(-1);
	}

	/* As sched_drain(): true when the task is the one that drains. */
	bool drain(int self, bool itself)
	{
		struct cpu_model *c = &cpu[self];
		bool found = false;

		if (!wakelist_empty(&c->bound))
			found |= wakelist_take(&c->bound) != nullptr;
		if (!wakelist_empty(&c->wakes))
			found |= wakelist_take(&c->wakes) != nullptr;
		if (found && !itself)
			queue(self);
		return found && itself;
	}

	/* As wait_sleep() when it returns. */
	void return_from(struct wait_model *w)
	{
		void *expected = &the_waiter;
		bool late = claim_resume(&task);

		MODEL_CHECK(w->posted + w->expired == 1);
		MODEL_CHECK(late == (w->expired == 1));
		MODEL_CHECK(woken.get() == 1);
		woken.set(0);
		if (late)
			aptr_cas_acq_rel(&w->slot, &expected, nullptr);
	}

	/* As wait_prepare(), publishing, timer_add(): false when a post was
	 * there first, and the wait is cancelled. */
	bool announce(struct wait_model *w)
	{
		void *expected = nullptr;
		uint64_t state = claim_announce(&task, WAIT_OTHER);

		w->state.set(state);
		if (!aptr_cas_acq_rel(&w->slot, &expected, &the_waiter)) {
			if (Rival == CANCELLER && !claim(&task, state, 0))
				return true;
			cancelled++;
			claim_resume(&task);
			claim_settle(&task);
			return false;
		}
		if (Rival == TIMER)
			a64_store_release(&w->timer, state);
		return true;
	}

	/* The task runs on CPU `self` until it has left it: as sched_run(), the
	 * task's own code, sched_block(), and finish(). */
	void run(int self)
	{
		MODEL_CHECK(runs_on == -1);
		runs_on = self;
		home.set(self);
		MODEL_CHECK(context.get() == step);
		MODEL_CHECK(Rival != BINDER || step < WAITS || self == 1 ||
			    !wait[1].posted);
		if (step)
			return_from(&wait[step - 1]);
		while (step < WAITS) {
			struct wait_model *w = &wait[step++];

			if (!announce(w))
				continue;
			if (drain(self, true)) {
				claim_settle(&task);
				return_from(w);
				continue;
			}
			if (model_planted("settle-early"))
				claim_settle(&task);
			context.set(step);
			runs_on = -1;
			claim_settle(&task);
			return;
		}
		runs_on = -1;
		parking_flag(&done);
		for (int i = 0; i < CPUS; i++)
			tell(&cpu[i]);
	}

	/* As carrier_run(), with somebody on the CPU who posts. */
	void carry(int self, int posts)
	{
		for (int i = 0; !parking_sees_flag(&done);) {
			if (i < posts)
				post(i++, self);
			drain(self, false);
			if (pick(self))
				run(self);
			else if (i == posts)
				park(&cpu[self]);
		}
	}

	void park(struct cpu_model *c)
	{
		parking_publish(&c->parked, PARKED_FUTEX);
		if (!parking_sees(&c->wakes) && !parking_sees(&c->bound) &&
		    !parking_sees_flag(&done))
			os_futex_wait(&c->parked.value, 1, UINT64_MAX);
		parking_leave(&c->parked);
	}

	void thread(unsigned index)
	{
		int posts_on_cpu1 =
			Rival == TIMER || Rival == CANCELLER ? WAITS : 1;

		if (index < CPUS) {
			carry((int)index, index ? posts_on_cpu1 : 0);
		} else if (Rival == TIMER) {
			for (int i = 0; i < WAITS; i++)
				expire(i);
		} else if (Rival == CANCELLER) {
			for (int i = 0; i < WAITS; i++)
				cancel();
		} else {
			if (Rival == BINDER)
				aptr_store_release(&task.mask, &the_mask);
			post(1, -1);
		}
	}

	void after()
	{
		int ended = cancelled;

		for (int i = 0; i < WAITS; i++)
			ended += wait[i].posted + wait[i].expired;
		MODEL_CHECK(step == WAITS && ended == WAITS);
	}
};

int main(int argc, char **argv)
{
	model_arguments(argc, argv);
	model_run<lives<ALONE>>("two wakers, each alone", 3, 200000);
	model_run<lives<TIMER>>("waker against timer", 3, 200000);
	model_run<lives<CANCELLER>>("waker against cancellation", 2, 200000);
	model_run<lives<BINDER>>("bound on its way", 3, 200000);
	return model_result();
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The wake list with parking: conc/wakelist.h and sched/parking.h.
 *
 *  - no wake-up is lost: an owner that sleeps for ever is a deadlock;
 *  - none is slept over, either: once a producer has pushed and looked, the
 *    owner is not asleep without anybody about to tell it, even if every other
 *    producer is stopped where it stands;
 *  - at most one notification a sleep;
 *  - entries of one producer arrive in order, each once, with their contents;
 *  - a producer that is stopped in its push hides nothing that is there.
 *
 *	covers: src/conc/wakelist.h src/sched/parking.h
 *	plants: no-second-look tell-only-first look-without-swap
 */
#include "model/model.h"

#include "os/futex.h"
#include "sched/parking.h"

struct entry {
	struct wakenode node;
	plain<int> contents;
	int producer;
	int number;
};

static inline struct entry *entry_of(struct wakenode *node)
{
	return (struct entry *)(void *)node;
}

struct cpu_model {
	struct wakelist wakes;
	struct wakelist bound;
	struct a32 parked;
	/* not part of the program: what the checker knows */
	int sleeps = 0;
	int notifications = 0;
	bool asleep = false;

	/* As sched/idle.c's park(). */
	void park(const struct a32 *stopping = nullptr)
	{
		parking_publish(&parked, PARKED_FUTEX);
		sleeps++;
		if (model_planted("no-second-look") ||
		    (!parking_sees(&wakes) && !parking_sees(&bound) &&
		     !(stopping && parking_sees_flag(stopping)))) {
			asleep = true;
			os_futex_wait(&parked.value, 1, UINT64_MAX);
			asleep = false;
		}
		parking_leave(&parked);
	}

	/* As sched/wake.c's sched_notify(). */
	void notify()
	{
		if (model_planted("look-without-swap")
			    ? !a32_load_seq_cst(&parked)
			    : !parking_claim(&parked))
			return;
		notifications++;
		os_futex_wake(&parked.value, 1);
	}

	/* As sched/wake.c's push(). */
	void send(struct wakelist *list, struct wakenode *node)
	{
		if (model_planted("tell-only-first")) {
			bool first;

			rl::ctx().disable_preemption();
			first = !list->head.value.debug_value();
			wakelist_push(list, node);
			rl::ctx().enable_preemption();
			if (first)
				notify();
		} else {
			wakelist_push(list, node);
			notify();
		}
		MODEL_CHECK(!asleep || parked.value.debug_value() == 0 ||
			    !holds(list, node));
	}

	static bool holds(const struct wakelist *list,
			  const struct wakenode *node)
	{
		const struct wakenode *n =
			(struct wakenode *)list->head.value.debug_value();

		while (n && n != node)
			n = n->next;
		return n;
	}
};

/* Two producers, an owner that sleeps whenever there is nothing. */
template <int Each> struct sleeper : rl::test_suite<sleeper<Each>, 3> {
	struct cpu_model cpu;
	struct entry entries[2][Each];
	int taken[2] = {0, 0};

	void before()
	{
		for (int p = 0; p < 2; p++)
			for (int i = 0; i < Each; i++) {
				entries[p][i].producer = p;
				entries[p][i].number = i;
			}
	}

	void produce(int p)
	{
		for (int i = 0; i < Each; i++) {
			entries[p][i].contents.set(i + 1);
			cpu.send(&cpu.wakes, &entries[p][i].node);
		}
	}

	int drain()
	{
		int count = 0;

		for (struct wakenode *n = wakelist_take(&cpu.wakes); n;) {
			struct entry *e = entry_of(n);

			n = n->next;
			MODEL_CHECK(e->number == taken[e->producer]);
			MODEL_CHECK(e->contents.get() == e->number + 1);
			taken[e->producer]++;
			count++;
		}
		return count;
	}

	void consume()
	{
		for (int left = 2 * Each; left;) {
			int count = 0;

			if (!wakelist_empty(&cpu.wakes))
				count = drain();
			left -= count;
			if (!count)
				cpu.park();
		}
	}

	void thread(unsigned index)
	{
		if (index < 2)
			produce((int)index);
		else
			consume();
	}

	void after()
	{
		MODEL_CHECK(cpu.notifications <= cpu.sleeps);
		MODEL_CHECK(cpu.parked.value.debug_value() == 0);
	}
};

/* An idle CPU takes from the list as its owner does, while the owner goes to
 * sleep; what is meant for the owner alone wakes it. */
struct two_takers : rl::test_suite<two_takers, 3> {
	struct cpu_model cpu;
	struct entry entries[2];
	int taken[2] = {0, 0};

	void take(struct wakelist *list)
	{
		for (struct wakenode *n = wakelist_take(list); n;) {
			struct entry *e = entry_of(n);

			n = n->next;
			MODEL_CHECK(e->contents.get() == 7 + (e != entries));
			taken[e != entries]++;
		}
	}

	void thread(unsigned index)
	{
		if (index == 0) {
			entries[0].contents.set(7);
			cpu.send(&cpu.wakes, &entries[0].node);
			entries[1].contents.set(8);
			cpu.send(&cpu.bound, &entries[1].node);
		} else if (index == 1) {
			if (!wakelist_empty(&cpu.wakes))
				take(&cpu.wakes);
		} else {
			while (!taken[1]) {
				int before = taken[0];

				if (!wakelist_empty(&cpu.bound))
					take(&cpu.bound);
				if (!wakelist_empty(&cpu.wakes))
					take(&cpu.wakes);
				if (!taken[1] && taken[0] == before)
					cpu.park();
			}
		}
	}

	void after()
	{
		take(&cpu.wakes);
		MODEL_CHECK(taken[0] == 1 && taken[1] == 1);
		MODEL_CHECK(cpu.notifications <= cpu.sleeps);
	}
};

/* The end of all: a flag instead of an entry, while a producer is at work. */
struct stopped : rl::test_suite<stopped, 3> {
	struct cpu_model cpu;
	struct a32 stopping;
	struct entry entry;

	void thread(unsigned index)
	{
		if (index == 0) {
			cpu.send(&cpu.wakes, &entry.node);
		} else if (index == 1) {
			parking_flag(&stopping);
			cpu.notify();
		} else {
			while (!parking_sees_flag(&stopping)) {
				if (!wakelist_empty(&cpu.wakes))
					wakelist_take(&cpu.wakes);
				else
					cpu.park(&stopping);
			}
		}
	}
};

/* One producer may stand anywhere in its push: what another has pushed before
 * is found by whoever takes after it. */
struct hidden : rl::test_suite<hidden, 3> {
	struct wakelist list;
	struct entry entries[2];
	struct a32 pushed;

	void thread(unsigned index)
	{
		if (index == 2) {
			/* relaxed would not do: the test's own order */
			bool must = a32_load_acquire(&pushed);
			bool found = false;

			for (struct wakenode *n = wakelist_take(&list); n;
			     n = n->next)
				if (entry_of(n) == &entries[1])
					found = true;
			MODEL_CHECK(!must || found);
			return;
		}
		wakelist_push(&list, &entries[index].node);
		if (index == 1)
			a32_store_release(&pushed, 1);
	}
};

int main(int argc, char **argv)
{
	model_arguments(argc, argv);
	model_run<hidden>("a stopped producer hides nothing", 4, 0);
	model_run<sleeper<1>>("two producers of one", 4, 100000);
	model_run<two_takers>("an idle CPU takes too", 4, 100000);
	model_run<stopped>("a stop wakes the sleeper", 4, 100000);
	model_run<sleeper<2>>("two producers of two", 3, 200000);
	return model_result();
}

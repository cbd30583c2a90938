/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Units and who waits for them: sync/units.c, sync/post.c and sync/rule.c.
 *
 *  - a unit that was posted is taken once or left, and every wait that can end
 *    does (one that cannot is a deadlock to the checker);
 *  - what was done before a post is seen by whoever got its unit;
 *  - a waiter is touched by nobody after its wait has ended, and lies on the
 *    stack of whoever waits: an access to one that has gone is reported;
 *  - nobody waits for the turn (who loops is a livelock).
 *
 *	covers: src/sync/units.h src/sync/units.c src/sync/post.c src/sync/rule.c
 */
#define _Static_assert(...)
#include "sync/units.c"

#include "model/model.h"
#include "sync/post.c"
#include "sync/rule.c"

#define THREADS 3

struct a32 *model_bells;
uint32_t *model_heard;

void base_panic(const char *, int, const char *what)
{
	rl::ctx().fail_test(what, rl::test_result_user_assert_failed,
			    MODEL_HERE);
	__builtin_unreachable();
}

#define FOREVER UINT64_MAX
#define SOON    1 /* a deadline that may pass */

struct common {
	struct units units;
	plain<int> data;
	struct a32 bells[MODEL_SLEEPERS];
	uint32_t heard[MODEL_SLEEPERS] = {};
	int posted = 0;
	int taken = 0;

	void begin()
	{
		model_bells = bells;
		model_heard = heard;
		data.set(0);
	}

	void post(const struct rule *rule, uint64_t count)
	{
		posted += (int)count;
		MODEL_CHECK(!units_post(&units, rule, count, 0));
	}

	void wait(const struct rule *rule, uint64_t deadline)
	{
		if (!units_wait(&units, rule, 1, deadline))
			taken++;
	}

	uint64_t left(const struct rule *rule)
	{
		uint64_t word = a64_load_relaxed(&units.word);

		MODEL_CHECK(!(word & UNITS_WAITED));
		MODEL_CHECK(!units.head.peek() && !units.listed.peek());
		return rule_left(rule, word);
	}
};

/* Two wait, one posts for both. */
template <uint64_t First, uint64_t Second, int Posts, int Each>
struct semaphore
    : rl::test_suite<semaphore<First, Second, Posts, Each>, THREADS>,
      common {
	void before()
	{
		this->begin();
	}

	void thread(unsigned index)
	{
		if (index == 2) {
			data.set(7);
			for (int i = 0; i < Posts; i++)
				post(&rule_sem, Each);
			return;
		}
		if (!units_wait(&units, &rule_sem, 1, index ? Second : First)) {
			MODEL_CHECK(data.get() == 7);
			taken++;
		}
	}

	void after()
	{
		MODEL_CHECK((int)left(&rule_sem) == posted - taken);
	}
};

/* One waits and two post. */
template <uint64_t Deadline>
struct posters : rl::test_suite<posters<Deadline>, THREADS>, common {
	void before()
	{
		this->begin();
	}

	void thread(unsigned index)
	{
		if (index) {
			post(&rule_sem, 1);
			return;
		}
		wait(&rule_sem, Deadline);
		wait(&rule_sem, Deadline);
	}

	void after()
	{
		MODEL_CHECK((int)left(&rule_sem) == posted - taken);
	}
};

/* One wants all that two post; more than fits into the word where it is big. */
template <int Each, uint64_t Deadline>
struct gathering : rl::test_suite<gathering<Each, Deadline>, THREADS>, common {
	plain<int> done[2];

	void before()
	{
		begin();
		done[0].set(0);
		done[1].set(0);
	}

	void thread(unsigned index)
	{
		if (index) {
			done[index - 1].set(1);
			post(&rule_sem, Each);
		} else if (!units_wait(&units, &rule_sem, 2 * Each, Deadline)) {
			taken += 2 * Each;
			MODEL_CHECK(done[0].get() && done[1].get());
		}
	}

	void after()
	{
		MODEL_CHECK((int)left(&rule_sem) == posted - taken);
	}
};

/* A lock: what is done inside never meets. */
template <uint64_t Deadline>
struct lock_model : rl::test_suite<lock_model<Deadline>, THREADS>, common {
	void before()
	{
		this->begin();
	}

	void thread(unsigned index)
	{
		uint64_t deadline = index == 2 ? Deadline : FOREVER;
		uint64_t free = 0;

		if (!bias_swap(&units.word, &free, 1 << 1) &&
		    units_wait(&units, &rule_mutex, 1, deadline))
			return;
		data.set(data.get() + 1);
		taken++;
		MODEL_CHECK(!units_post(&units, &rule_mutex, 1, 0));
	}

	void after()
	{
		MODEL_CHECK(left(&rule_mutex) == 1);
		MODEL_CHECK(data.get() == taken);
	}
};

/* An event: two wait, one sets. */
struct event : rl::test_suite<event, THREADS>, common {
	void before()
	{
		this->begin();
	}

	void thread(unsigned index)
	{
		if (index == 2) {
			data.set(7);
			units_post(&units, &rule_event, 0,
				   UNITS_ALL | UNITS_LATCH);
			return;
		}
		if (units_latched(&units) ||
		    !units_wait(&units, &rule_event, 1, index ? SOON : FOREVER))
			MODEL_CHECK(data.get() == 7);
	}
};

/* A wait group of two pieces of work. */
struct work : rl::test_suite<work, THREADS>, common {
	plain<int> done[2];

	void before()
	{
		begin();
		a64_store_relaxed(&units.word, 2 << 1);
		done[0].set(0);
		done[1].set(0);
	}

	void thread(unsigned index)
	{
		if (index < 2) {
			done[index].set(1);
			MODEL_CHECK(!units_post(&units, &rule_waitgroup, 1, 0));
			return;
		}
		if (a64_load_acquire(&units.word) &&
		    units_wait(&units, &rule_waitgroup, 1, FOREVER))
			return;
		MODEL_CHECK(done[0].get() && done[1].get());
	}
};

/* Work that is added while somebody waits. */
struct more_work : rl::test_suite<more_work, THREADS>, common {
	plain<int> done[2];

	void before()
	{
		begin();
		a64_store_relaxed(&units.word, 1 << 1);
		done[0].set(0);
		done[1].set(0);
	}

	void thread(unsigned index)
	{
		if (index == 0) {
			MODEL_CHECK(!units_add(&units, &rule_waitgroup, 1));
			done[0].set(1);
			MODEL_CHECK(!units_post(&units, &rule_waitgroup, 1, 0));
			done[1].set(1);
			MODEL_CHECK(!units_post(&units, &rule_waitgroup, 1, 0));
			return;
		}
		if (!units_wait(&units, &rule_waitgroup, 1,
				index == 1 ? FOREVER : SOON))
			MODEL_CHECK(done[0].get() && done[1].get());
	}
};

/* Three meet. */
struct meeting : rl::test_suite<meeting, THREADS>, common {
	plain<int> here[THREADS];
	int lasts = 0;

	void before()
	{
		begin();
		for (int i = 0; i < THREADS; i++)
			here[i].set(0);
	}

	void thread(unsigned index)
	{
		struct mete_waiter waiter;

		here[index].set(1);
		wait_prepare(&waiter, WAIT_BARRIER, &units, FOREVER);
		waiter.want = THREADS;
		units_arrive(&units, &rule_barrier, &waiter);
		wait_sleep(&waiter, FOREVER);
		lasts += waiter.met == MET_LAST;
		for (int i = 0; i < THREADS; i++)
			MODEL_CHECK(here[i].get());
	}

	void after()
	{
		MODEL_CHECK(lasts == 1);
	}
};

int main(int argc, char **argv)
{
	model_arguments(argc, argv);
	model_run<semaphore<FOREVER, FOREVER, 2, 1>>("two wait, two posts", 3,
						     50000);
	model_run<semaphore<SOON, FOREVER, 1, 2>>("a deadline, one post of two",
						  3, 50000);
	model_run<semaphore<SOON, SOON, 2, 1>>("two deadlines", 2, 50000);
	model_run<posters<FOREVER>>("two post", 3, 50000);
	model_run<posters<SOON>>("two post, a deadline", 2, 50000);
	model_run<gathering<1, FOREVER>>("one wants both", 3, 50000);
	model_run<gathering<9000, SOON>>("one wants much", 2, 50000);
	model_run<lock_model<FOREVER>>("a lock", 3, 50000);
	model_run<lock_model<SOON>>("a lock with a deadline", 2, 50000);
	model_run<event>("an event", 2, 50000);
	model_run<work>("a wait group", 3, 50000);
	model_run<more_work>("more work", 2, 50000);
	model_run<meeting>("a barrier", 2, 50000);
	return model_result();
}

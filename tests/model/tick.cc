/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tick and those whom it must not forget: sched/tick.c, sched/timer.[ch],
 * with parking and the wake list.
 *
 *  - a timer of a busy CPU fires: one that was added while it ran, and one that
 *    it kept while it slept and has not been woken by;
 *  - what is sent to a busy CPU makes the tick beat, however deep it rests, and
 *    ends the slice there;
 *  - the tick sees what was published before it was called, and ends when told.
 *
 * A tick that forgets sleeps for ever, and whoever waits for it with it: a
 * deadlock.  That a plain push into a queue (tick_compete()) is seen is a matter
 * of real time, by the look before the long rest, and not modelled.
 *
 *	covers: src/sched/tick.c src/sched/timer.h src/sched/timer.c
 *	covers: src/sched/parking.h src/conc/wakelist.h
 *	plants: no-cover no-want cover-first
 */
#include "model/model.h"

#include "arch/arch.h"

#undef arch_relax
#define arch_relax() rl::yield(1, MODEL_HERE)

#include "os/futex.h"
#include "sched/parking.h"
#include "sched/tick.c"
#include "sched/timer.c"

#define SLICE_NS 1000
#define DEADLINE 5000

struct sched sched;
struct watch sched_watch;

static struct a32 fired; /* the task of the timer is ready */
static struct cpu *the_cpu;

/* What lies around the tick, which looks at the clock in each of its rounds: time
 * enough for the task on the CPU to come to its next safe point. */
uint64_t os_monotonic_ns(void)
{
	if (the_cpu->due.value.debug_value())
		os_futex_wake(&the_cpu->due.value, 1);
	return model_clock;
}

uint64_t os_raw_ns(void)
{
	return model_clock;
}

uint64_t os_ticks_to_ns(const struct os_timebase *, uint64_t ticks)
{
	return ticks;
}

bool os_ticks_use_clock = true;

void watch_mind(uint64_t)
{
}

uint64_t region_look(uint64_t)
{
	return UINT64_MAX;
}

bool gate_shut(struct gate *)
{
	return false;
}

void sched_notify_idle_slow(void)
{
}

void sched_resend(struct cpu *)
{
}

bool sched_notify(struct cpu *cpu)
{
	if (!parking_claim(&cpu->parked))
		return false;
	os_futex_wake(&cpu->parked.value, 1);
	return true;
}

void sched_ready_chain(struct wakenode *chain)
{
	if (!chain)
		return;
	parking_flag(&fired);
	os_futex_wake(&fired.value, 1);
}

/* One CPU, whose task waits for what the tick is to do; the tick's thread. */
struct ticking {
	struct cpu cpu;
	struct task task;
	struct timer timer;
	struct cpu *cpus[1];

	/* `idle` beats ago somebody competed last. */
	void begin(unsigned idle, bool active)
	{
		model_clock = 0;
		model_renew(&sched);
		model_renew(&sched_watch);
		model_renew(&tick_active);
		model_renew(&tick.bell);
		model_renew(&tick.asleep);
		model_renew(&tick.ending);
		model_renew(&fired);
		sched.cpus = 1;
		sched.cpu = cpus;
		sched.config.slice_ns = SLICE_NS;
		sched.config.mode = ACCT_OFF;
		cpus[0] = the_cpu = &cpu;
		cpu.tick_switches = 0;
		cpu.tick_since = 0;
		cpu.tick_asked = false;
		timers_init(&cpu.timers);
		tick_start();
		tick.idle = idle;
		if (active)
			a32_store_relaxed(&tick_active, 1);
		a64_store_relaxed(&task.state, TASK_TICKET | TASK_BLOCKED);
		timer.deadline_ns = DEADLINE;
		timer.task = &task;
		timer.state = TASK_TICKET | TASK_BLOCKED;
	}

	void end()
	{
		model_leave(&sched);
		model_leave(&sched_watch);
		model_leave(&tick_active);
		model_leave(&tick.bell);
		model_leave(&tick.asleep);
		model_leave(&tick.ending);
		model_leave(&fired);
	}

	/* As mind() in sched/idle.c and mind_timers() in sched/switch.c. */
	void cover()
	{
		if (!model_planted("no-cover"))
			tick_cover(timers_earliest(&cpu.timers));
	}

	static void await(struct a32 *word)
	{
		os_futex_wait(&word->value, 0, UINT64_MAX);
	}
};

/* The task on the CPU has a timer and leaves; another runs on and on. */
struct busy : rl::test_suite<busy, 2> {
	struct ticking t;

	void before()
	{
		t.begin(BEATS_IDLE + 1, false);
	}

	void thread(unsigned index)
	{
		if (index == 0) {
			tick_run(NULL);
			return;
		}
		if (model_planted("cover-first"))
			tick_cover(DEADLINE);
		timer_add(&t.cpu.timers, &t.timer);
		if (!model_planted("cover-first"))
			t.cover();
		t.await(&fired);
		tick_stop();
	}

	void after()
	{
		t.end();
	}
};

/* The CPU has slept with the timer, as park() does, and found other work. */
struct woken : rl::test_suite<woken, 2> {
	struct ticking t;

	void before()
	{
		t.begin(BEATS_IDLE + 1, false);
		timer_add(&t.cpu.timers, &t.timer);
		/* as parking_publish(), long ago */
		a32_store_relaxed(&t.cpu.parked, PARKED_FUTEX);
	}

	void thread(unsigned index)
	{
		if (index == 0) {
			tick_run(NULL);
			return;
		}
		parking_leave(&t.cpu.parked);
		t.cover();
		t.await(&fired);
		tick_stop();
	}

	void after()
	{
		t.end();
	}
};

/* The CPU goes to sleep and leaves its timer to nobody else; no more than that
 * the tick, which may look after it or not, ends. */
struct asleep : rl::test_suite<asleep, 2> {
	struct ticking t;

	void before()
	{
		t.begin(BEATS_IDLE + 1, false);
	}

	void thread(unsigned index)
	{
		if (index == 0) {
			tick_run(NULL);
			return;
		}
		parking_publish(&t.cpu.parked, PARKED_FUTEX);
		parking_leave(&t.cpu.parked);
		tick_stop();
	}

	void after()
	{
		t.end();
	}
};

/* A waker sends to a CPU that is busy, whose task sees its flags at its next
 * safe point and nothing else. */
template <bool Active> struct sent : rl::test_suite<sent<Active>, 3> {
	struct ticking t;
	struct a32 seen;
	plain<int> contents;

	void before()
	{
		t.begin(BEATS_IDLE + 1, Active);
	}

	/* As push() in sched/wake.c. */
	void send()
	{
		contents.set(1);
		wakelist_push(&t.cpu.wakes, &t.task.node);
		if (!sched_notify(&t.cpu) && !model_planted("no-want"))
			tick_want();
	}

	void thread(unsigned index)
	{
		if (index == 0) {
			tick_run(NULL);
		} else if (index == 1) {
			send();
		} else {
			safe_point();
			tick_stop();
		}
	}

	/* As sched_checkpoint_slow(), when there is something. */
	void safe_point()
	{
		ticking::await(&t.cpu.due);
		MODEL_CHECK(a32_exchange_acquire(&t.cpu.due, 0) == DUE_SLICE);
		MODEL_CHECK(wakelist_take(&t.cpu.wakes) == &t.task.node);
		MODEL_CHECK(contents.get() == 1);
	}

	void after()
	{
		t.end();
	}
};

int main(int argc, char **argv)
{
	model_arguments(argc, argv);
	model_run<busy>("a timer of a busy CPU", 3, 20000);
	model_run<woken>("a timer that was slept with", 3, 20000);
	model_run<asleep>("a CPU that sleeps", 2, 20000);
	model_run<sent<true>>("sent while the tick goes to rest", 3, 20000);
	model_run<sent<false>>("sent while the tick rests", 2, 20000);
	return model_result();
}

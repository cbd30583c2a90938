/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handles of tasks: sched/join.[ch], with the names of sched/task.h.
 *
 * A task ends, while others join, detach, pin or look it up, and is made anew
 * under the next generation as soon as it is released.
 *
 *  - it is released once, by its joiner, whoever detaches it, or its CPU;
 *  - who joins it gets its result, and is woken by its end, unless its time is
 *    over; a waiter is touched by nobody after that;
 *  - a pin keeps it: nobody releases it under the hands of its holder, and no
 *    old handle gets at its next life;
 *  - who looks it up by an old handle, reads it, and finds the handle right still,
 *    has read nothing of the next life.
 *
 *	covers: src/sched/join.c src/sched/join.h src/sched/task.h
 *	plants: no-next-generation
 */
#define MODEL_TASKS
#include "model/below.h"

struct cpu;
static struct cpu *model_cpu(void);

#undef ARCH_TLS_POINTER
#define ARCH_TLS_POINTER(variable) ((decltype(variable))(void *)model_cpu())

#include "sched/join.c"

#define FOREVER UINT64_MAX
#define SOON    1

struct sched sched;
struct a32 *model_bells;
uint32_t *model_heard;
struct task *model_task;

static struct cpu *the_cpu;
static struct task *the_joiner; /* NULL: it is a foreign thread */

/* Thread 0 is the CPU on which the task ends, thread 1 its joiner. */
static struct cpu *model_cpu(void)
{
	return rl::thread_index() ? nullptr : the_cpu;
}

static struct task *model_self(void)
{
	return rl::thread_index() == 1 ? the_joiner : nullptr;
}

void acct_group_leave(struct acct_tree *, struct acct_group *)
{
}

void acct_group_reap(struct acct_tree *)
{
}

struct world {
	struct cpu cpu;
	struct task task;
	struct task joiner;
	struct acct_group group;
	struct acct_slot slot;
	struct a32 bells[MODEL_SLEEPERS];
	uint32_t heard[MODEL_SLEEPERS] = {};
	plain<int> result; /* what it leaves to who joins it */
	plain<int> life;   /* under the pin */
	uint64_t id;
	int lives = 1;
	int got = 0; /* have joined and released it */
};

static struct world *w;

static void name_it(int life)
{
	task_name_set(&w->task, life == 1 ? "1" : "2");
}

void pool_give(struct cpu *, struct task *task)
{
	MODEL_CHECK(w->lives == 1);
	w->lives = 2;
	w->life.set(2);
	w->result.set(2);
	name_it(2);
	if (model_planted("no-next-generation"))
		a32_own_set(&task->generation, 1);
	join_word_begin(task, false);
}

template <typename Scene> struct scene : rl::test_suite<Scene, THREADS> {
	struct world world;

	void before()
	{
		w = &world;
		model_renew(&sched);
		model_bells = w->bells;
		model_heard = w->heard;
		model_task = &w->task;
		the_cpu = &w->cpu;
		the_joiner = nullptr;
		w->cpu.index = 0;
		w->cpu.after = AFTER_END;
		w->task.number = 6;
		w->id = UINT64_C(1) << 32 | 7;
		w->group.slot = &w->slot;
		a32_store_relaxed(&w->task.generation, 1);
		aptr_store_relaxed(&w->task.group, &w->group);
		a64_store_relaxed(&w->task.state, TASK_RUNNING);
		w->task.arg = w;
		w->life.set(1);
		w->result.set(0);
		name_it(1);
		join_word_begin(&w->task, false);
		((Scene *)this)->begin();
	}

	void begin()
	{
	}

	void thread(unsigned index)
	{
		if (index == 0)
			end();
		else if (index == 1)
			((Scene *)this)->first();
		else
			((Scene *)this)->second();
	}

	/* As end() in sched/switch.c, with a joiner that may go on here: it is
	 * thread 1, which does so when it is rung. */
	void end()
	{
		struct task *joiner;

		w->result.set(1);
		joiner = the_joiner ? sched_joiner(the_cpu, &w->task) : nullptr;
		if (joiner) {
			w->cpu.after = AFTER_HANDED;
			/* The pin is ours, then the joiner's. */
			w->life.set(1);
		}
		sched_ended(the_cpu, &w->task);
		if (joiner)
			model_ring(1);
	}

	void join(uint64_t deadline)
	{
		void *value = nullptr;

		if (sched_join(w->id, deadline, true, &value))
			return;
		MODEL_CHECK(value == w);
		MODEL_CHECK(w->lives == 2);
		w->got++;
	}

	/* It ends, and is not released. */
	void await()
	{
		if (!sched_join(w->id, FOREVER, false, nullptr))
			MODEL_CHECK(w->result.get() == 1);
	}

	/* Somebody works on it. */
	void pin(uint64_t id)
	{
		struct task *task = sched_pin(id);

		if (!task)
			return;
		MODEL_CHECK(w->life.get() == (int)(id >> 32));
		w->life.set((int)(id >> 32));
		sched_unpin(task);
	}

	/* Somebody reads it. */
	void look(uint64_t id)
	{
		const struct task *task = sched_find(id);
		char name[TASK_NAME_MAX + 1];

		if (!task)
			return;
		task_name_get(task, name);
		if (sched_find(id))
			MODEL_CHECK(name[0] == '0' + (char)(id >> 32));
	}

	void after()
	{
		((Scene *)this)->check();
		model_leave(&sched);
	}

	void check()
	{
		MODEL_CHECK(w->lives == 2);
	}
};

/* Who joins it sees its result; another works on it meanwhile. */
template <bool Task> struct joined : scene<joined<Task>> {
	void begin()
	{
		if (Task)
			the_joiner = &w->joiner;
	}

	void first()
	{
		this->join(FOREVER);
		MODEL_CHECK(w->got == 1);
	}

	void second()
	{
		this->pin(w->id);
	}
};

template <bool Task> struct awaited : scene<awaited<Task>> {
	void begin()
	{
		if (Task)
			the_joiner = &w->joiner;
	}

	void first()
	{
		this->await();
	}

	void second()
	{
		this->pin(w->id);
	}

	void check()
	{
		MODEL_CHECK(w->lives == 1);
	}
};

/* Its joiner's time is over, perhaps, and another detaches it. */
struct detached : scene<detached> {
	int error = 0;

	void first()
	{
		join(SOON);
	}

	void second()
	{
		error = sched_detach(w->id);
	}

	void check()
	{
		MODEL_CHECK(w->lives == 2 || error == -EINVAL);
	}
};

/* It is detached and lives again, while a handle is used: the old one, or what
 * somebody who goes through all tasks takes for its handle. */
template <bool Walks, bool Looks> struct again : scene<again<Walks, Looks>> {
	void first()
	{
		sched_detach(w->id);
	}

	void second()
	{
		uint64_t id = Walks ? task_id(&w->task) : w->id;

		if (Looks)
			this->look(id);
		else
			this->pin(id);
	}
};

int main(int argc, char **argv)
{
	model_arguments(argc, argv);
	model_run<joined<false>>("a thread joins", 2, 50000);
	model_run<joined<true>>("a task joins", 2, 50000);
	model_run<awaited<false>>("a thread awaits it", 2, 50000);
	model_run<awaited<true>>("a task awaits it", 2, 50000);
	model_run<detached>("a deadline and a detachment", 2, 50000);
	model_run<again<false, false>>("an old handle pins", 2, 50000);
	model_run<again<false, true>>("an old handle looks", 2, 50000);
	model_run<again<true, false>>("a walker pins", 2, 50000);
	model_run<again<true, true>>("a walker looks", 2, 50000);
	return model_result();
}

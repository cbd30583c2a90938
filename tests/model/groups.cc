/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of groups: acct/group.[ch], acct/reap.c, with moves (sched/move.c) and
 * presses (acct/press.[ch]) that still go into them.
 *
 *  - no CPU charges a group that is free, however late it looked at its task's
 *    group and however early that was found empty;
 *  - what was charged is all there when a group is freed: the groups' own, what
 *    the destroyed have left included, adds up to the root's;
 *  - a task never ends up in a group that is not alive and did not hold it.
 *
 * The grace period counts on it that what a CPU has stored becomes visible within
 * ACCT_GRACE_NS.  That is real time; here it passes when the one who waits for
 * it looks at the clock: what all CPUs did until then is visible from then on,
 * and they see what was done before.
 *
 *	covers: src/acct/group.h src/acct/group.c src/acct/reap.c
 *	covers: src/acct/press.h src/acct/press.c src/sched/move.c
 *	covers: src/sched/task.h
 *	plants: no-wait
 */
#include "model/below.h"

struct cpu;
static struct cpu *model_cpu(void);

#undef ARCH_TLS_POINTER
#define ARCH_TLS_POINTER(variable) ((decltype(variable))(void *)model_cpu())

#include "os/mem.h"
#include "sched/sched.h"

/* The vector clocks of threads that have begun, and of the last wait. */
static rl::timestamp_t *clock_of[THREADS];
static rl::timestamp_t waited[THREADS];

static void learn(rl::timestamp_t *clock, const rl::timestamp_t *of)
{
	for (int t = 0; t < THREADS; t++)
		if (of[t] > clock[t])
			clock[t] = of[t];
}

/* Not in every scenario: membership is proved without it. */
static bool wait_helps;

static uint64_t model_monotonic_ns(bool waits)
{
	if (!waits || (wait_helps && !rl::rand(2)))
		return 0;
	if (model_planted("no-wait") || !wait_helps)
		return UINT64_MAX;
	for (int t = 0; t < THREADS; t++)
		if (clock_of[t])
			learn(waited, clock_of[t]);
	for (int t = 0; t < THREADS; t++)
		if (clock_of[t])
			learn(clock_of[t], waited);
	return UINT64_MAX;
}

/* As it begins. */
static void thread_begins(void)
{
	clock_of[rl::thread_index()] = rl::ctx().threadx_->acq_rel_order_;
	learn(clock_of[rl::thread_index()], waited);
}

#include "acct/group.c"
#include "acct/press.c"
#define os_monotonic_ns() model_monotonic_ns(!strcmp(__func__, "grace_visible"))
#include "acct/reap.c"
#undef os_monotonic_ns
#include "sched/move.c"

#define GROUPS 3

enum {
	ROOT,
	OLD, /* in which the task is; to be destroyed */
	NEW,
};

struct sched sched;

static struct cpu *the_cpu;
static struct task *the_task;

/* Thread 0 is the CPU. */
static struct cpu *model_cpu(void)
{
	return rl::thread_index() ? nullptr : the_cpu;
}

/* What lies around. */
struct task *sched_pin(uint64_t)
{
	return the_task;
}

void sched_unpin(struct task *)
{
}

void sched_checkpoint_slow(struct cpu *)
{
}

void *os_alloc(size_t)
{
	return nullptr;
}

void *os_alloc_aligned(size_t, size_t)
{
	return nullptr;
}

void os_free(void *)
{
}

int table_init(struct table *, size_t, size_t, unsigned)
{
	return -ENOMEM;
}

void table_fini(struct table *)
{
}

int table_add(struct table *, uint32_t *)
{
	return -ENOMEM;
}

static bool is_free(const struct acct_group *g)
{
	return g && g->life.value.debug_value() == ACCT_FREE;
}

struct world {
	struct cpu cpu;
	struct cpu *cpus[1];
	struct acct_cpu *books[1];
	struct task task;
	struct acct_group group[GROUPS];
	struct acct_slot slot[GROUPS];
	struct aptr chunk;
	uint64_t grace[1];
	uint64_t id[GROUPS];
	bool gone = false; /* the task is no more */

	void begin()
	{
		struct acct_tree *tree = &sched.tree;

		clock_now = 100;
		memset(clock_of, 0, sizeof(clock_of));
		memset(waited, 0, sizeof(waited));
		model_renew(&sched);
		the_cpu = &cpu;
		the_task = &task;
		sched.cpus = 1;
		sched.cpu = cpus;
		sched.config.mode = ACCT_GROUP;
		cpus[0] = &cpu;
		books[0] = &cpu.books;
		cpu.index = 0;
		tree->cpus = 1;
		tree->cpu = books;
		tree->grace = grace;
		tree->groups.chunk = &chunk;
		tree->groups.entry_bytes = sizeof(struct acct_group);
		tree->groups.chunk_shift = CHUNK_SHIFT;
		a32_store_relaxed(&tree->groups.count, GROUPS);
		aptr_store_relaxed(&chunk, group);
		tree->root = &group[ROOT];
		tree->free = tree->dying = tree->leaving = nullptr;
		cpu.books.mode = ACCT_GROUP;
		cpu.books.index = 0;
		cpu.books.slot = &cpu.books.outside;
		cpu.books.outside.parent = nullptr;
		cpu.books.outside.depth = 0;
		cpu.books.outside.group = nullptr;
		memset(&cpu.books.steal, 0, sizeof(cpu.books.steal));
		memset(cpu.books.own_start, 0, sizeof(cpu.books.own_start));
		for (uint32_t i = 0; i < GROUPS; i++)
			make(i);
		aptr_store_relaxed(&cpu.current, &task);
		aptr_store_relaxed(&task.group, &group[OLD]);
		a64_store_relaxed(&group[OLD].arrived, 1);
		a64_store_relaxed(&task.state, TASK_RUNNING);
		acct_task_begin(&task.books, 0, 0);
		acct_cpu_begin(&cpu.books, nullptr);
		acct_resume(&cpu.books, &task.books, &slot[OLD]);
	}

	void make(uint32_t i)
	{
		struct acct_group *g = &group[i];

		g->number = i;
		g->slot = &slot[i];
		g->child = g->sibling = g->link = nullptr;
		group_attach(&sched.tree, g, i == ROOT ? NULL : &group[ROOT],
			     i == ROOT  ? ""
			     : i == OLD ? "old"
					: "new");
		id[i] = acct_group_id(g);
	}

	/* The task is in that one from the beginning. */
	void stands_in(int which)
	{
		a64_store_relaxed(&group[OLD].arrived, 0);
		a64_store_relaxed(&group[which].arrived, 1);
		aptr_store_relaxed(&task.group, &group[which]);
		pick();
	}

	/* The CPU switches to the task, or goes on with it, and looks whose it
	 * is. */
	void pick()
	{
		acct_switch(&cpu.books, &task.books, &task.books,
			    sched_slot(&cpu, &task), ACCT_LEAVE_VOLUNTARY);
		MODEL_CHECK(!is_free(cpu.books.slot->group));
		acct_switched(&cpu.books);
		MODEL_CHECK(!is_free(cpu.books.slot->group));
	}

	/* To another, that nobody moves. */
	void other()
	{
		acct_switch(&cpu.books, &task.books, &task.books, &slot[NEW],
			    ACCT_LEAVE_VOLUNTARY);
		acct_switched(&cpu.books);
	}

	/* It has nothing to run, and sleeps. */
	void sleep()
	{
		acct_suspend(&cpu.books, &task.books, ACCT_LEAVE_VOLUNTARY);
		acct_switched(&cpu.books);
		cpu.books.mode = ACCT_OFF;
		acct_park(&cpu.books);
	}

	void wake()
	{
		acct_unpark(&cpu.books);
		cpu.books.mode = ACCT_GROUP;
		acct_resume(&cpu.books, &task.books, sched_slot(&cpu, &task));
		MODEL_CHECK(!is_free(cpu.books.slot->group));
		acct_switched(&cpu.books);
	}

	/* Somebody destroys it, others reap. */
	void destroy(int which, int looks)
	{
		acct_group_destroy(&sched.tree, id[which]);
		for (int i = 0; i < looks; i++)
			acct_group_reap(&sched.tree);
	}

	/* All at rest: nobody inside of what is free, nothing lost. */
	void end()
	{
		uint64_t own = 0;

		if (cpu.books.slot != &cpu.books.outside)
			acct_suspend(&cpu.books, &task.books,
				     ACCT_LEAVE_VOLUNTARY);
		for (int i = 0; i < GROUPS; i++)
			own += a64_own(&group[i].inherited[ACCT_EXEC]) +
			       a64_own(&slot[i].own[ACCT_EXEC]);
		MODEL_CHECK(own == a64_own(&slot[ROOT].base[ACCT_EXEC]));
		MODEL_CHECK(gone || !is_free(task_group(&task)));
		model_leave(&sched);
	}
};

/* A scenario: the CPU, somebody, and whoever destroys the old group. */
template <typename Scene> struct scene : rl::test_suite<Scene, THREADS> {
	struct world w;
	struct a32 done; /* by the CPU */

	void before()
	{
		wait_helps = false;
		w.begin();
		((Scene *)this)->begin();
	}

	void thread(unsigned index)
	{
		thread_begins();
		if (index == 0)
			((Scene *)this)->run();
		else if (index == 1)
			((Scene *)this)->meddle();
		else
			((Scene *)this)->destroy();
	}

	void after()
	{
		w.end();
	}

	void begin()
	{
	}

	void meddle()
	{
	}

	void destroy()
	{
		w.destroy(OLD, 2);
	}
};

/* The task is moved away while its CPU, that runs others meanwhile, switches to
 * it. */
struct moved : scene<moved> {
	void begin()
	{
		wait_helps = true;
		w.other();
	}

	void run()
	{
		w.other();
		w.other();
		w.pick();
		w.pick();
	}

	void meddle()
	{
		sched_move(0, w.id[NEW]);
	}
};

/* The CPU sleeps meanwhile. */
struct slept : scene<slept> {
	void begin()
	{
		wait_helps = true;
	}

	void run()
	{
		w.sleep();
		w.wake();
	}

	void meddle()
	{
		sched_move(0, w.id[NEW]);
	}
};

/* It has switched to it late, left again, and has gone to sleep or on, all while
 * the others look: the last step of reaping alone, since it takes an old value
 * of a word that changes twice. */
template <bool Sleeps> struct left : scene<left<Sleeps>> {
	void begin()
	{
		struct world *w = &this->w;

		wait_helps = true;
		w->other();
		sched.tree.grace_counted = true;
		w->grace[0] = a64_own(&w->cpu.books.switches);
	}

	void run()
	{
		struct acct_cpu *cpu = &this->w.cpu.books;
		struct acct_slot *slot = &this->w.slot[OLD];

		a64_own_set(&slot->start[ACCT_EXEC], clock_now);
		if (!Sleeps)
			acct_switched(cpu);
		a64_own_set(&slot->own[ACCT_EXEC], 1000);
		a64_own_set(&slot->start[ACCT_EXEC], 0);
		cpu->mode = ACCT_OFF;
		if (Sleeps)
			acct_park(cpu);
	}

	void destroy()
	{
		struct world *w = &this->w;
		bool over = grace_over(&sched.tree);

		if (over && quiet(&sched.tree, &w->group[OLD]))
			MODEL_CHECK(a64_own(&w->slot[OLD].own[ACCT_EXEC]) ==
				    1000);
	}

	void after()
	{
		model_leave(&sched);
	}
};

/* Who moves a task has made the group: it is complete for the task's CPU, which
 * is told to look, and may take it out again. */
template <bool Told> struct made : scene<made<Told>> {
	plain<int> contents;

	void begin()
	{
		contents.set(0);
	}

	void run()
	{
		struct world *w = &this->w;

		if (!Told) {
			if (sched_charge(w->id[ROOT]) == w->id[NEW])
				MODEL_CHECK(contents.get() == 1);
			return;
		}
		/* As take_due() and heed() in sched/switch.c. */
		if (!(a32_exchange_acquire(&w->cpu.due, 0) & DUE_HEED))
			return;
		MODEL_CHECK(task_group(&w->task) == &w->group[NEW]);
		MODEL_CHECK(contents.get() == 1);
	}

	void meddle()
	{
		contents.set(1);
		sched_move(0, this->w.id[NEW]);
	}

	/* Somebody who only looks whose it is. */
	void destroy()
	{
		if (task_group(&this->w.task) == &this->w.group[NEW])
			MODEL_CHECK(contents.get() == 1);
	}
};

/* The task moves itself, and somebody else looks whose it is, or takes it out
 * again. */
struct moves : scene<moves> {
	plain<int> contents;

	void begin()
	{
		contents.set(0);
	}

	void run()
	{
		contents.set(1);
		sched_charge(w.id[NEW]);
	}

	void meddle()
	{
		sched_move(0, w.id[ROOT]);
		if (w.group[NEW].departed.value.debug_value())
			MODEL_CHECK(contents.get() == 1);
	}

	void destroy()
	{
		if (task_group(&w.task) == &w.group[NEW])
			MODEL_CHECK(contents.get() == 1);
	}
};

/* It moves itself into what is destroyed, and back, while others move it. */
struct undone : scene<undone> {
	plain<int> contents;

	void begin()
	{
		w.stands_in(ROOT);
		contents.set(0);
	}

	void run()
	{
		sched_charge(w.id[OLD]);
		if (w.group[NEW].departed.value.debug_value())
			MODEL_CHECK(contents.get() == 1);
	}

	void meddle()
	{
		contents.set(1);
		sched_move(0, w.id[NEW]);
	}

	void destroy()
	{
		a32_exchange_seq_cst(&w.group[OLD].life, ACCT_DYING);
		if (task_group(&w.task) == &w.group[NEW])
			MODEL_CHECK(contents.get() == 1);
	}
};

/* The entry lives again, which an old handle does not find. */
struct reused : scene<reused> {
	void begin()
	{
		w.stands_in(NEW);
		a32_store_relaxed(&w.group[OLD].life, ACCT_DYING);
	}

	void run()
	{
		group_free(&sched.tree, &w.group[OLD]);
		group_attach(&sched.tree, &w.group[OLD], &w.group[ROOT], "old");
	}

	void destroy()
	{
		MODEL_CHECK(!acct_group_get(&sched.tree, w.id[OLD]));
	}
};

/* A task moves itself there, stays or goes back. */
template <bool Stays> struct charged : scene<charged<Stays>> {
	void begin()
	{
		wait_helps = true;
		this->w.stands_in(NEW);
	}

	void run()
	{
		struct world *w = &this->w;
		uint64_t before = sched_charge(w->id[OLD]);

		MODEL_CHECK(!is_free(task_group(&w->task)));
		w->pick();
		if (!Stays)
			sched_charge(before);
		w->pick();
	}
};

/*
 * Membership, of which the proof needs neither waits nor presses: the old group
 * is destroyed and looked at once; who is in it then, and stays, is seen.
 */
template <typename Scene> struct looked_at : scene<Scene> {
	bool found_empty = false;
	bool stays = false;

	void destroy()
	{
		struct world *w = &this->w;

		acct_group_destroy(&sched.tree, w->id[OLD]);
		found_empty = empty(&sched.tree, &w->group[OLD]);
	}

	void run()
	{
	}

	void after()
	{
		MODEL_CHECK(!stays || !found_empty);
		model_leave(&sched);
	}
};

/* Somebody comes in just then. */
struct entered : looked_at<entered> {
	void begin()
	{
		w.stands_in(NEW);
	}

	void meddle()
	{
		stays = acct_group_enter(&w.group[OLD]) == 0;
	}
};

/* A task leaves a child there; it leaves itself, or others let it go. */
template <bool Others> struct born : looked_at<born<Others>> {
	void run()
	{
		struct world *w = &this->w;

		acct_group_born(&w->group[OLD], 0);
		this->stays = true;
		if (!Others)
			acct_group_died(&sched.tree, &w->group[OLD], 0);
		a32_store_release(&this->done, 1);
	}

	void meddle()
	{
		if (Others && a32_load_acquire(&this->done))
			acct_group_leave(&sched.tree, &this->w.group[OLD]);
	}
};

/* A task leaves when another has come in from elsewhere. */
struct relieved : looked_at<relieved> {
	void run()
	{
		if (a32_load_acquire(&done))
			acct_group_died(&sched.tree, &w.group[OLD], 0);
	}

	void meddle()
	{
		stays = acct_group_enter(&w.group[OLD]) == 0;
		if (stays)
			a32_store_release(&done, 1);
	}
};

/* Two that are destroyed and entered at once: one comes in, one goes away. */
struct refused : looked_at<refused> {
	void run()
	{
		if (a32_load_acquire(&done))
			acct_group_enter(&w.group[OLD]);
	}

	void meddle()
	{
		stays = acct_group_enter(&w.group[OLD]) == 0;
		if (stays)
			a32_store_release(&done, 1);
	}

	void begin()
	{
		w.stands_in(NEW);
	}
};

/* What was charged in it is all there when it is freed: by the last press of a
 * task that ends, whether its CPU or its joiner lets it go. */
template <bool Joined> struct ended : scene<ended<Joined>> {
	void run()
	{
		struct world *w = &this->w;

		w->sleep();
		w->gone = true;
		if (!Joined)
			acct_group_died(&sched.tree, &w->group[OLD], 0);
		a32_store_release(&this->done, 1);
	}

	void meddle()
	{
		if (Joined && a32_load_acquire(&this->done))
			acct_group_leave(&sched.tree, &this->w.group[OLD]);
	}
};

int main(int argc, char **argv)
{
	model_arguments(argc, argv);
	model_run<moved>("a task is moved and its group goes", 1, 50000);
	model_run<slept>("it is moved while its CPU sleeps", 1, 20000);
	model_run<left<true>>("its CPU has left it and sleeps", 2, 20000);
	model_run<left<false>>("its CPU has left it and goes on", 2, 20000);
	model_run<made<true>>("its CPU is told", 2, 20000);
	model_run<made<false>>("it leaves where it was moved", 2, 20000);
	model_run<moves>("it moves itself, others look", 2, 20000);
	model_run<undone>("it goes where it cannot stay", 2, 20000);
	model_run<reused>("the entry lives again", 2, 20000);
	model_run<charged<true>>("it moves itself and stays", 1, 20000);
	model_run<charged<false>>("it moves itself and back", 1, 20000);
	model_run<entered>("somebody comes in", 2, 20000);
	model_run<born<false>>("it leaves a child", 2, 20000);
	model_run<born<true>>("others take it from its child", 2, 20000);
	model_run<relieved>("it goes when another comes", 2, 20000);
	model_run<refused>("one comes in, one does not", 2, 20000);
	model_run<ended<false>>("it ends and goes", 1, 20000);
	model_run<ended<true>>("it ends and is joined", 1, 20000);
	return model_result();
}

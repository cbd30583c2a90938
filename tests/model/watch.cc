/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stopwatch with both readings: conc/mark.h, acct/press.[ch], acct/read.c.
 *
 * An owner presses: a task in one group, then one in another, an interval of
 * which a part is stolen, then none.  Readers look meanwhile.
 *
 *  - a live reading is, word for word, the books after one press, and what it
 *    adds is the time since that press: never a mixture of two, never a task
 *    that has just been left;
 *  - two live readings of one reader are not of a press and an older one;
 *  - the audit's residual is 0 whenever it succeeds;
 *  - settled readings only grow, word by word and in sums.
 *
 * Time is a count of looks at the clock: a stamp is never the same twice, and
 * never ordered against loads and stores but by where it is taken.  So the lag
 * of live readings, which covers how late a store may become visible, is 0 here
 * and not proved: that is a matter of real time.
 *
 *	covers: src/conc/mark.h src/acct/read.c
 *	drops: src/conc/mark.h mark_begin
 *	drops: src/conc/mark.h mark_end
 */
#include "model/below.h"

#include "acct/press.c"
#include "acct/read.c"

#define TASKS   2
#define PRESSES 6

static uint64_t now_of(const struct a64 *word)
{
	return word->value.debug_value();
}

/* Books after a press, as their owner left them. */
struct snapshot {
	struct acct_usage usage; /* nothing in flight */
	uint64_t since;          /* 0: nothing is in flight */
};

struct books_model {
	struct acct_cpu cpu;
	struct acct_task task[TASKS];
	struct acct_slot slot[3]; /* the root's and two leaves' */
	struct acct_group root;
	struct acct_cpu *cpus[1];
	struct acct_tree tree;
	/* what the checker knows */
	struct snapshot of_task[TASKS][PRESSES];
	struct snapshot of_root[PRESSES];
	int presses = 0;

	void begin()
	{
		clock_now = 100;
		for (int i = 0; i < 3; i++) {
			slot[i].parent = i ? &slot[0] : &cpu.outside;
			slot[i].depth = i ? 2 : 1;
		}
		cpu.outside.parent = nullptr;
		cpu.outside.depth = 0;
		cpu.slot = &cpu.outside;
		cpu.mode = ACCT_TASK;
		cpu.index = 0;
		memset(&cpu.steal, 0, sizeof(cpu.steal));
		memset(cpu.own_start, 0, sizeof(cpu.own_start));
		root.slot = &slot[0];
		cpus[0] = &cpu;
		tree.cpus = 1;
		tree.cpu = cpus;
		for (int t = 0; t < TASKS; t++)
			acct_task_begin(&task[t], 0, os_ticks());
		acct_cpu_begin(&cpu, nullptr);
		acct_resume(&cpu, &task[0], &slot[1]);
		note();
	}

	/* The press just made is complete. */
	void note()
	{
		for (int t = 0; t < TASKS; t++)
			note_task(&task[t], &of_task[t][presses]);
		note_root(&of_root[presses]);
		presses++;
	}

	void note_task(const struct acct_task *t, struct snapshot *ret)
	{
		uint64_t *meter = ret->usage.meter;
		uint64_t *count = ret->usage.count;

		memset(ret, 0, sizeof(*ret));
		meter[ACCT_EXEC] = now_of(&t->exec);
		meter[ACCT_WAIT] = now_of(&t->wait);
		meter[ACCT_BLOCKED] = now_of(&t->blocked);
		meter[ACCT_VOLUNTARY] = now_of(&t->voluntary);
		meter[ACCT_WAKEUPS] = now_of(&t->wakeups);
		count[ACCT_STOLEN] = now_of(&t->stolen);
		count[ACCT_INVOLUNTARY] = now_of(&t->involuntary);
		count[ACCT_MIGRATIONS] = now_of(&t->migrations);
		count[ACCT_CREATED] = 1;
		if (cpu.task.value.debug_value() == t)
			ret->since = now_of(&t->since);
	}

	void note_root(struct snapshot *ret)
	{
		const struct acct_slot *s = &slot[0];

		memset(ret, 0, sizeof(*ret));
		ret->since = now_of(&s->start[ACCT_EXEC]);
		for (int m = 0; m < ACCT_METERS; m++) {
			ret->usage.meter[m] = now_of(&s->base[m]);
			if (m != ACCT_EXEC && ret->since)
				ret->usage.meter[m] += now_of(&cpu.meter[m]) -
						       now_of(&s->start[m]);
		}
		for (int c = 0; c < ACCT_COUNTS; c++)
			ret->usage.count[c] = now_of(&s->count[c]);
	}

	/* Which press a live reading shows; not before `from`. */
	int press_of(const struct snapshot *history, const struct acct_usage *u,
		     int from)
	{
		uint64_t now = seen_by[rl::thread_index()];

		for (int p = presses - 1; p >= from; p--) {
			struct acct_usage wanted = history[p].usage;

			wanted.in_flight =
				history[p].since ? now - history[p].since : 0;
			if (!memcmp(&wanted, u, sizeof(wanted)))
				return p;
		}
		return -1;
	}
};

/* What each reader does, so that the searches stay small. */
enum look {
	LOOK_AT_FIRST = 1, /* the task that is left, once */
	LOOK_AT_TASKS = 2, /* all, twice each */
	LOOK_AT_ROOT = 4,  /* twice */
	LOOK_AUDIT = 8,
	LOOK_SETTLED = 16,
};

template <int First, int Second>
struct presses : rl::test_suite<presses<First, Second>, THREADS> {
	struct books_model books;

	void before()
	{
		books.begin();
	}

	void own()
	{
		struct acct_cpu *cpu = &books.cpu;

		acct_switch(cpu, &books.task[0], &books.task[1], &books.slot[2],
			    ACCT_LEAVE_VOLUNTARY);
		books.note();
		if (First == LOOK_AT_FIRST)
			return;
		*cpu->steal.slot = 1;
		acct_suspend(cpu, &books.task[1], ACCT_LEAVE_VOLUNTARY);
		books.note();
	}

	void live(const struct snapshot *history, const struct acct_task *task,
		  int times)
	{
		int press = 0;

		for (int i = 0; i < times; i++) {
			struct acct_usage usage;
			int error;

			memset(&usage, 0, sizeof(usage));
			error = task ? acct_live_task(&books.cpu, task, 0,
						      &usage)
				     : acct_live_group(&books.tree, &books.root,
						       0, &usage);
			MODEL_CHECK(!error);
			press = books.press_of(history, &usage, press);
			MODEL_CHECK(press >= 0);
		}
	}

	void audit()
	{
		struct acct_account account;

		MODEL_CHECK(!acct_audit_cpu(&books.cpu, &account));
		MODEL_CHECK(account.residual == 0);
	}

	static bool grows(const struct acct_usage *a,
			  const struct acct_usage *b)
	{
		for (int m = 0; m < ACCT_METERS; m++)
			if (b->meter[m] < a->meter[m])
				return false;
		for (int c = 0; c < ACCT_COUNTS; c++)
			if (b->count[c] < a->count[c])
				return false;
		return true;
	}

	void settled()
	{
		struct acct_usage usage[2];
		struct acct_account account[2];

		acct_read_task(&books.task[0], &usage[0]);
		acct_read_task(&books.task[0], &usage[1]);
		MODEL_CHECK(grows(&usage[0], &usage[1]));
		acct_read_group(&books.tree, &books.root, &usage[0]);
		acct_read_group(&books.tree, &books.root, &usage[1]);
		MODEL_CHECK(grows(&usage[0], &usage[1]));
		acct_read_cpu(&books.cpu, &account[0]);
		acct_read_cpu(&books.cpu, &account[1]);
		MODEL_CHECK(account[1].wall >= account[0].wall);
	}

	void look(int at)
	{
		if (at & LOOK_AT_FIRST)
			live(books.of_task[0], &books.task[0], 1);
		if (at & LOOK_AT_TASKS)
			for (int t = 0; t < TASKS; t++)
				live(books.of_task[t], &books.task[t], 2);
		if (at & LOOK_AT_ROOT)
			live(books.of_root, nullptr, 2);
		if (at & LOOK_AUDIT)
			audit();
		if (at & LOOK_SETTLED)
			settled();
	}

	void thread(unsigned index)
	{
		if (index == 0)
			own();
		else
			look(index == 1 ? First : Second);
	}
};

/* The mark alone, with two words of which the second follows the first. */
struct two_words : rl::test_suite<two_words, THREADS> {
	struct mark mark;
	struct a64 word[2];

	void thread(unsigned index)
	{
		uint64_t last = 0;

		for (int i = 1; !index && i <= 2; i++) {
			mark_begin(&mark);
			a64_own_set(&word[0], (uint64_t)i);
			a64_own_set(&word[1], (uint64_t)i * 10);
			mark_end(&mark);
		}
		for (unsigned i = index; i && i <= 2; i++) {
			uint64_t sequence = mark_read(&mark);
			/* what read.c's word() does */
			uint64_t a = a64_load_acquire(&word[0]);
			uint64_t b = a64_load_acquire(&word[1]);

			if (!mark_valid(&mark, sequence))
				continue;
			MODEL_CHECK(b == a * 10 && a >= last);
			MODEL_CHECK(a == sequence / 2);
			last = a;
		}
	}
};

int main(int argc, char **argv)
{
	model_arguments(argc, argv);
	model_run<two_words>("two words under a mark", 3, 100000);
	model_run<presses<LOOK_AT_FIRST, 0>>("a task is left", 2, 20000);
	model_run<presses<LOOK_AT_TASKS, 0>>("live readings of tasks", 1, 0);
	model_run<presses<LOOK_AT_TASKS, LOOK_AT_FIRST>>(
		"two who read of tasks", 0, 50000);
	model_run<presses<LOOK_AT_ROOT, 0>>("live readings of a group", 1,
					    50000);
	model_run<presses<LOOK_AUDIT, LOOK_AUDIT>>("two audits", 1, 50000);
	/* Each word may be old or new by itself: too many for all. */
	model_run<presses<LOOK_SETTLED, LOOK_AT_TASKS | LOOK_AUDIT>>(
		"settled readings beside live ones", 0, 50000);
	return model_result();
}

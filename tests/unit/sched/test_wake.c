/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a woken task goes: in order, where it may, to an idle CPU if there is
 * one, and past nobody's turn.
 */
#include "sched/sched.h"
#include "unit/sched/running.h"

enum {
	TASKS = 64
};

static struct mete_sem sem;
static int order[TASKS];
static atomic_int came;
static atomic_int waiting;

static void *wait_and_sign(void *arg)
{
	waiting++;
	CHECK_EQ(mete_sem_wait(&sem, soon()), 0);
	order[came++] = (int)(intptr_t)arg;
	return NULL;
}

static void check_order(mete_task *tasks)
{
	for (int i = 0; i < TASKS; i++)
		join(tasks[i]);
	for (int i = 0; i < TASKS; i++)
		CHECK_EQ(order[i], i);
}

static void spawn_waiters(mete_task *tasks)
{
	for (intptr_t i = 0; i < TASKS; i++) {
		tasks[i] = spawn_on(0, wait_and_sign, (void *)i);
		for (uint64_t end = soon(); waiting != i + 1;)
			CHECK_LT(now_ns(), end);
	}
	usleep(2000);
}

/* From a thread, through the wake list, one call each and all in one. */
TEST(in_order_from_a_thread)
{
	mete_task tasks[TASKS];

	for (int at_once = 0; at_once < 2; at_once++) {
		start_cpus(1);
		waiting = came = 0;
		mete_sem_init(&sem, 0);
		spawn_waiters(tasks);
		for (int i = 0; i < TASKS && !at_once; i++)
			mete_sem_post(&sem, 1);
		if (at_once)
			mete_sem_post(&sem, TASKS);
		check_order(tasks);
		stop();
	}
}

static void *post_all(void *arg)
{
	for (int i = 0; i < TASKS; i++)
		mete_sem_post(&sem, 1);
	return arg;
}

/* From a task of the same CPU, and of another. */
TEST(in_order_from_a_task)
{
	mete_task tasks[TASKS];

	for (unsigned cpu = 0; cpu < 2; cpu++) {
		start_cpus(2);
		waiting = came = 0;
		mete_sem_init(&sem, 0);
		spawn_waiters(tasks);
		join(spawn_on(cpu, post_all, NULL));
		check_order(tasks);
		stop();
	}
}

static void *wakeups_of(void *arg)
{
	for (int i = 0; i < 50; i++)
		CHECK_EQ(mete_sem_wait(arg, soon()), 0);
	return arg;
}

/* One wake-up a wait that did wait; never more. */
TEST(wakeups_are_counted)
{
	struct mete_sem own = METE_SEM_INIT(0);
	mete_group group;
	mete_task task;

	start_cpus(2);
	group = group_below(METE_ROOT, "g");
	task = spawn_in(group, wakeups_of, &own);
	for (int i = 0; i < 50; i++) {
		enum mete_task_state state = METE_TASK_READY;

		for (uint64_t end = soon(); state != METE_TASK_BLOCKED;) {
			CHECK_EQ(mete_task_state(task, &state), 0);
			CHECK_LT(now_ns(), end);
		}
		mete_sem_post(&own, 1);
		for (uint64_t end = soon(); mete_sem_value(&own);)
			CHECK_LT(now_ns(), end);
		if (i < 49)
			usleep(200);
	}
	CHECK_EQ(mete_task_wait(task, soon()), 0);
	CHECK_LE(usage_of(task).wakeups, 50);
	CHECK_GE(usage_of(task).wakeups, 40);
	CHECK_EQ(group_usage(group, 0).wakeups, usage_of(task).wakeups);
	CHECK_EQ(cpu_usage(0).wakeups + cpu_usage(1).wakeups,
		 usage_of(task).wakeups);
	join(task);
	stop();
}

static struct mete_sem each[TASKS];

static void *wait_each(void *arg)
{
	CHECK_EQ(mete_sem_wait(&each[(intptr_t)arg], soon()), 0);
	order[came++] = (int)(intptr_t)arg;
	return arg;
}

static void *post_each(void *arg)
{
	struct mete_sem *sems[TASKS];

	for (int i = 0; i < TASKS; i++)
		sems[i] = &each[i];
	CHECK_EQ(mete_sem_post_each(sems, TASKS), 0);
	return arg;
}

static void until_blocked(mete_task task)
{
	enum mete_task_state state = METE_TASK_READY;

	for (uint64_t end = soon(); state != METE_TASK_BLOCKED;) {
		CHECK_EQ(mete_task_state(task, &state), 0);
		CHECK_LT(now_ns(), end);
	}
}

/* A batch for another CPU: in order, and with few calls, whoever sends it. */
TEST(a_batch_is_sent_at_once)
{
	for (int from_task = 0; from_task < 2; from_task++) {
		mete_task tasks[TASKS];
		uint64_t before;

		start_cpus(2);
		memset(each, 0, sizeof(each));
		came = 0;
		for (intptr_t i = 0; i < TASKS; i++)
			tasks[i] = spawn_on(0, wait_each, (void *)i);
		for (int i = 0; i < TASKS; i++)
			until_blocked(tasks[i]);
		before = cpu_usage(0).notifications;
		if (from_task)
			join(spawn_on(1, post_each, NULL));
		else
			post_each(NULL);
		check_order(tasks);
		CHECK_LE(cpu_usage(0).notifications - before, TASKS / 4);
		stop();
	}
}

static atomic_int where[TASKS];

static void *tell_where(void *arg)
{
	int self = (int)(intptr_t)arg;

	mete_cpu_self();
	CHECK_EQ(mete_sem_wait(&each[self], soon()), 0);
	where[self] = mete_cpu_self();
	return arg;
}

static void *post_and_compute(void *arg)
{
	post_each(NULL);
	compute(5 * MS);
	return arg;
}

/* By `spread` a woken task does not wait behind its busy waker. */
TEST(spread_leaves_the_wakers_cpu)
{
	struct mete_options options = METE_OPTIONS_INIT;
	mete_task tasks[TASKS];
	int elsewhere = 0;

	options.cpus = 2;
	options.placement = METE_PLACE_SPREAD;
	options.flags = METE_IGNORE_ENV;
	CHECK_EQ(mete_start(&options), 0);
	memset(each, 0, sizeof(each));
	for (intptr_t i = 0; i < TASKS; i++)
		tasks[i] = spawn(tell_where, (void *)i);
	usleep(5000);
	join(spawn_on(1, post_and_compute, NULL));
	for (int i = 0; i < TASKS; i++) {
		join(tasks[i]);
		elsewhere += where[i] == 0;
	}
	CHECK_GT(elsewhere, 0);
	stop();
}

static void await_parked(unsigned cpu)
{
	uint64_t end = soon();

	while (!a32_load_acquire(&sched.cpu[cpu]->parked)) {
		CHECK_LT(now_ns(), end);
		usleep(1000);
	}
}

static void *post_few(void *arg)
{
	struct mete_sem *sems[] = {&each[0], &each[1], &each[2], &each[3]};

	CHECK_EQ(mete_sem_post_each(sems, 4), 0);
	return arg;
}

/* By `local` it does, and idle CPUs are not asked for help, but by a beat of the
 * tick that happens to fall into it. */
TEST(local_asks_no_idle_cpu)
{
	struct mete_options options = METE_OPTIONS_INIT;
	enum {
		ROUNDS = 32,
		FEW = 4
	};
	mete_task tasks[FEW];
	uint64_t asked = 0;

	if (TEST_SANITIZED)
		SKIP("many a beat falls into it");
	options.cpus = 2;
	options.placement = METE_PLACE_LOCAL;
	options.flags = METE_IGNORE_ENV;
	CHECK_EQ(mete_start(&options), 0);
	for (int round = 0; round < ROUNDS; round++) {
		memset(each, 0, sizeof(each));
		for (intptr_t i = 0; i < FEW; i++)
			tasks[i] = spawn(tell_where, (void *)i);
		await_parked(1);
		await_parked(0);
		asked -= cpu_usage(0).notifications;
		join(spawn_on(1, post_few, NULL));
		asked += cpu_usage(0).notifications;
		for (int i = 0; i < FEW; i++)
			join(tasks[i]);
	}
	NOTE("asked %d times", (int)asked);
	CHECK_LE(asked, ROUNDS / 2);
	stop();
}

static atomic_int over;
static atomic_int progress;

static void *yield_bound(void *arg)
{
	while (!over)
		mete_task_yield();
	return arg;
}

static void *yield_and_count(void *arg)
{
	while (!over) {
		progress++;
		mete_task_yield();
	}
	return arg;
}

/* Bound tasks and free ones share a CPU, whoever came first. */
TEST(bound_and_free_tasks_take_turns)
{
	for (int counted_is_bound = 0; counted_is_bound < 2;
	     counted_is_bound++) {
		mete_task others[3];
		mete_task counted;
		uint64_t end = soon();

		start_cpus(1);
		over = progress = 0;
		for (int i = 0; i < 3; i++)
			others[i] = counted_is_bound
					    ? spawn(yield_bound, NULL)
					    : spawn_on(0, yield_bound, NULL);
		counted = counted_is_bound ? spawn_on(0, yield_and_count, NULL)
					   : spawn(yield_and_count, NULL);
		while (progress < 1000)
			CHECK_LT(now_ns(), end);
		over = 1;
		for (int i = 0; i < 3; i++)
			join(others[i]);
		join(counted);
		stop();
	}
}

static int came_in[8];
static int came_count;

static void *sign(void *arg)
{
	came_in[came_count++] = (int)(intptr_t)arg;
	return NULL;
}

static void *create_mixed(void *arg)
{
	mete_task tasks[8];

	/* Bound and free ones, in no regular order. */
	for (intptr_t i = 0; i < 8; i++)
		tasks[i] = 0x4b >> i & 1 ? spawn_on(0, sign, (void *)i)
					 : spawn(sign, (void *)i);
	for (int i = 0; i < 8; i++)
		join(tasks[i]);
	return arg;
}

static void *keep_busy(void *arg)
{
	while (!over)
		compute(MS);
	return arg;
}

/* Whether bound or not, tasks run in the order in which they were queued. */
TEST(bound_and_free_tasks_keep_their_order)
{
	mete_task other;

	over = came_count = 0;
	start_cpus(2);
	/* So that nobody steals. */
	other = spawn_on(1, keep_busy, NULL);
	usleep(2000);
	join(spawn_on(0, create_mixed, NULL));
	over = 1;
	join(other);
	for (int i = 0; i < 8; i++)
		CHECK_EQ(came_in[i], i);
	stop();
}

static atomic_int ran_on[4];

static void *count_cpu(void *arg)
{
	ran_on[mete_cpu_self()]++;
	compute(MS);
	return arg;
}

/* New tasks of a foreign thread do not all go to one CPU. */
TEST(a_threads_tasks_spread)
{
	mete_task tasks[TASKS];
	int used = 0;

	start_cpus(4);
	for (int i = 0; i < TASKS; i++)
		tasks[i] = spawn(count_cpu, NULL);
	for (int i = 0; i < TASKS; i++)
		join(tasks[i]);
	for (int i = 0; i < 4; i++)
		used += ran_on[i] > 0;
	CHECK_GE(used, 2);
	stop();
}

static atomic_int released;

static void *hold_without_safe_points(void *arg)
{
	uint64_t end = soon();

	waiting = 1;
	while (!released)
		CHECK_LT(now_ns(), end);
	return arg;
}

static void *short_work(void *arg)
{
	progress++;
	return arg;
}

/* What a thread creates or wakes must not be kept by a CPU whose task never
 * comes to a safe point while another CPU has time. */
TEST(nobody_waits_behind_one_that_never_rests)
{
	mete_task holder;
	mete_task tasks[TASKS];
	uint64_t end;

	start_cpus(2);
	for (int round = 0; round < 10; round++) {
		released = waiting = progress = 0;
		holder = spawn(hold_without_safe_points, NULL);
		await(&waiting);
		for (int i = 0; i < TASKS; i++)
			tasks[i] = spawn(short_work, NULL);
		end = now_ns() + 5000 * MS * test_slow();
		while (progress < TASKS)
			if (now_ns() > end)
				FAIL("%d of %d have run", progress, TASKS);
		released = 1;
		join(holder);
		for (int i = 0; i < TASKS; i++)
			join(tasks[i]);
	}
	stop();
}

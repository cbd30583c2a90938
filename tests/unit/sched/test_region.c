/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocking regions: short ones keep their CPU, long ones lose it and are booked
 * as blocked from then on, and what is a task's is its own again afterwards.
 */
#include "sched/region.h"
#include "unit/io/descriptors.h"
#include "unit/sched/rounding.h"

static struct mete_cpu_usage all_cpus(void)
{
	struct mete_cpu_usage sum = {0};

	for (unsigned i = 0; i < mete_cpus(); i++) {
		struct mete_cpu_usage usage = cpu_usage(i);

		sum.regions += usage.regions;
		sum.takeovers += usage.takeovers;
	}
	return sum;
}

static void *block_for(void *arg)
{
	mete_task self = mete_task_self();

	CHECK_EQ(mete_blocking_begin(), 0);
	CHECK_EQ(mete_task_self().id, 0);
	usleep((useconds_t)(*(uint64_t *)arg / 1000));
	CHECK_EQ(mete_blocking_end(), 0);
	CHECK_EQ(mete_task_self().id, self.id);
	return arg;
}

/* The only CPU is another task's as soon as one sleeps in the kernel. */
TEST(a_long_region_gives_its_cpu_away)
{
	uint64_t ns = 100 * MS * test_slow();
	struct mete_usage usage;
	mete_task tasks[8];
	uint64_t begin;

	start_cpus(1);
	begin = now_ns();
	for (int i = 0; i < 8; i++)
		tasks[i] = spawn(block_for, &ns);
	for (int i = 0; i < 8; i++) {
		CHECK_EQ(mete_task_wait(tasks[i], soon()), 0);
		usage = usage_of(tasks[i]);
		CHECK_GT(usage.blocked_ns, ns / 2);
		CHECK_LT(usage.exec_ns, ns / 2);
		CHECK_EQ(usage.wakeups, 1);
		join(tasks[i]);
	}
	CHECK_LT(now_ns() - begin, 8 * ns);
	CHECK_EQ(all_cpus().regions, 8);
	CHECK_EQ(all_cpus().takeovers, 8);
	stop();
}

static void *many_short_ones(void *arg)
{
	for (int i = 0; i < 100000; i++) {
		CHECK_EQ(mete_blocking_begin(), 0);
		CHECK_EQ(mete_blocking_end(), 0);
	}
	return arg;
}

TEST(a_short_region_keeps_its_cpu)
{
	struct mete_usage usage;
	mete_task task;

	start_cpus(1);
	task = spawn(many_short_ones, NULL);
	CHECK_EQ(mete_task_wait(task, soon()), 0);
	usage = usage_of(task);
	CHECK_EQ(all_cpus().regions, 100000);
	/* But for some in which the thread was preempted. */
	CHECK_LT(all_cpus().takeovers, 2000 * test_slow());
	CHECK_EQ(usage.wakeups, all_cpus().takeovers);
	join(task);
	stop();
}

static atomic_int inside;
static atomic_int may_leave;

static void *hold_region(void *arg)
{
	CHECK_EQ(mete_blocking_begin(), 0);
	CHECK_EQ(mete_blocking_begin(), 0);
	inside++;
	while (!may_leave)
		usleep(1000);
	CHECK_EQ(mete_blocking_end(), 0);
	CHECK_EQ(mete_task_self().id, 0);
	CHECK_EQ(mete_stop(), -EPERM);
	CHECK_EQ(mete_blocking_end(), 0);
	CHECK_EQ(mete_blocking_end(), -EPERM);
	return arg;
}

static void await_takeovers(uint64_t count)
{
	for (uint64_t end = soon(); all_cpus().takeovers < count;) {
		CHECK_LT(now_ns(), end);
		usleep(1000);
	}
}

/* Group and CPUs of a task that is away are changed under it. */
TEST(it_comes_back_to_where_it_belongs)
{
	enum mete_task_state state;
	struct mete_usage usage;
	mete_group group;
	mete_task task;

	start_cpus(2);
	group = group_below(METE_ROOT, "other");
	task = spawn(hold_region, NULL);
	await_takeovers(1);
	CHECK_EQ(mete_task_state(task, &state), 0);
	CHECK_EQ(state, METE_TASK_BLOCKED);
	CHECK_EQ(mete_task_move(task, group), 0);
	CHECK_EQ(bind_to(task, 1), 0);
	may_leave = 1;
	CHECK_EQ(mete_task_wait(task, soon()), 0);
	usage = group_usage(group, METE_OWN);
	CHECK_GT(usage.exec_ns, 0);
	CHECK_EQ(usage.wakeups, 1);
	join(task);
	stop();
}

static void *own_words(void *arg)
{
	rounding_set(ROUND_UP);
	for (int i = 0; i < 20; i++) {
		CHECK_EQ(mete_blocking_begin(), 0);
		usleep(1000);
		CHECK_EQ(mete_blocking_end(), 0);
		CHECK_EQ(rounding_get(), ROUND_UP);
	}
	return arg;
}

static void *common_words(void *arg)
{
	while (!may_leave) {
		CHECK_EQ(rounding_get(), ROUND_NEAREST);
		mete_task_yield();
	}
	return arg;
}

TEST(control_words_stay_with_their_task)
{
	struct mete_task_attr attr = METE_TASK_ATTR_INIT;
	mete_task other;
	mete_task task;

	start_cpus(1);
	attr.fp_control = true;
	CHECK_EQ(mete_task_create(&task, &attr, own_words, NULL), 0);
	other = spawn(common_words, NULL);
	join(task);
	may_leave = 1;
	join(other);
	stop();
}

static void *wait_in_region(void *arg)
{
	struct mete_sem *sem = arg;

	CHECK_EQ(mete_blocking_begin(), 0);
	CHECK_EQ(mete_sem_wait(sem, soon()), 0);
	CHECK_EQ(mete_blocking_end(), 0);
	return NULL;
}

static void *post(void *arg)
{
	mete_sem_post(arg, 1);
	return NULL;
}

/* In a region one waits as a foreign thread, also for a task that stands behind
 * it in the queue. */
TEST(waits_within_a_region)
{
	static struct mete_sem sem;
	mete_task waiter, poster;

	start_cpus(1);
	for (int i = 0; i < 50; i++) {
		waiter = spawn(wait_in_region, &sem);
		poster = spawn(post, &sem);
		join(waiter);
		join(poster);
	}
	stop();
}

static void *end_in_region(void *arg)
{
	mete_blocking_begin();
	return arg;
}

static void end_badly(void *arg)
{
	(void)arg;
	start_cpus(1);
	join(spawn(end_in_region, NULL));
}

TEST(to_end_in_a_region_is_a_fault)
{
	struct test_outcome outcome;

	test_in_child(end_badly, NULL, &outcome);
	CHECK(WIFSIGNALED(outcome.status));
	CHECK_HAS(outcome.output, "sched/switch.c");
}

static void *overflow(void *arg)
{
	/* The page below the stack. */
	volatile char *page = (char *)sched_current()->stack.base - 64;

	mete_blocking_begin();
	usleep(50000);
	*page = 1;
	return arg;
}

static void overflow_in_region(void *arg)
{
	struct mete_options options = METE_OPTIONS_INIT;
	struct mete_task_attr attr = METE_TASK_ATTR_INIT;
	mete_task task;

	(void)arg;
	options.cpus = 1;
	options.flags = METE_IGNORE_ENV | METE_REPORT_OVERFLOW;
	CHECK_EQ(mete_start(&options), 0);
	attr.name = "deep";
	CHECK_EQ(mete_task_create(&task, &attr, overflow, NULL), 0);
	join(task);
}

TEST(an_overflow_in_a_region_names_the_task)
{
	struct test_outcome outcome;

	if (TEST_ASAN || TEST_TSAN)
		SKIP("the sanitizer has the handlers");
	test_in_child(overflow_in_region, NULL, &outcome);
	CHECK_HAS(outcome.output, "\"deep\": its stack");
}

/* A task that is away for long costs nothing. */
TEST(one_that_is_away_wakes_nobody)
{
	struct mete_cpu_usage before, after;
	mete_task task;
	uint64_t cpu_ns;

	start_cpus(1);
	task = spawn(hold_region, NULL);
	await_takeovers(1);
	usleep(100000);
	before = cpu_usage(0);
	cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	usleep(300000);
	after = cpu_usage(0);
	cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_ns;
	CHECK_LE(after.parks, before.parks + 1);
	/* Its own looks. */
	CHECK_LT(cpu_ns, 60 * MS);
	may_leave = 1;
	join(task);
	stop();
}

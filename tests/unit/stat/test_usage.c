/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Usage of tasks, groups and CPUs: laws, both kinds of reading, every error.
 */
#include "unit/sched/running.h"

static atomic_int going, over;

static void *nothing(void *arg)
{
	return arg;
}

static void *compute_until_over(void *arg)
{
	going = 1;
	while (!over)
		;
	return arg;
}

static void *compute_and_pass(void *arg)
{
	going = 1;
	while (!over)
		mete_checkpoint();
	return arg;
}

static void *phases(void *arg)
{
	compute(5 * MS);
	mete_task_sleep(20 * MS);
	compute(5 * MS);
	return arg;
}

static void check_laws(const struct mete_usage *u)
{
	CHECK_EQ(u->held_ns, u->exec_ns + u->stolen_ns);
}

TEST(a_tasks_time_is_divided)
{
	struct mete_usage usage;
	mete_task task;
	uint64_t begin, span;

	start_cpus(1);
	begin = now_ns();
	task = spawn(phases, NULL);
	CHECK_EQ(mete_task_wait(task, soon()), 0);
	span = now_ns() - begin;
	usage = usage_of(task);
	check_laws(&usage);
	CHECK_GE(usage.held_ns, 10 * MS);
	/* It may be robbed between its deadline and its sleep. */
	CHECK_GE(usage.blocked_ns + usage.stolen_ns, 19 * MS);
	CHECK_LE(usage.held_ns + usage.blocked_ns + usage.wait_ns, span);
	CHECK_EQ(usage.wakeups, 1);
	CHECK_EQ(usage.voluntary, 2);
	CHECK_EQ(usage.involuntary, 0);
	CHECK_EQ(usage.migrations, 0);
	/* All of it is the group's. */
	CHECK_EQ(group_usage(METE_ROOT, 0).held_ns, usage.held_ns);
	CHECK_EQ(group_usage(METE_ROOT, 0).blocked_ns, usage.blocked_ns);
	CHECK_EQ(group_usage(METE_ROOT, 0).wait_ns, usage.wait_ns);
	join(task);
	stop();
}

static mete_task second;

static void *spawn_and_compute(void *arg)
{
	second = spawn(nothing, NULL);
	compute(5 * MS);
	return arg;
}

TEST(who_waits_for_a_cpu_waits)
{
	struct mete_usage usage;

	start_cpus(1);
	join(spawn(spawn_and_compute, NULL));
	CHECK_EQ(mete_task_wait(second, soon()), 0);
	usage = usage_of(second);
	CHECK_GE(usage.wait_ns, 5 * MS);
	join(second);
	stop();
}

/* Live figures run on while a task does; they and settled ones never go
 * back. */
TEST(live_readings_run_on)
{
	uint64_t last_task = 0, last_group = 0, last_cpu = 0;
	struct mete_usage usage;
	struct mete_cpu_usage cpu;
	mete_group group;
	mete_task task;
	uint64_t begin;
	int again = 0;

	start_cpus(1);
	group = group_below(METE_ROOT, "g");
	task = spawn_in(group, compute_until_over, NULL);
	await(&going);
	begin = now_ns();
	while (now_ns() - begin < 60 * MS) {
		int error =
			mete_task_usage(task, METE_LIVE, &usage, sizeof(usage));

		again += error == -EAGAIN;
		CHECK(!error || error == -EAGAIN);
		if (!error) {
			CHECK_GE(usage.held_ns, last_task);
			CHECK_LE(usage.exec_ns + usage.stolen_ns,
				 usage.held_ns);
			last_task = usage.held_ns;
		}
		if (!mete_group_usage(METE_ROOT, METE_LIVE, &usage,
				      sizeof(usage))) {
			CHECK_GE(usage.held_ns, last_group);
			last_group = usage.held_ns;
		}
		if (!mete_cpu_usage(0, METE_LIVE, &cpu, sizeof(cpu))) {
			CHECK_GE(cpu.held_ns, last_cpu);
			last_cpu = cpu.held_ns;
		}
	}
	/* One more, which lags by some us at most. */
	begin = now_ns() - begin - 10 * US;
	CHECK_EQ(mete_task_usage(task, METE_LIVE, &usage, sizeof(usage)), 0);
	CHECK_GE(usage.held_ns, begin);
	CHECK_EQ(mete_group_usage(group, METE_LIVE, &usage, sizeof(usage)), 0);
	CHECK_GE(usage.held_ns, begin);
	CHECK_EQ(mete_cpu_usage(0, METE_LIVE, &cpu, sizeof(cpu)), 0);
	CHECK_GE(cpu.held_ns, begin);
	CHECK_EQ(again, 0);
	/* It has not pressed since it began. */
	CHECK_EQ(usage_of(task).held_ns, 0);
	over = 1;
	CHECK_EQ(mete_task_wait(task, soon()), 0);
	/* A live reading of what does not run is the settled one. */
	CHECK_EQ(mete_task_usage(task, METE_LIVE, &usage, sizeof(usage)), 0);
	check_laws(&usage);
	CHECK_EQ(usage.held_ns, usage_of(task).held_ns);
	CHECK_GE(usage.held_ns, last_task);
	join(task);
	stop();
}

TEST(no_figure_goes_back)
{
	struct mete_cpu_usage last_cpu = {0};
	struct mete_usage last = {0};
	mete_task tasks[3];
	uint64_t end;

	start_cpus(1);
	for (int i = 0; i < 3; i++)
		tasks[i] = spawn(i ? phases : compute_and_pass, NULL);
	end = now_ns() + 50 * MS;
	while (now_ns() < end) {
		struct mete_cpu_usage c = cpu_usage(0);
		struct mete_usage u = group_usage(METE_ROOT, 0);

		CHECK_GE(c.wall_ns, last_cpu.wall_ns);
		CHECK_GE(c.held_ns, last_cpu.held_ns);
		CHECK_GE(c.exec_ns, last_cpu.exec_ns);
		CHECK_GE(c.stolen_ns, last_cpu.stolen_ns);
		CHECK_GE(c.scheduler_ns, last_cpu.scheduler_ns);
		CHECK_GE(c.polling_ns, last_cpu.polling_ns);
		CHECK_GE(c.parked_ns, last_cpu.parked_ns);
		CHECK_EQ(c.held_ns + c.scheduler_ns + c.polling_ns +
				 c.parked_ns,
			 c.wall_ns);
		CHECK_EQ(c.exec_ns + c.stolen_ns, c.held_ns);
		CHECK_GE(u.exec_ns, last.exec_ns);
		CHECK_GE(u.stolen_ns, last.stolen_ns);
		CHECK_GE(u.wait_ns, last.wait_ns);
		CHECK_GE(u.blocked_ns, last.blocked_ns);
		check_laws(&u);
		last_cpu = c;
		last = u;
	}
	over = 1;
	for (int i = 0; i < 3; i++)
		join(tasks[i]);
	stop();
}

TEST(states)
{
	enum mete_task_state state;
	mete_task running, ready;

	start_cpus(1);
	running = spawn(compute_until_over, NULL);
	await(&going);
	ready = spawn(nothing, NULL);
	CHECK_EQ(mete_task_state(running, &state), 0);
	CHECK_EQ(state, METE_TASK_RUNNING);
	CHECK_EQ(mete_task_state(ready, &state), 0);
	CHECK_EQ(state, METE_TASK_READY);
	over = 1;
	CHECK_EQ(mete_task_wait(ready, soon()), 0);
	CHECK_EQ(mete_task_state(ready, &state), 0);
	CHECK_EQ(state, METE_TASK_DEAD);
	join(ready);
	state = METE_TASK_BLOCKED;
	CHECK_EQ(mete_task_state(ready, &state), -ESRCH);
	CHECK_EQ(state, METE_TASK_BLOCKED);
	join(running);
	stop();
	CHECK_EQ(mete_task_state(running, &state), -ESRCH);
}

TEST(errors)
{
	struct mete_usage usage = {.held_ns = 77};
	struct mete_cpu_usage cpu = {.wall_ns = 77};
	mete_group group;
	mete_task task;
	size_t size = sizeof(usage);

	CHECK_EQ(mete_task_usage((mete_task){1}, 0, &usage, size), -ENOSYS);
	CHECK_EQ(mete_group_usage(METE_ROOT, 0, &usage, size), -ENOSYS);
	CHECK_EQ(mete_cpu_usage(0, 0, &cpu, sizeof(cpu)), -ENOSYS);
	start_cpus(2);
	group = group_below(METE_ROOT, "g");
	task = spawn_in(group, nothing, NULL);
	CHECK_EQ(mete_task_wait(task, soon()), 0);
	CHECK_EQ(mete_task_usage(task, 4, &usage, size), -EINVAL);
	CHECK_EQ(mete_task_usage(task, METE_OWN, &usage, size), -EINVAL);
	CHECK_EQ(mete_task_usage(task, 0, &usage, 0), -EINVAL);
	CHECK_EQ(mete_group_usage(group, 4, &usage, size), -EINVAL);
	CHECK_EQ(mete_group_usage(group, METE_OWN | METE_LIVE, &usage, size),
		 -EINVAL);
	CHECK_EQ(mete_group_usage(group, 0, &usage, 0), -EINVAL);
	CHECK_EQ(mete_cpu_usage(2, 0, &cpu, sizeof(cpu)), -EINVAL);
	CHECK_EQ(mete_cpu_usage(0, METE_OWN, &cpu, sizeof(cpu)), -EINVAL);
	CHECK_EQ(mete_cpu_usage(0, 0, &cpu, 0), -EINVAL);
	CHECK_EQ(mete_task_usage((mete_task){0}, 0, &usage, size), -ESRCH);
	CHECK_EQ(mete_group_usage((mete_group){0}, 0, &usage, size), -ESRCH);
	join(task);
	CHECK_EQ(mete_task_usage(task, 0, &usage, size), -ESRCH);
	CHECK_EQ(mete_task_usage(task, METE_LIVE, &usage, size), -ESRCH);
	CHECK_EQ(mete_group_destroy(group), 0);
	CHECK_EQ(mete_group_usage(group, 0, &usage, size), -ESRCH);
	CHECK_EQ(usage.held_ns, 77);
	CHECK_EQ(cpu.wall_ns, 77);
	/* An older caller's shorter structure is not written past. */
	CHECK_EQ(mete_group_usage(METE_ROOT, 0, &usage, sizeof(uint64_t)), 0);
	usage.exec_ns = 99;
	CHECK_EQ(mete_group_usage(METE_ROOT, 0, &usage, sizeof(uint64_t)), 0);
	CHECK_EQ(usage.exec_ns, 99);
	CHECK_NE(usage.held_ns, 77);
	stop();
}

TEST(each_mode_tells_what_it_keeps)
{
	struct mete_usage usage;
	struct mete_cpu_usage cpu;
	mete_task task;

	start_with(1, METE_BOOKS_GROUP);
	task = spawn(phases, NULL);
	CHECK_EQ(mete_task_wait(task, soon()), 0);
	CHECK_EQ(mete_task_usage(task, 0, &usage, sizeof(usage)), -ENOTSUP);
	CHECK_EQ(mete_group_usage(METE_ROOT, 0, &usage, sizeof(usage)), 0);
	CHECK_GE(usage.held_ns, 10 * MS);
	CHECK_EQ(usage.wait_ns, METE_UNKNOWN);
	CHECK_EQ(usage.blocked_ns, METE_UNKNOWN);
	CHECK_EQ(usage.wakeups, 1);
	CHECK_EQ(usage.voluntary, 2);
	CHECK_EQ(usage.tasks, 1);
	CHECK_EQ(mete_cpu_usage(0, 0, &cpu, sizeof(cpu)), 0);
	CHECK_EQ(cpu.held_ns, usage.held_ns);
	join(task);
	stop();
	start_with(1, METE_BOOKS_OFF);
	task = spawn(phases, NULL);
	CHECK_EQ(mete_task_wait(task, soon()), 0);
	CHECK_EQ(mete_task_usage(task, 0, &usage, sizeof(usage)), -ENOTSUP);
	CHECK_EQ(mete_group_usage(METE_ROOT, 0, &usage, sizeof(usage)),
		 -ENOTSUP);
	CHECK_EQ(mete_cpu_usage(0, 0, &cpu, sizeof(cpu)), -ENOTSUP);
	join(task);
	stop();
}

static mete_task watched;
static mete_group watched_group;
static atomic_int handled;
static atomic_int handler_errors;

static void read_in_handler(int number)
{
	struct mete_usage usage;
	struct mete_cpu_usage cpu;
	enum mete_task_state state;
	char name[METE_NAME_MAX + 1];

	(void)number;
	handler_errors +=
		mete_task_usage(watched, 0, &usage, sizeof(usage)) != 0;
	handler_errors +=
		mete_group_usage(watched_group, 0, &usage, sizeof(usage)) != 0;
	handler_errors += mete_group_usage(watched_group, METE_OWN, &usage,
					   sizeof(usage)) != 0;
	handler_errors += mete_cpu_usage(0, 0, &cpu, sizeof(cpu)) != 0;
	handler_errors += mete_task_state(watched, &state) != 0;
	handler_errors += mete_task_name(watched, name, sizeof(name)) != 0;
	handled++;
}

static void *switch_until_over(void *arg)
{
	while (!over) {
		mete_task_yield();
		mete_task_sleep(20 * US);
	}
	return arg;
}

/* Settled readings from a signal handler, wherever it strikes a carrier. */
TEST(a_handler_reads)
{
	struct sigaction action = {.sa_handler = read_in_handler};
	mete_task tasks[3];

	sigemptyset(&action.sa_mask);
	action.sa_flags = SA_RESTART;
	CHECK_EQ(sigaction(SIGUSR1, &action, NULL), 0);
	start_cpus(1);
	watched_group = group_below(METE_ROOT, "g");
	for (int i = 0; i < 3; i++)
		tasks[i] = spawn_in(watched_group, switch_until_over, NULL);
	watched = tasks[0];
	for (uint64_t i = test_rounds(3000); i; i--) {
		kill(getpid(), SIGUSR1);
		usleep(20);
	}
	over = 1;
	for (int i = 0; i < 3; i++)
		join(tasks[i]);
	CHECK_GE(handled, 10);
	CHECK_EQ(handler_errors, 0);
	stop();
}

static void *yield_until_over(void *arg)
{
	going = 1;
	while (!over)
		mete_task_yield();
	return arg;
}

/* A group that a CPU never leaves is at most 1 ms behind its tasks. */
TEST(a_busy_group_is_fresh)
{
	mete_group group;
	mete_task tasks[2];
	uint64_t end;

	start_cpus(1);
	group = group_below(METE_ROOT, "busy");
	for (int i = 0; i < 2; i++)
		tasks[i] = spawn_in(group, yield_until_over, NULL);
	await(&going);
	for (end = now_ns() + 30 * MS; now_ns() < end;) {
		uint64_t sum =
			usage_of(tasks[0]).held_ns + usage_of(tasks[1]).held_ns;

		/* In mid-press a task may be ahead; the press ends. */
		for (uint64_t late = soon();
		     group_usage(group, 0).held_ns + 1001000 < sum;)
			CHECK_LT(now_ns(), late);
	}
	over = 1;
	for (int i = 0; i < 2; i++)
		join(tasks[i]);
	stop();
}

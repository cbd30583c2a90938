/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The audit: it closes at every moment and in every mode, agrees with the
 * kernel, and conversion of parts loses nothing.
 */
#include <pthread.h>

#include "stat/stat.h"
#include "unit/sched/running.h"

static atomic_int over;

static struct mete_ledger audit(void)
{
	struct mete_ledger ledger;
	uint64_t end = soon();
	int error;

	while ((error = mete_ledger(&ledger, sizeof(ledger))) == -EAGAIN)
		CHECK_LT(now_ns(), end);
	CHECK_EQ(error, 0);
	CHECK_EQ(ledger.residual_ticks, 0);
	CHECK_EQ(ledger.residual_ns, 0);
	return ledger;
}

static void check_closed(const struct mete_ledger *l)
{
	CHECK_EQ(l->exec_ns + l->stolen_ns + l->in_flight_ns, l->held_ns);
	CHECK_EQ(l->held_ns + l->scheduler_ns + l->polling_ns + l->parked_ns,
		 l->wall_ns);
}

static void *switch_and_sleep(void *arg)
{
	while (!over) {
		mete_task_yield();
		mete_task_sleep(30 * US);
		compute(10 * US);
		mete_checkpoint();
	}
	return arg;
}

TEST(it_closes_while_everything_runs)
{
	uint64_t rounds = test_rounds(5000);
	mete_task tasks[6];
	uint64_t wall = 0;

	start_cpus(2);
	for (int i = 0; i < 6; i++)
		tasks[i] = spawn(switch_and_sleep, NULL);
	for (uint64_t i = 0; i < rounds; i++) {
		struct mete_ledger l = audit();

		check_closed(&l);
		CHECK_GE(l.wall_ns, wall);
		wall = l.wall_ns;
		CHECK_EQ(l.cpus, 2);
	}
	over = 1;
	for (int i = 0; i < 6; i++)
		join(tasks[i]);
	CHECK_EQ(audit().groups_residual_ticks, 0);
	stop();
}

static void *work(void *arg)
{
	compute(150 * MS);
	return arg;
}

/* Wall time is what a watch beside it says; CPU time is the kernel's. */
TEST(it_agrees_with_the_clocks)
{
	struct mete_ledger before, after;
	mete_task tasks[2];
	uint64_t begin, span;
	int64_t ours, kernel;

	start_cpus(2);
	begin = now_ns();
	before = audit();
	for (int i = 0; i < 2; i++)
		tasks[i] = spawn(work, NULL);
	for (int i = 0; i < 2; i++)
		join(tasks[i]);
	after = audit();
	span = now_ns() - begin;
	check_closed(&after);
	CHECK_LE(after.wall_ns - before.wall_ns, 2 * span + 2 * MS);
	CHECK_GE(after.wall_ns - before.wall_ns, 2 * 150 * MS);
	ours = (int64_t)(after.exec_ns + after.scheduler_ns + after.polling_ns);
	kernel = (int64_t)after.kernel_cpu_ns;
	NOTE("ours %.3f kernel %.3f drift %.3f ms, clock %+.2f ppm",
	     (double)ours / MS, (double)kernel / MS,
	     (double)after.drift_ns / MS, after.clock_error_ppm);
	CHECK_EQ(after.drift_ns, kernel - ours);
	CHECK_LT(after.drift_ns, 15 * (int64_t)MS);
	CHECK_GT(after.drift_ns, -15 * (int64_t)MS);
	CHECK(after.clock_error_ppm < 200 && after.clock_error_ppm > -200);
	CHECK_GT(after.ticks_per_second, 1000000);
	stop();
}

TEST(parts_add_up_to_the_whole)
{
	struct stat_prefix prefix = {0};
	uint64_t state = test_seed();
	uint64_t ticks = 0, ns = 0;

	start_cpus(1);
	for (int i = 0; i < 10000; i++) {
		uint64_t part = test_random(&state) % 100000;

		ticks += part;
		ns += stat_part(&prefix, part);
		CHECK_EQ(ns, os_ticks_to_ns(&sched.base, ticks));
	}
	CHECK_EQ(stat_part(&prefix, 0), 0);
	stop();
}

TEST(errors_and_modes)
{
	struct mete_ledger ledger = {.cpus = 77};

	CHECK_EQ(mete_ledger(&ledger, sizeof(ledger)), -ENOSYS);
	start_with(1, METE_BOOKS_OFF);
	CHECK_EQ(mete_ledger(&ledger, sizeof(ledger)), -ENOTSUP);
	stop();
	start_with(2, METE_BOOKS_GROUP);
	CHECK_EQ(mete_ledger(&ledger, 0), -EINVAL);
	CHECK_EQ(ledger.cpus, 77);
	/* An older caller's structure ends before the rest. */
	ledger.wall_ns = 55;
	CHECK_EQ(mete_ledger(&ledger, offsetof(struct mete_ledger, wall_ns)),
		 0);
	CHECK_EQ(ledger.cpus, 2);
	CHECK_EQ(ledger.wall_ns, 55);
	join(spawn(work, NULL));
	ledger = audit();
	check_closed(&ledger);
	CHECK_GE(ledger.held_ns, 150 * MS);
	CHECK_EQ(ledger.groups_residual_ticks, 0);
	stop();
	CHECK_EQ(mete_ledger(&ledger, sizeof(ledger)), -ENOSYS);
}

/* A CPU's watch shows more, or less, than has passed. */
TEST(what_is_missing_or_too_much_is_told)
{
	struct acct_watch *parked;
	struct mete_ledger ledger;
	struct mete_cpu_usage row;

	start_cpus(1);
	usleep(20000);
	audit();
	/* While it sleeps, nobody else writes there. */
	parked = &sched.cpu[0]->books.watch[ACCT_PARKED];
	a64_own_add(&parked->base, (uint64_t)-100000);
	CHECK_EQ(mete_ledger(&ledger, sizeof(ledger)), 0);
	CHECK_EQ(ledger.residual_ticks, 100000);
	CHECK_EQ(ledger.residual_ns, os_ticks_to_ns(&sched.base, 100000));
	CHECK_EQ(stat_audit(&row, &ledger), 0);
	CHECK_LT(row.held_ns + row.scheduler_ns + row.polling_ns +
			 row.parked_ns,
		 row.wall_ns);
	a64_own_add(&parked->base, 100000 + 77777);
	CHECK_EQ(mete_ledger(&ledger, sizeof(ledger)), 0);
	CHECK_EQ(ledger.residual_ticks, -77777);
	CHECK_EQ(ledger.residual_ns,
		 -(int64_t)os_ticks_to_ns(&sched.base, 77777));
	a64_own_add(&parked->base, (uint64_t)-77777);
	audit();
	stop();
}

/* A carrier that stands still in the middle of a press is waited for, but not
 * for ever. */
TEST(books_that_are_being_written)
{
	struct mete_ledger ledger = {.cpus = 77};
	uint64_t begin;

	start_cpus(1);
	usleep(20000);
	mark_begin(&sched.cpu[0]->books.mark);
	begin = now_ns();
	CHECK_EQ(mete_ledger(&ledger, sizeof(ledger)), -EAGAIN);
	CHECK_GE(now_ns() - begin, 100 * MS);
	CHECK_EQ(ledger.cpus, 77);
	mark_end(&sched.cpu[0]->books.mark);
	audit();
	stop();
}

static atomic_bool hold_up;
static atomic_bool held_up;

static void stand_still(int number)
{
	(void)number;
	held_up = true;
	while (hold_up)
		;
	held_up = false;
}

static atomic_int ends;

static void *say_end(void *arg)
{
	ends++;
	return arg;
}

/* One that is held up while it polls, or between tasks, holds up nobody. */
TEST(a_carrier_that_stands_still)
{
	struct sigaction action = {.sa_handler = stand_still};
	uint64_t took = 0;

	if (TEST_TSAN)
		SKIP("the sanitizer keeps a signal until another has ended");
	/* One of the few that carriers let through. */
	CHECK_EQ(sigaction(SIGILL, &action, NULL), 0);
	start_cpus(1);
	/* Until it was struck awake: then the audit took its time. */
	for (int i = 0; i < 1000 && took < 15 * MS; i++) {
		mete_task task = spawn(say_end, NULL);
		uint64_t begin;

		while (ends <= i)
			;
		hold_up = true;
		CHECK_EQ(pthread_kill(cpu_carrier(sched.cpu[0])->thread.handle,
				      SIGILL),
			 0);
		while (!held_up)
			;
		begin = now_ns();
		audit();
		took = now_ns() - begin;
		hold_up = false;
		while (held_up)
			;
		join(task);
	}
	NOTE("%.3f ms", (double)took / MS);
	stop();
}

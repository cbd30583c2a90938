/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Start, stop, main, and the calls that tell of them.
 */
#include <pthread.h>

#include <mete/version.h>

#include "os/inject.h"
#include "sched/sched.h"
#include "unit/sched/running.h"

static void *stop_from_task(void *arg)
{
	struct mete_options options = METE_OPTIONS_INIT;

	CHECK_EQ(mete_stop(), -EPERM);
	CHECK_EQ(mete_start(NULL), -EALREADY);
	CHECK_EQ(mete_start(&options), -EALREADY);
	CHECK_EQ(mete_cpus(), 2);
	CHECK_GE(mete_cpu_self(), 0);
	CHECK_LT(mete_cpu_self(), 2);
	return arg;
}

TEST(one_at_a_time)
{
	struct mete_options options = METE_OPTIONS_INIT;

	CHECK_EQ(mete_stop(), -ENOSYS);
	CHECK_EQ(mete_cpus(), 0);
	CHECK_EQ(mete_cpu_self(), -EPERM);
	start_cpus(2);
	CHECK_EQ(mete_start(NULL), -EALREADY);
	/* Said before the options are looked at. */
	options.cpus = 5000;
	CHECK_EQ(mete_start(&options), -EALREADY);
	CHECK_EQ(mete_cpus(), 2);
	CHECK_EQ(mete_cpu_self(), -EPERM);
	join(spawn(stop_from_task, NULL));
	stop();
	CHECK_EQ(mete_stop(), -ENOSYS);
	CHECK_EQ(mete_cpus(), 0);
}

static atomic_int started;

static void *try_to_start(void *arg)
{
	struct mete_options options = METE_OPTIONS_INIT;
	int error;

	options.cpus = 1;
	options.flags = METE_IGNORE_ENV;
	error = mete_start(&options);
	CHECK(!error || error == -EALREADY);
	started += !error;
	return arg;
}

TEST(of_many_threads_one_starts_it)
{
	pthread_t threads[8];

	for (int round = 0; round < 5; round++) {
		started = 0;
		for (int i = 0; i < 8; i++)
			CHECK_EQ(pthread_create(&threads[i], NULL, try_to_start,
						NULL),
				 0);
		for (int i = 0; i < 8; i++)
			pthread_join(threads[i], NULL);
		CHECK_EQ(started, 1);
		stop();
	}
}

TEST(options_in_force)
{
	struct mete_options options = METE_OPTIONS_INIT;
	struct mete_options got = {.cpus = 77};

	CHECK_EQ(mete_options_get(&got, sizeof(got)), -ENOSYS);
	CHECK_EQ(got.cpus, 77);
	options.cpus = 2;
	options.stack_bytes = 5000;
	options.flags = METE_IGNORE_ENV | METE_NO_BIND;
	CHECK_EQ(mete_start(&options), 0);
	CHECK_EQ(mete_options_get(&got, 3), -EINVAL);
	CHECK_EQ(mete_options_get(&got, 0), -EINVAL);
	CHECK_EQ(got.cpus, 77);
	CHECK_EQ(mete_options_get(&got, sizeof(got)), 0);
	CHECK_EQ(got.cpus, 2);
	CHECK_EQ(got.stack_bytes, 8192);
	CHECK_EQ(got.slice_ns, 3000000);
	CHECK_EQ(got.flags, METE_IGNORE_ENV | METE_NO_BIND);
	got.cpus = 77;
	CHECK_EQ(mete_options_get(&got, sizeof(got.size)), 0);
	CHECK_EQ(got.cpus, 77);
	stop();
	CHECK_EQ(mete_options_get(&got, sizeof(got)), -ENOSYS);
}

static atomic_int ran;

static void *late(void *arg)
{
	mete_task_sleep(20 * MS);
	ran++;
	return arg;
}

static int program(void *arg)
{
	struct mete_task_attr attr = METE_TASK_ATTR_INIT;
	char name[METE_NAME_MAX + 1];

	CHECK_EQ(mete_task_name(mete_task_self(), name, sizeof(name)), 0);
	CHECK_STR(name, "main");
	attr.detached = true;
	CHECK_EQ(mete_task_create(NULL, &attr, late, NULL), 0);
	return *(int *)arg;
}

TEST(main_runs_stops_and_tells)
{
	struct mete_options options = METE_OPTIONS_INIT;
	int status = 99, wanted = 42;

	options.cpus = 2;
	options.flags = METE_IGNORE_ENV;
	CHECK_EQ(mete_main(&options, program, &wanted, &status), 0);
	CHECK_EQ(status, 42);
	CHECK_EQ(ran, 1);
	CHECK_EQ(mete_cpus(), 0);
	CHECK_EQ(mete_main(&options, program, &wanted, NULL), 0);
	status = 99;
	CHECK_EQ(mete_main(&options, NULL, NULL, &status), -EINVAL);
	options.cpus = 5000;
	CHECK_EQ(mete_main(&options, program, &wanted, &status), -EINVAL);
	start_cpus(1);
	CHECK_EQ(mete_main(NULL, program, &wanted, &status), -EALREADY);
	CHECK_EQ(mete_cpus(), 1);
	stop();
	CHECK_EQ(status, 99);
}

static void *nothing(void *arg)
{
	return arg;
}

/* The ledger closes at the end, though a competitor holds the CPUs. */
TEST(stop_closes_the_ledger_under_load)
{
	pid_t competitors[3];

	for (int i = 0; i < 3; i++)
		competitors[i] = compete();
	for (uint64_t i = test_rounds(20); i; i--) {
		start_cpus(3);
		for (int t = 0; t < 10; t++)
			join(spawn(nothing, NULL));
		stop();
	}
	for (int i = 0; i < 3; i++)
		end_competitor(competitors[i]);
}

TEST(versions)
{
	CHECK_STR(mete_version(), METE_VERSION_STRING);
}

/* What the accounts hold beside the wall time, or the groups beside the CPUs, is
 * told at the latest then. */
TEST(stop_tells_of_books_that_do_not_close)
{
	struct acct_slot *root;

	start_cpus(1);
	/* While it sleeps, nobody else writes there. */
	usleep(20000);
	a64_own_add(&sched.cpu[0]->books.watch[ACCT_POLLING].base, 1);
	CHECK_EQ(mete_stop(), -EUCLEAN);
	start_cpus(1);
	usleep(20000);
	root = &sched.tree.root->slot[0];
	a64_own_add(&root->count[ACCT_STOLEN], 1);
	CHECK_EQ(mete_stop(), -EUCLEAN);
	CHECK_EQ(mete_cpus(), 0);
	start_cpus(1);
	stop();
}

TEST(stop_tells_of_books_that_cannot_be_read)
{
	start_cpus(1);
	usleep(20000);
	/* For good in the middle of a press. */
	mark_begin(&sched.cpu[0]->books.mark);
	CHECK_EQ(mete_stop(), -EUCLEAN);
	CHECK_EQ(mete_cpus(), 0);
}

#ifdef METE_FAULTS
TEST(main_tells_what_was_refused)
{
	struct mete_options options = METE_OPTIONS_INIT;
	int status = 99, wanted = 42;

	options.cpus = 1;
	options.flags = METE_IGNORE_ENV;
	for (uint64_t k = 1;; k++) {
		int before = ran;
		int error;

		os_fault_arm(OS_CALL_MAP, k, false);
		error = mete_main(&options, program, &wanted, &status);
		CHECK_EQ(mete_cpus(), 0);
		if (os_fault_count(OS_CALL_MAP) < k) {
			CHECK_EQ(error, 0);
			CHECK_EQ(status, 42);
			CHECK_GT(k, 1);
			break;
		}
		if (!error) { /* in `program`, which makes do without */
			status = 99;
			continue;
		}
		CHECK(error == -ENOMEM || error == -EAGAIN);
		CHECK_EQ(status, 99);
		CHECK_EQ(ran, before);
	}
}
#endif

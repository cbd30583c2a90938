/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Owners that are stopped in the act: a live reading in a handler that has
 * interrupted its own carrier, in mid-press too, gives a value or -EAGAIN and
 * returns; a process that was stopped as a whole goes on with books that close.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "conc/atomic.h"
#include "law/life.h"

static struct a32 over;

static void *press_on(void *arg)
{
	while (!a32_load_acquire(&over))
		mete_task_yield();
	return arg;
}

static struct a64 reader_task;
static struct a32 values;
static struct a32 refusals;
static struct a32 rounds;

static void read_live(int number)
{
	mete_task task = {a64_load_acquire(&reader_task)};
	struct mete_cpu_usage cpu;
	struct mete_usage usage;
	int errors[3];

	(void)number;
	errors[0] = mete_task_usage(task, METE_LIVE, &usage, sizeof(usage));
	errors[1] =
		mete_group_usage(METE_ROOT, METE_LIVE, &usage, sizeof(usage));
	errors[2] = mete_cpu_usage(0, METE_LIVE, &cpu, sizeof(cpu));
	for (int i = 0; i < 3; i++) {
		CHECK(!errors[i] || errors[i] == -EAGAIN);
		a32_add_relaxed(errors[i] ? &refusals : &values, 1);
	}
	a32_add_acq_rel(&rounds, 1);
}

TEST(a_handler_on_its_own_carrier_does_not_hang)
{
	struct sigaction action = {.sa_handler = read_live,
				   .sa_flags = SA_RESTART};
	struct life life[2] = {{.task = {0}}, {.task = {0}}};
	uint64_t end = os_monotonic_ns() + 500 * MS;
	uint32_t sent = 0;
	sigset_t signals;

	start(1, METE_BOOKS_TASK);
	sigaction(SIGUSR1, &action, NULL);
	/* They do nothing but press. */
	for (int i = 0; i < 2; i++)
		begin_life(&life[i], METE_ROOT, press_on);
	a64_store_release(&reader_task, life[0].task.id);
	/* Only the carrier is left to take it. */
	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	while (os_monotonic_ns() < end) {
		kill(getpid(), SIGUSR1);
		sent++;
		/* One that is pending would come at the very same place. */
		while (a32_load_acquire(&rounds) != sent)
			arch_relax();
		spin(50 * US);
	}
	a32_store_release(&over, 1);
	for (int i = 0; i < 2; i++)
		CHECK_EQ(mete_task_join(life[i].task, METE_FOREVER, NULL), 0);
	NOTE("%u values, %u refusals", a32_load_relaxed(&values),
	     a32_load_relaxed(&refusals));
	CHECK_GT(a32_load_relaxed(&values), 0);
	CHECK_EQ(mete_stop(), 0);
}

/* In the child: what the parent reads in the end. */
struct report {
	uint64_t held_ns;
	uint64_t exec_ns;
	uint64_t stolen_ns;
	uint64_t wall_ns;
	int64_t residual;
	int64_t groups_residual;
	int stopped;
};

static void *compute(void *arg)
{
	struct life *life = arg;

	life->first_ns = os_monotonic_ns();
	while (os_monotonic_ns() - life->first_ns < 120 * MS)
		mete_checkpoint();
	life->last_ns = os_monotonic_ns();
	return NULL;
}

static void child(int fd)
{
	struct report report = {0};
	struct mete_ledger ledger;
	struct life a = {0};

	start(1, METE_BOOKS_TASK);
	begin_life(&a, METE_ROOT, compute);
	if (write(fd, "x", 1) != 1)
		_exit(3);
	end_life(&a);
	while (mete_ledger(&ledger, sizeof(ledger)) == -EAGAIN)
		;
	report.held_ns = a.usage.held_ns;
	report.exec_ns = a.usage.exec_ns;
	report.stolen_ns = a.usage.stolen_ns;
	report.wall_ns = ledger.wall_ns;
	report.residual = ledger.residual_ticks;
	report.groups_residual = ledger.groups_residual_ticks;
	CHECK_EQ(mete_task_join(a.task, METE_FOREVER, NULL), 0);
	report.stopped = mete_stop();
	if (write(fd, &report, sizeof(report)) != sizeof(report))
		_exit(3);
	_exit(0);
}

/* Stopped for 60 ms while its task computes: it is held all the while. */
TEST(books_close_after_a_stop)
{
	struct report report;
	int status;
	char byte;
	int fds[2];
	pid_t pid;

	CHECK_EQ(pipe(fds), 0);
	pid = fork();
	CHECK_GE(pid, 0);
	if (!pid)
		child(fds[1]);
	close(fds[1]);
	CHECK_EQ(read(fds[0], &byte, 1), 1);
	spin(20 * MS);
	kill(pid, SIGSTOP);
	spin(60 * MS);
	kill(pid, SIGCONT);
	CHECK_EQ(read(fds[0], &report, sizeof(report)), sizeof(report));
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	CHECK_EQ(report.stopped, 0);
	CHECK_EQ(report.residual, 0);
	CHECK_EQ(report.groups_residual, 0);
	CHECK_EQ(report.exec_ns + report.stolen_ns, report.held_ns);
	CHECK_GE(report.wall_ns, report.held_ns);
	at_least(report.held_ns, 120 * MS);
	NOTE("held %llu exec %llu stolen %llu us",
	     (unsigned long long)report.held_ns / 1000,
	     (unsigned long long)report.exec_ns / 1000,
	     (unsigned long long)report.stolen_ns / 1000);
}

/* A live reader, and an auditor, while the owners press and are preempted. */
static void *audit(void *arg)
{
	uint64_t *audits = arg;

	while (!a32_load_acquire(&over)) {
		struct mete_ledger ledger;
		int error = mete_ledger(&ledger, sizeof(ledger));

		CHECK(!error || error == -EAGAIN);
		if (error)
			continue;
		/* At every moment, whatever runs. */
		CHECK_EQ(ledger.residual_ticks, 0);
		(*audits)++;
	}
	return NULL;
}

TEST(the_audit_closes_at_every_moment)
{
	struct life life[4] = {{.task = {0}}};
	uint64_t audits = 0;
	pthread_t thread;

	start(2, METE_BOOKS_TASK);
	for (int i = 0; i < 4; i++)
		begin_life(&life[i], METE_ROOT, press_on);
	CHECK_EQ(pthread_create(&thread, NULL, audit, &audits), 0);
	spin(300 * MS);
	a32_store_release(&over, 1);
	pthread_join(thread, NULL);
	for (int i = 0; i < 4; i++)
		CHECK_EQ(mete_task_join(life[i].task, METE_FOREVER, NULL), 0);
	CHECK_GT(audits, 0);
	CHECK_EQ(mete_stop(), 0);
}

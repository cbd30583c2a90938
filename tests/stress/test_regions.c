/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CPUs that change hands all the time: blocking regions of every length among
 * tasks that do everything else, with the books closing to the tick.
 */
#include <stdlib.h>

#include "law/laws.h"
#include "unit/io/descriptors.h"

struct worker {
	mete_task task;
	uint64_t state;
	uint64_t rounds;
	uint64_t done;
	volatile double sum; /* on whichever carrier */
};

static struct mete_sem tokens = METE_SEM_INIT(3);
static struct mete_mutex mutex = METE_MUTEX_INIT;
static uint64_t guarded;

static void block_somehow(uint64_t dice)
{
	CHECK_EQ(mete_blocking_begin(), 0);
	switch (dice % 6) {
	case 0:
		break;
	case 1:
		usleep((useconds_t)(dice / 8 % 100));
		break;
	case 2:
		usleep((useconds_t)(dice / 8 % 2000));
		break;
	case 3:
		compute(dice / 8 % 300000);
		break;
	case 4:
		CHECK_EQ(mete_sem_wait(&tokens, METE_FOREVER), 0);
		mete_sem_post(&tokens, 1);
		break;
	default:
		CHECK_EQ(mete_blocking_begin(), 0);
		usleep(100);
		CHECK_EQ(mete_blocking_end(), 0);
	}
	errno = 1000 + (int)(dice % 1000);
	CHECK_EQ(mete_blocking_end(), 0);
}

static void do_otherwise(struct worker *worker, uint64_t dice)
{
	switch (dice % 6) {
	case 0:
		mete_task_yield();
		break;
	case 1:
		mete_task_sleep(dice / 8 % 100000);
		break;
	case 2:
		CHECK_EQ(mete_mutex_lock(&mutex, METE_FOREVER), 0);
		guarded++;
		mete_task_yield();
		CHECK_EQ(mete_mutex_unlock(&mutex), 0);
		worker->done++;
		break;
	case 3:
		compute(dice / 8 % 50000);
		mete_checkpoint();
		break;
	case 4:
		bind_to(worker->task, (unsigned)(dice / 8 % mete_cpus()));
		mete_task_yield();
		break;
	default:
		mete_task_set_affinity(worker->task, NULL);
	}
}

static void *work(void *arg)
{
	struct worker *worker = arg;
	double sum = 0;

	worker->task = mete_task_self();
	for (uint64_t i = 0; i < worker->rounds; i++) {
		uint64_t dice = test_random(&worker->state) >> 8;

		sum += 1.0 / (double)(i + 1);
		if (dice & 1)
			block_somehow(dice / 2);
		else
			do_otherwise(worker, dice / 2);
	}
	worker->sum = sum;
	return NULL;
}

static void run(unsigned cpus, unsigned count, uint64_t rounds)
{
	struct worker *workers = calloc(count, sizeof(*workers));
	mete_task *tasks = calloc(count, sizeof(*tasks));
	struct mete_ledger ledger;
	uint64_t takeovers = 0;
	uint64_t done = 0;
	mete_group group;

	CHECK(workers && tasks);
	start_cpus(cpus);
	group = group_below(METE_ROOT, "some");
	for (unsigned i = 0; i < count; i++) {
		workers[i].state = test_seed() * 1000 + i;
		workers[i].rounds = rounds;
		tasks[i] =
			spawn_in(i % 2 ? group : METE_ROOT, work, &workers[i]);
	}
	for (unsigned i = 0; i < count; i++) {
		join(tasks[i]);
		done += workers[i].done;
		CHECK(workers[i].sum == workers[0].sum);
	}
	CHECK_EQ(guarded, done);
	for (unsigned i = 0; i < cpus; i++)
		takeovers += cpu_usage(i).takeovers;
	CHECK_EQ(mete_ledger(&ledger, sizeof(ledger)), 0);
	CHECK_EQ(ledger.residual_ticks, 0);
	NOTE("%llu take-overs; exec %.3f, drift %.3f, away %.3f, asleep %.3f "
	     "ms",
	     (unsigned long long)takeovers, (double)ledger.exec_ns / MS,
	     (double)ledger.drift_ns / MS, (double)ledger.away_cpu_ns / MS,
	     (double)ledger.asleep_ns / MS);
	CHECK_GT(takeovers, 0);
	stop();
	free(workers);
	free(tasks);
}

TEST_WITHIN(one_cpu, 60)
{
	run(1, 12, test_rounds(300));
}

TEST_WITHIN(two_cpus, 60)
{
	run(2, 24, test_rounds(300));
}

TEST_WITHIN(more_cpus_than_the_machine_has, 60)
{
	run(5, 40, test_rounds(200));
}

static atomic_int over;

static void *in_and_out(void *arg)
{
	while (!over) {
		CHECK_EQ(mete_blocking_begin(), 0);
		usleep(300);
		CHECK_EQ(mete_blocking_end(), 0);
	}
	return arg;
}

/* Readings from outside while CPUs change hands. */
TEST(readers_see_whole_books)
{
	struct mete_cpu_usage before[2] = {0};
	uint64_t end;
	mete_task tasks[6];

	start_cpus(2);
	for (int i = 0; i < 6; i++)
		tasks[i] = spawn(in_and_out, NULL);
	for (end = now_ns() + 500 * MS; now_ns() < end;) {
		struct mete_ledger ledger;
		int error = mete_ledger(&ledger, sizeof(ledger));

		if (error != -EAGAIN) {
			CHECK_EQ(error, 0);
			CHECK_EQ(ledger.residual_ticks, 0);
		}
		for (unsigned i = 0; i < 2; i++) {
			struct mete_cpu_usage usage = cpu_usage(i);

			CHECK_GE(usage.held_ns, before[i].held_ns);
			CHECK_GE(usage.exec_ns, before[i].exec_ns);
			CHECK_GE(usage.scheduler_ns, before[i].scheduler_ns);
			CHECK_GE(usage.parked_ns, before[i].parked_ns);
			before[i] = usage;
		}
	}
	over = 1;
	for (int i = 0; i < 6; i++)
		join(tasks[i]);
	stop();
}

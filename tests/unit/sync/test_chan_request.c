/* SPDX-License-Identifier: Apache-2.0 */
/* Requests that meet the turn of another, which seems to be stopped in it; and
 * those that go before they were answered. */
#include <pthread.h>

#include "sync/chan.h"
#include "unit/sched/running.h"

static struct mete_chan public;
static struct chan *chan;
static struct chan_turn turn;

static uint64_t word(void)
{
	return a64_load_acquire(&chan->word);
}

static void begin_turn(size_t capacity)
{
	uint64_t idle = 0;

	CHECK_EQ(mete_chan_init(&public, sizeof(uint64_t), capacity), 0);
	chan = chan_of(&public);
	CHECK(chan_turn_take(&turn, chan, &idle, 0));
}

static void until_arrived(uint64_t before)
{
	for (uint64_t end = soon(); word() == before;)
		CHECK_LT(now_ns(), end);
}

struct job {
	bool sends;
	uint64_t deadline_ns;
	uint64_t item;
	int result;
};

static void *run(void *arg)
{
	struct job *job = arg;

	job->result =
		job->sends
			? mete_chan_send(&public, &job->item, job->deadline_ns)
			: mete_chan_recv(&public, &job->item, job->deadline_ns);
	return NULL;
}

static mete_task arrive(struct job *job)
{
	uint64_t before = word();
	mete_task task = spawn(run, job);

	until_arrived(before);
	return task;
}

/* All sleep until the turn goes on, and get what there is in order. */
TEST(requests_are_left_to_the_turn)
{
	struct job jobs[] = {
		{true, METE_FOREVER, 1, 1},
		{true, 0, 2, 1},
		{true, METE_FOREVER, 3, 1},
		{false, 0, 0, 1},
		{false, METE_FOREVER, 0, 1},
		{false, METE_FOREVER, 0, 1},
		{false, 0, 9, 1},
	};
	static const int results[] = {0, -ETIMEDOUT, 0, 0, 0, 0, -ETIMEDOUT};
	static const uint64_t items[] = {1, 2, 3, 1, 3, 4, 9};
	struct job last = {true, METE_FOREVER, 4, 1};
	mete_task tasks[8];

	start_cpus(1);
	begin_turn(1);
	for (int i = 0; i < 7; i++) {
		/* The last but one waits for what comes in the end. */
		tasks[i] = arrive(&jobs[i]);
		CHECK_EQ(jobs[i].result, 1);
	}
	CHECK_EQ(mete_chan_length(&public), 0);
	chan_turn_end(&turn);
	for (int i = 0; i < 7; i++)
		if (i != 5)
			join(tasks[i]);
	CHECK_EQ(jobs[5].result, 1);
	join(spawn(run, &last));
	join(tasks[5]);
	for (int i = 0; i < 7; i++) {
		CHECK_EQ(jobs[i].result, results[i]);
		CHECK_EQ(jobs[i].item, items[i]);
	}
	CHECK_EQ(last.result, 0);
	CHECK_EQ(word(), 0);
	CHECK_EQ(mete_chan_fini(&public), 0);
	stop();
}

/* A close does not wait for the turn. */
TEST(a_close_is_left_to_the_turn)
{
	struct job jobs[] = {{true, METE_FOREVER, 1, 1},
			     {false, METE_FOREVER, 7, 1}};
	mete_task tasks[2];

	start_cpus(1);
	begin_turn(3);
	for (int i = 0; i < 2; i++)
		tasks[i] = arrive(&jobs[i]);
	CHECK_EQ(mete_chan_close(&public), 0);
	CHECK_EQ(mete_chan_close(&public), -EPIPE);
	CHECK_EQ(jobs[0].result, 1);
	chan_turn_end(&turn);
	for (int i = 0; i < 2; i++) {
		join(tasks[i]);
		CHECK_EQ(jobs[i].result, -EPIPE);
	}
	CHECK_EQ(jobs[1].item, 7);
	CHECK_EQ(word(), CHAN_CLOSED);
	CHECK_EQ(mete_chan_fini(&public), 0);
	stop();
}

static atomic_int given_up;

static void *in_vain(void *arg)
{
	uint64_t item = 5;

	CHECK_EQ(mete_chan_recv(&public, &item, now_ns() + MS), -ETIMEDOUT);
	CHECK_EQ(item, 5);
	given_up++;
	return arg;
}

/* One whose time is over sleeps until the turn has taken it out. */
TEST(the_late_are_taken_out_by_the_turn)
{
	struct job heir = {false, METE_FOREVER, 0, 1};
	mete_task tasks[4];
	pthread_t thread;
	uint64_t item = 8;

	start_cpus(2);
	begin_turn(0);
	for (int i = 0; i < 3; i++)
		tasks[i] = spawn(in_vain, NULL);
	CHECK_EQ(pthread_create(&thread, NULL, in_vain, NULL), 0);
	tasks[3] = spawn(run, &heir);
	usleep(5000);
	CHECK_EQ(given_up, 0);
	chan_turn_end(&turn);
	for (int i = 0; i < 3; i++)
		join(tasks[i]);
	pthread_join(thread, NULL);
	CHECK_EQ(mete_chan_send(&public, &item, METE_FOREVER), 0);
	join(tasks[3]);
	CHECK_EQ(heir.item, 8);
	CHECK_EQ(word(), 0);
	stop();
}

static mete_task spawn_cancellable(void *(*fn)(void *), void *arg)
{
	struct mete_task_attr attr = METE_TASK_ATTR_INIT;
	mete_task task;

	attr.cancellable = true;
	CHECK_EQ(mete_task_create(&task, &attr, fn, arg), 0);
	return task;
}

/* So does one that is cancelled, also while it only tries. */
TEST(the_cancelled_are_taken_out_by_the_turn)
{
	for (int i = 0; i < 4; i++) {
		struct job job = {i & 1, i & 2 ? 0 : METE_FOREVER, 5, 1};
		uint64_t before;
		mete_task task;

		start_cpus(1);
		begin_turn(0);
		before = word();
		task = spawn_cancellable(run, &job);
		until_arrived(before);
		before = word();
		CHECK_EQ(mete_task_cancel(task), 0);
		until_arrived(before);
		CHECK_EQ(mete_task_wait(task, now_ns() + 5 * MS), -ETIMEDOUT);
		chan_turn_end(&turn);
		CHECK(join(task) == METE_CANCELED);
		CHECK_EQ(word(), 0);
		stop();
	}
}

/* One that can be cancelled is claimed, not only taken. */
TEST(the_cancelled_have_sent_nothing)
{
	for (int i = 0; i < 2; i++) {
		struct job job = {i, METE_FOREVER, 5, 1};
		uint64_t item = 6;
		mete_task task;

		start_cpus(1);
		CHECK_EQ(mete_chan_init(&public, sizeof(uint64_t), 0), 0);
		chan = chan_of(&public);
		task = spawn_cancellable(run, &job);
		until_arrived(0);
		CHECK_EQ(mete_task_cancel(task), 0);
		CHECK(join(task) == METE_CANCELED);
		CHECK_EQ(mete_chan_send(&public, &item, 0), -ETIMEDOUT);
		CHECK_EQ(mete_chan_recv(&public, &item, 0), -ETIMEDOUT);
		CHECK_EQ(word(), 0);
		CHECK_EQ(job.item, 5);
		/* And one that is not cancelled is served as any other. */
		task = spawn_cancellable(run, &job);
		until_arrived(0);
		if (i)
			CHECK_EQ(mete_chan_recv(&public, &item, 0), 0);
		else
			CHECK_EQ(mete_chan_send(&public, &item, 0), 0);
		CHECK(join(task) == NULL);
		CHECK_EQ(job.result, 0);
		CHECK_EQ(job.item, i ? 5 : 6);
		stop();
	}
}

/* And goes by itself when nobody has the turn, wherever it stands. */
TEST(the_late_go_by_themselves)
{
	struct job heir = {false, METE_FOREVER, 0, 1};
	mete_task tasks[4];
	uint64_t item = 8;

	start_cpus(1);
	CHECK_EQ(mete_chan_init(&public, sizeof(uint64_t), 0), 0);
	chan = chan_of(&public);
	tasks[3] = arrive(&heir);
	CHECK(word() & CHAN_RECV_ONLY);
	for (int i = 0; i < 3; i++)
		tasks[i] = spawn(in_vain, NULL);
	for (int i = 0; i < 3; i++)
		join(tasks[i]);
	CHECK_EQ(word(), CHAN_WAITED);
	CHECK(chan->waiting[0].head == chan->waiting[0].tail);
	CHECK_EQ(mete_chan_send(&public, &item, 0), 0);
	join(tasks[3]);
	CHECK_EQ(heir.item, 8);
	CHECK_EQ(word(), 0);
	stop();
}

/* Who is told to come again does so, and is the first then. */
TEST(again)
{
	struct job jobs[] = {{false, 0, 0, 1}, {false, 0, 0, 1}};
	struct chan_request *request;
	mete_task tasks[2];
	uint64_t item = 21;
	uint64_t before;

	start_cpus(1);
	begin_turn(0);
	for (int i = 0; i < 2; i++) {
		jobs[i].deadline_ns = soon();
		tasks[i] = arrive(&jobs[i]);
	}
	/* As if its partner had been lost. */
	request = chan_newest(word())->next;
	CHECK(!request->next);
	chan_newest(word())->next = NULL;
	request->result = CHAN_AGAIN;
	before = word();
	CHECK(wait_wake(request->waiter));
	until_arrived(before);
	CHECK(chan_newest(word())->again);
	chan_turn_end(&turn);
	CHECK_EQ(mete_chan_send(&public, &item, METE_FOREVER), 0);
	join(tasks[0]);
	CHECK_EQ(jobs[0].item, 21);
	CHECK_EQ(jobs[1].result, 1);
	CHECK_EQ(mete_chan_close(&public), 0);
	join(tasks[1]);
	CHECK_EQ(jobs[1].result, -EPIPE);
	stop();
}

/* Attempts do not wait for the turn. */
TEST(an_attempt_only_where_it_is_free)
{
	uint64_t item = 3;
	struct chan_request sends = {.item = &item, .sends = true};
	struct chan_request receives = {.item = &item};

	begin_turn(1);
	CHECK_EQ(chan_attempt(chan, &sends), -ETIMEDOUT);
	CHECK_EQ(chan_attempt(chan, &receives), -ETIMEDOUT);
	chan_turn_end(&turn);
	CHECK_EQ(chan_attempt(chan, &receives), -ETIMEDOUT);
	CHECK_EQ(chan_attempt(chan, &sends), 0);
	CHECK_EQ(chan_attempt(chan, &sends), -ETIMEDOUT);
	item = 0;
	CHECK_EQ(chan_attempt(chan, &receives), 0);
	CHECK_EQ(item, 3);
	CHECK_EQ(mete_chan_close(&public), 0);
	CHECK_EQ(chan_attempt(chan, &sends), -EPIPE);
	CHECK_EQ(chan_attempt(chan, &receives), -EPIPE);
	CHECK_EQ(mete_chan_fini(&public), 0);
}

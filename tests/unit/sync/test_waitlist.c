/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list of waiters: oldest first, out of it whoever has gone, and who
 * somebody is.
 */
#include <pthread.h>

#include "sync/waitlist.h"
#include "unit/sched/running.h"

static struct mete_waitlist list;

TEST(append_and_remove)
{
	struct mete_waiter waiters[3];
	static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
					 {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

	for (int o = 0; o < 6; o++) {
		for (int i = 0; i < 3; i++) {
			waitlist_append(&list, &waiters[i]);
			CHECK(list.tail == &waiters[i]);
			CHECK(waiters[i].listed);
		}
		CHECK(list.head == &waiters[0]);
		for (int i = 0; i < 3; i++) {
			struct mete_waiter *walk = list.head;
			int length = 0;

			waitlist_remove(&list, &waiters[orders[o][i]]);
			CHECK(!waiters[orders[o][i]].listed);
			for (walk = list.head; walk; walk = walk->next) {
				CHECK(!walk->next || walk->next->prev == walk);
				CHECK(walk->next || list.tail == walk);
				length++;
			}
			CHECK_EQ(length, 2 - i);
		}
		CHECK(list.head == NULL && list.tail == NULL);
	}
}

/* Those whose time was over are passed by. */
TEST(the_late_are_passed_by)
{
	struct mete_waiter late, waits;
	struct wakenode *chain = NULL;
	struct wakenode **tail = &chain;

	wait_prepare(&late, WAIT_OTHER, NULL, 1);
	CHECK_EQ(wait_sleep(&late, 1), -ETIMEDOUT);
	wait_prepare(&waits, WAIT_OTHER, NULL, METE_FOREVER);
	waitlist_append(&list, &late);
	waitlist_append(&list, &waits);
	CHECK(waitlist_wake(&list, &tail) == &waits);
	CHECK(!late.listed && !waits.listed);
	CHECK(list.head == NULL);
	CHECK(chain == NULL);
	CHECK(waitlist_wake(&list, &tail) == NULL);
	CHECK_EQ(wait_sleep(&waits, METE_FOREVER), 0);
}

static void *time_out(void *arg)
{
	struct mete_waiter waiter;

	waitlist_lock(&list);
	CHECK_EQ(waitlist_sleep(&list, &waiter, WAIT_OTHER, now_ns() + MS),
		 -ETIMEDOUT);
	/* Out of the list and the lock free, or the next hangs. */
	waitlist_lock(&list);
	CHECK(list.head == NULL && list.tail == NULL);
	waitlist_unlock(&list);
	return arg;
}

TEST(who_times_out_leaves_the_list)
{
	time_out(NULL);
	start_cpus(1);
	time_out(NULL);
	join(spawn(time_out, NULL));
	stop();
}

static void *caller(void *arg)
{
	*(uint64_t *)arg = waitlist_caller();
	return NULL;
}

TEST(everybody_is_somebody_else)
{
	uint64_t ids[4];
	pthread_t thread;

	caller(&ids[0]);
	CHECK_EQ(pthread_create(&thread, NULL, caller, &ids[1]), 0);
	pthread_join(thread, NULL);
	start_cpus(1);
	join(spawn(caller, &ids[2]));
	join(spawn(caller, &ids[3]));
	for (int i = 0; i < 4; i++) {
		CHECK_NE(ids[i], 0);
		for (int j = 0; j < i; j++)
			CHECK_NE(ids[i], ids[j]);
	}
	CHECK(ids[0] >> 63 && ids[1] >> 63);
	CHECK(!(ids[2] >> 63) && !(ids[3] >> 63));
	stop();
}

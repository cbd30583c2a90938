/* SPDX-License-Identifier: Apache-2.0 */
/* Queues of sleepers, by a hash of the word's address; see sleep.h. */
#include "sim/sleep.h"

#include <errno.h>

#include "sim/explore.h"
#include "sim/step.h"

#define BUCKETS      1024
#define SPURIOUS     16
#define SPURIOUS_MAX 20000 /* ns */

static struct sim_thread *buckets[BUCKETS];

/* Which bucket has no influence on any order. */
static struct sim_thread **bucket(const uint32_t *word)
{
	return &buckets[((uintptr_t)word >> 2) * UINT32_C(2654435761) >> 12 &
			(BUCKETS - 1)];
}

static void append(struct sim_thread *thread)
{
	struct sim_thread **link = bucket(thread->word);

	while (*link)
		link = &(*link)->sleep_next;
	thread->sleep_next = NULL;
	*link = thread;
}

static void withdraw(struct sim_thread *thread)
{
	struct sim_thread **link = bucket(thread->word);

	while (*link != thread)
		link = &(*link)->sleep_next;
	*link = thread->sleep_next;
}

static uint64_t units(uint64_t ns)
{
	return ns >= SIM_FOREVER >> SIM_UNIT_SHIFT ? SIM_FOREVER
						   : ns << SIM_UNIT_SHIFT;
}

int sleep_on(const uint32_t *word, uint32_t expected, uint64_t deadline_ns,
	     const void *at)
{
	struct sim_thread *self = sim_machine.running;
	uint64_t until = units(deadline_ns);
	bool spurious = false;

	if (*word != expected)
		return -EAGAIN;
	if (sim_machine.options.spurious && explore_chance(SPURIOUS)) {
		uint64_t early =
			sim_cursor.clock +
			((sim_random() >> 32) % SPURIOUS_MAX << SIM_UNIT_SHIFT);

		spurious = early < until;
		until = spurious ? early : until;
	}
	self->word = word;
	self->woken = false;
	append(self);
	thread_leave(until, at);
	if (!self->woken)
		withdraw(self);
	self->word = NULL;
	if (self->woken)
		return 0;
	return spurious ? -EINTR : -ETIMEDOUT;
}

unsigned sleep_wake(const uint32_t *word, unsigned most)
{
	struct sim_thread **link = bucket(word);
	unsigned count = 0;

	while (*link && count < most) {
		struct sim_thread *thread = *link;

		if (thread->word != word) {
			link = &thread->sleep_next;
			continue;
		}
		*link = thread->sleep_next;
		thread_wake(thread);
		count++;
	}
	return count;
}

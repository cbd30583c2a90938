/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file sync.h
 * Semaphore, mutex, condition, reader-writer lock, event, once, wait group,
 * barrier; park and unpark.
 *
 * The caller's memory, static initialisers (an object that is all zero is one
 * that was initialised, with 0 where a number is given), no destruction: an object that
 * nobody uses may simply go, even on the stack of a waiter whose wait has just
 * been granted by a call that has not returned yet.  All calls work from tasks
 * (which switch while they wait) and from foreign threads (which sleep), with or
 * without a runtime; none from signal handlers.  The fields are private.
 *
 * No call takes a lock.  What nobody waits for is one atomic operation; a call
 * that wakes somebody never waits for another that does so at the same time, not
 * even if that has been preempted.  Waiters are served in the order of their
 * arrival.
 *
 * Deadlines are absolute nanoseconds on CLOCK_MONOTONIC: METE_FOREVER waits
 * without end; one that is past still takes what is there; 0 does not wait at
 * all, and may fail while a call on the same object is under way that will make
 * it possible.  "May switch" means: if it has to wait.
 *
 * Costs (x86-64, 2.6 GHz, nobody waits): 5 to 10 ns; with a waiter the same and
 * the wake-up.
 */
#ifndef METE_SYNC_H
#define METE_SYNC_H

#include <mete/types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct mete_waiter;

/** Units and who waits for them: what every object is made of. */
struct mete_units {
	uint64_t word __attribute__((aligned(8)));
	uint64_t owed __attribute__((aligned(8)));
	uint64_t left;
	struct mete_waiter *head;
	struct mete_waiter *tail;
	uint64_t listed;
};

/** A counting semaphore. */
struct mete_sem {
	struct mete_units units;
};

/** A mutual exclusion lock with an owner; not recursive. */
struct mete_mutex {
	struct mete_units units;
	uint64_t owner __attribute__((aligned(8)));
};

/** A condition variable. */
struct mete_cond {
	struct mete_units units;
};

/** Any number of readers or one writer. */
struct mete_rwlock {
	struct mete_units units;
	uint64_t writer __attribute__((aligned(8)));
};

/** Something that has happened, until it is reset. */
struct mete_event {
	struct mete_units units;
};

/** Something that is to be done once. */
struct mete_once {
	struct mete_units units;
	uint32_t begun;
};

/** Work that is to be waited for. */
struct mete_waitgroup {
	struct mete_units units;
};

/** A barrier that `parties` callers pass together, again and again. */
struct mete_barrier {
	struct mete_units units;
	uint32_t parties;
};

/** Most readers of a reader-writer lock at once. */
#define METE_RWLOCK_READERS (UINT64_C(1) << 30)

#define METE_UNITS_INIT(count)                \
 {                                            \
  (uint64_t)(count) << 1, 0, 0, NULL, NULL, 0 \
 }
/** `count`: 0 … 2^63 - 1 units. */
#define METE_SEM_INIT(count) \
 {                           \
  METE_UNITS_INIT((count))   \
 }
#define METE_MUTEX_INIT \
 {                      \
  METE_UNITS_INIT(0), 0 \
 }
#define METE_COND_INIT \
 {                     \
  METE_UNITS_INIT(0)   \
 }
#define METE_RWLOCK_INIT \
 {                       \
  METE_UNITS_INIT(0), 0  \
 }
#define METE_EVENT_INIT \
 {                      \
  METE_UNITS_INIT(0)    \
 }
#define METE_ONCE_INIT  \
 {                      \
  METE_UNITS_INIT(0), 0 \
 }
/** `count`: work to be done, 0 … 2^32 - 1. */
#define METE_WAITGROUP_INIT(count) \
 {                                 \
  METE_UNITS_INIT((count))         \
 }
/** `parties`: 1 … 2^31. */
#define METE_BARRIER_INIT(parties) \
 {                                 \
  METE_UNITS_INIT(0), (parties)    \
 }

/** Initialise at run time as the static initialisers do; nobody may be using
 *  the object.  Since 0.1. */
METE_API void mete_sem_init(struct mete_sem *sem, uint64_t count);
METE_API void mete_mutex_init(struct mete_mutex *mutex);
METE_API void mete_cond_init(struct mete_cond *cond);
METE_API void mete_rwlock_init(struct mete_rwlock *lock);
METE_API void mete_event_init(struct mete_event *event);
METE_API void mete_once_init(struct mete_once *once);
METE_API void mete_waitgroup_init(struct mete_waitgroup *group, unsigned count);
/** `parties` 0 is taken as 1. */
METE_API void mete_barrier_init(struct mete_barrier *barrier, unsigned parties);

/** Take one unit, waiting until the deadline.  0; -ETIMEDOUT.  May switch.
 *  Since 0.1. */
METE_API int mete_sem_wait(struct mete_sem *sem, uint64_t deadline_ns);

/** Give `count` units and wake as many waiters.  0; -EOVERFLOW when the count
 *  would pass 2^63 - 1 (nothing is given).  Does not switch.  Since 0.1. */
METE_API int mete_sem_post(struct mete_sem *sem, unsigned count);

/** Give one unit to each of `count` semaphores, of which one may stand there
 *  more than once; tasks that go to other CPUs are sent to each of them
 *  together.  0; -EOVERFLOW: one was full and got none, the others did.  May
 *  switch: a task that has woken 8 or more, and has as many ready behind it on
 *  its CPU, lets them run first; so those on its own CPU get on no less than
 *  those elsewhere.  Since 0.2. */
METE_API int mete_sem_post_each(struct mete_sem *const *sems, size_t count);

/** How many units there are, 0 while somebody waits: old as soon as it is
 *  known.  Since 0.2. */
METE_API uint64_t mete_sem_value(const struct mete_sem *sem);

/** Lock.  0; -ETIMEDOUT; -EDEADLK when the caller holds it.  May switch.
 *  Since 0.1. */
METE_API int mete_mutex_lock(struct mete_mutex *mutex, uint64_t deadline_ns);

/** Unlock; the oldest waiter becomes the holder.  0; -EPERM when the caller
 *  is not the holder.  Does not switch.  Since 0.1. */
METE_API int mete_mutex_unlock(struct mete_mutex *mutex);

/**
 * Unlock the mutex, wait for a signal, lock the mutex again (even after a
 * time-out).  0; -ETIMEDOUT; -EPERM when the caller does not hold the mutex.
 * Look at what you wait for again: a signal that is under way when a wait begins
 * may end that wait.  May switch.  Since 0.1.
 */
METE_API int mete_cond_wait(struct mete_cond *cond, struct mete_mutex *mutex,
			    uint64_t deadline_ns);

/** Wake the oldest waiter, or all of them.  Always 0.  Does not switch.
 *  Since 0.1. */
METE_API int mete_cond_signal(struct mete_cond *cond);
METE_API int mete_cond_broadcast(struct mete_cond *cond);

/**
 * Lock for reading or for writing; in the order of arrival, so a reader waits
 * behind a writer that waits.  0; -ETIMEDOUT; -EDEADLK when the caller writes.
 * A task that reads and locks again may wait for ever behind a writer.  May
 * switch.  Since 0.2.
 */
METE_API int mete_rwlock_read(struct mete_rwlock *lock, uint64_t deadline_ns);
METE_API int mete_rwlock_write(struct mete_rwlock *lock, uint64_t deadline_ns);

/** Unlock.  0; -EPERM: the caller does not write; nobody reads.  Does not
 *  switch.  Since 0.2. */
METE_API int mete_rwlock_read_unlock(struct mete_rwlock *lock);
METE_API int mete_rwlock_write_unlock(struct mete_rwlock *lock);

/** Wait until the event is set.  0; -ETIMEDOUT.  May switch.  Since 0.2. */
METE_API int mete_event_wait(struct mete_event *event, uint64_t deadline_ns);

/** Set: everybody who waits passes, and everybody who comes, until the event is
 *  reset.  A reset does not call back what is under way: a wait that begins
 *  meanwhile may pass.  Does not switch.  Since 0.2. */
METE_API void mete_event_set(struct mete_event *event);
METE_API void mete_event_reset(struct mete_event *event);
METE_API bool mete_event_is_set(const struct mete_event *event);

/** Call fn(arg) if nobody has done so yet, and wait until that call, whoever
 *  made it, has returned.  1 for the one who called, else 0.  Not from `fn`
 *  itself.  May switch.  Since 0.2. */
METE_API int mete_once_call(struct mete_once *once, void (*fn)(void *),
			    void *arg);

/** There is more work to wait for.  As long as somebody may wait, only while
 *  there still is some.  0; -EOVERFLOW.  Does not switch.  Since 0.2. */
METE_API int mete_waitgroup_add(struct mete_waitgroup *group, unsigned count);

/** One piece of work is done.  0; -EINVAL: there is none.  Does not switch.
 *  Since 0.2. */
METE_API int mete_waitgroup_done(struct mete_waitgroup *group);

/** Wait until all work is done.  0; -ETIMEDOUT.  May switch.  Since 0.2. */
METE_API int mete_waitgroup_wait(struct mete_waitgroup *group,
				 uint64_t deadline_ns);

/** Wait for the other parties.  0; 1 for exactly one of them (the last to
 *  arrive); -ETIMEDOUT: the caller has withdrawn.  May switch.  Since 0.1. */
METE_API int mete_barrier_wait(struct mete_barrier *barrier,
			       uint64_t deadline_ns);

#ifdef __cplusplus
}
#endif

#endif

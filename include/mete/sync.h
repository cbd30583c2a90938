/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file sync.h
 * Semaphore, mutex, condition, barrier.
 *
 * The caller's memory, static initialisers, no destruction: an object that
 * nobody uses may simply go.  All calls work from tasks (which switch while
 * they wait) and from foreign threads (which sleep); none from signal
 * handlers.  Waiters are served in the order of their arrival.  The fields are
 * private.
 */
#ifndef METE_SYNC_H
#define METE_SYNC_H

#include <mete/types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct mete_waiter;

/** Waiters of an object, oldest first, under a short lock. */
struct mete_waitlist {
	uint32_t lock;
	uint32_t reserved;
	struct mete_waiter *head;
	struct mete_waiter *tail;
};

/** A counting semaphore. */
struct mete_sem {
	struct mete_waitlist waiters;
	uint64_t count;
};

/** A mutual exclusion lock with an owner; not recursive. */
struct mete_mutex {
	struct mete_waitlist waiters;
	uint64_t owner; /**< task id or thread id of the holder, 0: free */
};

/** A condition variable. */
struct mete_cond {
	struct mete_waitlist waiters;
};

/** A barrier that `parties` callers pass together, again and again. */
struct mete_barrier {
	struct mete_waitlist waiters;
	uint32_t parties;
	uint32_t arrived;
};

#define METE_WAITLIST_INIT \
 {                         \
  0, 0, NULL, NULL         \
 }
#define METE_SEM_INIT(count)  \
 {                            \
  METE_WAITLIST_INIT, (count) \
 }
#define METE_MUTEX_INIT \
 {                      \
  METE_WAITLIST_INIT, 0 \
 }
#define METE_COND_INIT \
 {                     \
  METE_WAITLIST_INIT   \
 }
#define METE_BARRIER_INIT(parties) \
 {                                 \
  METE_WAITLIST_INIT, (parties), 0 \
 }

/** Initialise at run time as the static initialisers do. */
METE_API void mete_sem_init(struct mete_sem *sem, uint64_t count);
METE_API void mete_mutex_init(struct mete_mutex *mutex);
METE_API void mete_cond_init(struct mete_cond *cond);
/** `parties`: 1 … 2^31; 0 is taken as 1. */
METE_API void mete_barrier_init(struct mete_barrier *barrier, unsigned parties);

/** Take one unit, waiting until the deadline.  0; -ETIMEDOUT (for a deadline
 *  of 0 at once).  May switch.  Since 0.1. */
METE_API int mete_sem_wait(struct mete_sem *sem, uint64_t deadline_ns);

/** Give `count` units and wake as many waiters.  0; -EOVERFLOW when the count
 *  would pass 2^63 - 1 (nothing is given).  Does not switch.  Since 0.1. */
METE_API int mete_sem_post(struct mete_sem *sem, unsigned count);

/** Lock.  0; -ETIMEDOUT; -EDEADLK when the caller holds it.  May switch. */
METE_API int mete_mutex_lock(struct mete_mutex *mutex, uint64_t deadline_ns);

/** Unlock; the oldest waiter becomes the holder.  0; -EPERM when the caller
 *  is not the holder.  Does not switch.  Since 0.1. */
METE_API int mete_mutex_unlock(struct mete_mutex *mutex);

/**
 * Unlock the mutex, wait for a signal, lock the mutex again (even after a
 * time-out).  0; -ETIMEDOUT; -EPERM when the caller does not hold the mutex.
 * No spurious wake-ups.  May switch.  Since 0.1.
 */
METE_API int mete_cond_wait(struct mete_cond *cond, struct mete_mutex *mutex,
			    uint64_t deadline_ns);

/** Wake the oldest waiter, or all of them.  Always 0.  Does not switch. */
METE_API int mete_cond_signal(struct mete_cond *cond);
METE_API int mete_cond_broadcast(struct mete_cond *cond);

/** Wait for the other parties.  0; 1 for exactly one of them (the last to
 *  arrive); -ETIMEDOUT: the caller has withdrawn.  May switch.  Since 0.1. */
METE_API int mete_barrier_wait(struct mete_barrier *barrier,
			       uint64_t deadline_ns);

#ifdef __cplusplus
}
#endif

#endif

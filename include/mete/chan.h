/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file chan.h
 * Channels: items go from senders to receivers, in order; and waiting for
 * several channels at once.
 *
 * A channel keeps up to `capacity` items: bounded; as many as memory holds:
 * unbounded; none: a rendezvous, where a sender waits until a receiver takes its
 * item.  Items are copied.  All of a sender's items arrive in the order in which
 * it sent them; waiters of either side are served in the order of their arrival.
 *
 * A channel may be closed: nothing is sent any more, what is in the buffer can
 * still be received, and then there is nothing to wait for.
 *
 * As the objects of sync.h: the caller's memory, tasks and foreign threads, with
 * or without a runtime, no lock; none from signal handlers; the fields are
 * private.  A call that meets another in the middle of its work on the same
 * channel (some 10 ns, but for as long as that one is preempted) leaves its
 * request to it and sleeps until that is answered, also where its deadline is 0;
 * so the answer to an attempt is a true one.  Deadlines as in sync.h.
 *
 * Costs (x86-64, 2.6 GHz, one CPU): 5 to 10 ns and the copy where nobody waits;
 * where somebody does, that and the wake-up.
 */
#ifndef METE_CHAN_H
#define METE_CHAN_H

#include <mete/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The capacity of a channel that grows. */
#define METE_CHAN_UNBOUNDED SIZE_MAX

/** A channel of items of one size. */
struct mete_chan {
	uint64_t word __attribute__((aligned(8)));
	uint64_t length __attribute__((aligned(8)));
	uint64_t capacity;
	size_t item_bytes;
	void *items[7];
	void *waiting[4];
};

/** A rendezvous for items of `bytes`, which needs no mete_chan_fini(). */
#define METE_CHAN_INIT(bytes) \
 {                            \
  0, 0, 0, (bytes), {NULL},   \
  {                           \
   NULL                       \
  }                           \
 }

/**
 * Initialise a channel for items of `item_bytes` (0: there is nothing to copy,
 * items only count) that keeps up to `capacity` of them: 0 = a rendezvous,
 * METE_CHAN_UNBOUNDED.  The buffer of a bounded channel is allocated here, that
 * of an unbounded one as it grows.
 *
 * 0; -EINVAL: the capacity is 2^44 - 1 or more, or that many items exceed the
 * address space; -ENOMEM.  Does not switch.  Since 0.2.
 */
METE_API int mete_chan_init(struct mete_chan *chan, size_t item_bytes,
			    size_t capacity);

/**
 * Let the buffer go, with the items that are in it; the channel is then closed
 * and empty.  All calls on the channel must have been answered: whoever received
 * its last item may do this, even while the call that sent it has not returned.
 *
 * 0; -EBUSY: somebody waits, and nothing was done.  Does not switch.  Since 0.2.
 */
METE_API int mete_chan_fini(struct mete_chan *chan);

/**
 * Send a copy of the item, waiting until there is room or, where the channel
 * keeps none, until somebody takes it.
 *
 * 0; -ETIMEDOUT; -EPIPE: the channel is closed, or was while the call waited;
 * -ENOMEM: an unbounded channel could not grow.  Only after 0 is the item sent.
 * May switch; allocates where an unbounded channel grows.  Since 0.2.
 */
METE_API int mete_chan_send(struct mete_chan *chan, const void *item,
			    uint64_t deadline_ns);

/**
 * Receive the oldest item, waiting until there is one.
 *
 * 0; -ETIMEDOUT; -EPIPE: the channel is closed and empty.  `ret_item` is
 * untouched on failure.  May switch.  Since 0.2.
 */
METE_API int mete_chan_recv(struct mete_chan *chan, void *ret_item,
			    uint64_t deadline_ns);

/**
 * Close the channel: senders that wait, and receivers that do although it is
 * empty, get -EPIPE.
 *
 * 0; -EPIPE: it was closed before.  Does not switch.  Since 0.2.
 */
METE_API int mete_chan_close(struct mete_chan *chan);

/** How many items are in the buffer: old as soon as it is known.  Since 0.2. */
METE_API size_t mete_chan_length(const struct mete_chan *chan);

/** What a case of a select is to do. */
enum mete_select_op {
	METE_SELECT_SEND,
	METE_SELECT_RECV,
};

/** One of the things that a select waits for. */
struct mete_select_case {
	struct mete_chan *chan; /**< NULL: never possible */
	enum mete_select_op op; /**< what to do */
	const void *item;       /**< to send */
	void *ret_item;         /**< where to receive */
	int result;             /**< of the case that was chosen */
	uint64_t request[8] __attribute__((aligned(16))); /**< private */
};

/** Initialisers of cases. */
#define METE_SELECT_CASE_SEND(chan, item)    \
 {                                           \
  (chan), METE_SELECT_SEND, (item), NULL, 0, \
  {                                          \
   0                                         \
  }                                          \
 }
#define METE_SELECT_CASE_RECV(chan, ret_item)    \
 {                                               \
  (chan), METE_SELECT_RECV, NULL, (ret_item), 0, \
  {                                              \
   0                                             \
  }                                              \
 }

/**
 * Wait until one of the cases is possible, and do that one and no other; where
 * several are, chance decides.  A channel may stand in several cases, also with
 * both directions; a select never meets itself.
 *
 * The index of the case, whose `result` is then what mete_chan_send() or
 * mete_chan_recv() would have given: 0, or -EPIPE or -ENOMEM (a closed channel
 * makes its cases possible).  -ETIMEDOUT: none was; with a deadline of 0 each
 * was not at some moment of the call.  -EINVAL: no case has a channel, or there
 * are more than INT_MAX cases.  The cases are in use until the call returns, all
 * other fields of theirs are left as they are.  May switch.  Costs some 10 ns a
 * case, and 20 more if it has to wait.  Since 0.2.
 */
METE_API int mete_select(struct mete_select_case *cases, size_t count,
			 uint64_t deadline_ns);

#ifdef __cplusplus
}
#endif

#endif

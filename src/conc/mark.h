/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sequence mark: one writer changes several words, readers notice.
 *
 * The owner makes the mark odd, stores its words by owner operations and makes
 * it even again.  A reader takes the mark, loads the words by acquire loads
 * and believes them only under the same even mark (the sequence lock of
 * Lameter and Hemminger, in the fence-free form of Boehm, "Can seqlocks get
 * along with programming language memory models?", 2012).
 *
 *             mark_begin  mark_end  mark_read  mark_valid
 * owner       yes         yes       -          -
 * anyone      -           -         yes        yes
 *
 * Writer: wait-free, plain stores.  Reader: wait-free to try, lock-free to
 * succeed; it must bound its tries, for the owner may be stopped in between.
 * Linearisation point of a successful read: its last load under the mark.
 */
#ifndef CONC_MARK_H
#define CONC_MARK_H

#include "conc/atomic.h"

struct mark {
	struct a64 sequence;
};

static inline void mark_begin(struct mark *mark)
{
	/* relaxed: the words' own stores, being releases, come after it */
	a64_own_set(&mark->sequence, a64_own(&mark->sequence) + 1);
}

static inline void mark_end(struct mark *mark)
{
	/* order: mark.own pairs mark.read, book.task, group.quiet,
	 * book.read: the words are there before the mark is even again */
	a64_own_set(&mark->sequence, a64_own(&mark->sequence) + 1);
}

/* The mark to hand to mark_valid(); odd while the owner writes. */
static inline uint64_t mark_read(const struct mark *mark)
{
	/* order: mark.read pairs mark.own, watch.show: the words loaded after
	 * an even mark are not older than the writer's last mark_end() */
	return a64_load_acquire(&mark->sequence);
}

static inline bool mark_valid(const struct mark *mark, uint64_t sequence)
{
	/* relaxed: the acquire loads of the words come before this one */
	return !(sequence & 1) && a64_load_relaxed(&mark->sequence) == sequence;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of a storm's ops share. */
#ifndef TESTS_SIM_STORM_OPS_H
#define TESTS_SIM_STORM_OPS_H

#include "storm.h"

#define EXPECT(condition)                                                   \
 do {                                                                       \
  if (!(condition))                                                         \
   sim_fail("actor %u, op %u: expected %s", actor->number, at, #condition); \
 } while (0)

/* Compute for so long, with safe points every `most` ns. */
void storm_compute(uint64_t ns, uint64_t most);

/* What happens while a lock is held, a group charged: anything. */
void storm_linger(struct storm_actor *actor, uint64_t ns);

#define STORM_PIECE_NS 2000

/* A deadline of the op. */
static inline uint64_t storm_soon(const struct storm_op *op)
{
	return sim_now_ns() + op->ns;
}

/* storm_sync.c, storm_chan.c: false: the op is not one of theirs. */
bool storm_sync(struct storm_actor *actor, unsigned at);
bool storm_chan(struct storm_actor *actor, unsigned at);

/* storm_tasks.c: op number `at` of the actor. */
void storm_spawn(struct storm_actor *actor, unsigned at);
void storm_detach(struct storm_actor *actor, unsigned at);
void storm_move(struct storm_actor *actor, unsigned at);
void storm_charge(struct storm_actor *actor, unsigned at);
void storm_bind(struct storm_actor *actor, const struct storm_op *op);
void storm_group(struct storm_actor *actor, unsigned at);
void storm_read(struct storm_actor *actor, unsigned at);

#endif

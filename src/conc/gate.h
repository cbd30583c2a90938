/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A gate: an owner who need not swap while nobody else comes, and others, the
 * guests, who come rarely.
 *
 *	owner                           guest
 *	inside = 1                      guests += 1
 *	light fence                     SHUT -> OPENING, by one of them
 *	is it SHUT?                     heavy fence: every thread's light ones
 *	plain loads and stores          FENCED; not while the owner is inside:
 *	inside = 0                      OPEN
 *	                                swaps
 *	it is not: swaps                guests -= 1
 *
 * Owner and first guest each make themselves visible and then look at the other;
 * the full fence that this takes is made by the guest in the owner's stead
 * (membarrier(2)).  So after the heavy fence either the owner has seen that the
 * gate is no longer shut, and swaps, or the guest sees it inside.  A guest never
 * waits for that: it goes away and comes again.  Nobody waits for a guest.
 *
 * Shutting is the same between guests and whoever shuts, with full fences on
 * both sides: SHUTTING, no guests, SHUT.
 *
 *            own        visit      shut
 *            wait-free  wait-free  wait-free, each may be refused
 *
 * (Dice, Huang, Yang, "Asymmetric Dekker Synchronization", 2001.)
 */
#ifndef CONC_GATE_H
#define CONC_GATE_H

#include "base/base.h"
#include "conc/atomic.h"

enum gate_state {
	GATE_SHUT,
	GATE_OPENING,  /* the heavy fence is under way */
	GATE_FENCED,   /* ... is done; the owner may still be inside */
	GATE_OPEN,     /* everybody swaps */
	GATE_SHUTTING, /* guests are asked to keep away */
};

struct gate {
	/* everybody */
	struct a32 state;
	struct a32 guests;
	struct a32 visits; /* ever; guests */
	/* the owner */
	struct a32 inside;
};

/* Shut, or, where there is no heavy fence, open for ever. */
void gate_init(struct gate *gate);

/* Owner: alone until gate_leave(); false: swap. */
static always_inline bool gate_own(struct gate *gate)
{
	/* relaxed: looked at again inside */
	if (unlikely(a32_load_relaxed(&gate->state) != GATE_SHUT))
		return false;
	a32_own_set(&gate->inside, 1);
	conc_fence_light();
	/* order: gate.again pairs gate.shut: what guests did */
	if (likely(a32_load_acquire(&gate->state) == GATE_SHUT))
		return true;
	a32_own_set(&gate->inside, 0);
	return false;
}

static always_inline void gate_leave(struct gate *gate)
{
	a32_own_set(&gate->inside, 0);
}

/* Guest: may swap until gate_depart(); false: not now. */
bool gate_visit(struct gate *gate);
void gate_depart(struct gate *gate);

/* Anyone but a guest: shut it, if it is open and nobody is there. */
bool gate_shut(struct gate *gate);

#endif

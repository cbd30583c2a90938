/* SPDX-License-Identifier: Apache-2.0 */
/* The gate's guests, and its shutting: see gate.h. */
#include "conc/gate.h"

#include "os/membarrier.h"

void gate_init(struct gate *gate)
{
	bool fences = os_membarrier_register() == 0;

	/* relaxed: nobody else knows it yet */
	a32_store_relaxed(&gate->state, fences ? GATE_SHUT : GATE_OPEN);
	a32_store_relaxed(&gate->guests, 0);
	a32_store_relaxed(&gate->visits, 0);
	a32_store_relaxed(&gate->inside, 0);
}

/* After the heavy fence: open it, unless the owner is inside. */
static bool pass_fenced(struct gate *gate)
{
	uint32_t fenced = GATE_FENCED;

	/* order: gate.empty pairs gate.visit: what the owner did inside (its
	 * stores of `inside` are releases) */
	if (a32_load_acquire(&gate->inside))
		return false;
	/* order: gate.opened pairs gate.look: as gate.empty */
	return a32_cas_release(&gate->state, &fenced, GATE_OPEN) ||
	       fenced == GATE_OPEN;
}

static bool open(struct gate *gate)
{
	uint32_t shut = GATE_SHUT;

	/* relaxed: one guest opens; the fence orders what comes after */
	if (!a32_cas_relaxed(&gate->state, &shut, GATE_OPENING))
		return false;
	os_membarrier();
	/* order: gate.fenced pairs gate.look: the fence is done */
	a32_store_release(&gate->state, GATE_FENCED);
	return pass_fenced(gate);
}

bool gate_visit(struct gate *gate)
{
	bool in;

	/* order: gate.visit pairs gate.alone, gate.empty: whoever shuts it sees
	 * us, or we see that */
	a32_add_seq_cst(&gate->guests, 1);
	/* relaxed: a count */
	a32_add_relaxed(&gate->visits, 1);
	/* order: gate.look pairs gate.asks, gate.opened, gate.fenced: as
	 * gate.visit; what the owner did inside */
	switch (a32_load_seq_cst(&gate->state)) {
	case GATE_OPEN:
		return true;
	case GATE_SHUT:
		in = open(gate);
		break;
	case GATE_FENCED:
		in = pass_fenced(gate);
		break;
	default:
		in = false;
	}
	if (!in)
		gate_depart(gate);
	return in;
}

void gate_depart(struct gate *gate)
{
	/* order: gate.depart pairs gate.alone: what we did there */
	a32_add_release(&gate->guests, (uint32_t)-1);
}

bool gate_shut(struct gate *gate)
{
	uint32_t open = GATE_OPEN;

	/* order: gate.asks pairs gate.look: as gate.visit */
	if (!a32_cas_seq_cst(&gate->state, &open, GATE_SHUTTING))
		return false;
	/* order: gate.alone pairs gate.visit, gate.depart: what guests did */
	if (a32_load_seq_cst(&gate->guests)) {
		/* relaxed: it was open before */
		a32_store_relaxed(&gate->state, GATE_OPEN);
		return false;
	}
	/* order: gate.shut pairs gate.again: what guests did */
	a32_store_release(&gate->state, GATE_SHUT);
	return true;
}

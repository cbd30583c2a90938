/* SPDX-License-Identifier: Apache-2.0 */
/* Who is alone, and for how long: see bias.h. */
#include "sync/bias.h"

#include "os/clock.h"
#include "os/futex.h"
#include "os/membarrier.h"
#include "os/thread.h"

/* Swaps without a guest before the gate is shut: 0.1 ms, up to about a second,
 * as there must not be more heavy fences. */
#define PATIENCE      (UINT32_C(1) << 13)
#define PATIENCE_MOST (UINT32_C(1) << 26)

/* Looks before one who is not let in sleeps in between, and for how long: the
 * owner may be stopped inside, and want our CPU. */
#define LOOKS  100
#define NAP_NS 50000

#define BIAS_FRESH                                    \
 {                                                    \
  .owner = {BIAS_NOBODY}, .gate.state = { GATE_OPEN } \
 }

struct bias bias = BIAS_FRESH;

void bias_begin(struct cpu *cpu)
{
	/* relaxed: starts follow one another */
	if (a32_load_relaxed(&bias.never) || os_membarrier_register())
		return;
	bias.visits = 0;
	bias.quiet = 0;
	bias.patience = PATIENCE;
	/* relaxed: the gate orders all that it does as the owner */
	aptr_store_relaxed(&bias.owner, cpu);
	gate_shut(&bias.gate);
}

void bias_never(void)
{
	/* order: bias.never pairs bias.ever: swaps of an owner that was */
	a32_store_release(&bias.never, 1);
}

void bias_end(void)
{
	/* relaxed: it swaps nothing any more */
	aptr_store_relaxed(&bias.owner, BIAS_NOBODY);
}

void bias_forget(void)
{
	bias = (struct bias)BIAS_FRESH;
}

bool bias_return(void)
{
	/* relaxed: a count; a guest who is there is seen when it is shut */
	uint32_t visits = a32_load_relaxed(&bias.gate.visits);

	if (visits != bias.visits) {
		bias.visits = visits;
		bias.quiet = 0;
		return false;
	}
	if (++bias.quiet < bias.patience)
		return false;
	bias.quiet = 0;
	if (!gate_shut(&bias.gate))
		return false;
	if (bias.patience < PATIENCE_MOST)
		bias.patience *= 2;
	return gate_own(&bias.gate);
}

bool bias_visit(void)
{
	unsigned looks = 0;

	/* order: bias.ever pairs bias.never: as there */
	if (a32_load_acquire(&bias.never))
		return false;
	while (!gate_visit(&bias.gate)) {
		if (++looks < LOOKS)
			os_thread_yield();
		else
			os_sleep_until(os_monotonic_ns() + NAP_NS);
	}
	return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Who is alone, and the end of that: see bias.h. */
#include "sync/bias.h"

#include "os/thread.h"

struct bias bias = {.owner = {BIAS_SHARED}};

void bias_begin(struct cpu *cpu)
{
	gate_init(&bias.gate);
	/* relaxed: ours until there is an owner; open: there is no fence */
	if (a32_load_relaxed(&bias.gate.state) != GATE_SHUT)
		return;
	/* order: bias.begin pairs bias.come, bias.looks: either we see that a
	 * foreign thread has come or it sees the owner */
	aptr_exchange_seq_cst(&bias.owner, cpu);
	/* order: bias.came pairs bias.come: as bias.begin */
	if (a32_load_seq_cst(&bias.foreign))
		bias_end();
}

void bias_end(void)
{
	/* order: bias.end pairs bias.looks, bias.look: nobody is inside, and
	 * what the owner swapped */
	aptr_exchange_seq_cst(&bias.owner, BIAS_SHARED);
}

void bias_forget(void)
{
	/* relaxed: nobody is there */
	a32_store_relaxed(&bias.foreign, 0);
}

void bias_foreign_slow(void)
{
	/* order: bias.come pairs bias.begin, bias.came: see there */
	a32_exchange_seq_cst(&bias.foreign, 1);
	/* order: bias.looks pairs bias.begin, bias.end: as bias.come */
	if (aptr_load_seq_cst(&bias.owner) == BIAS_SHARED)
		return;
	while (!gate_visit(&bias.gate))
		os_thread_yield();
	bias_end();
}

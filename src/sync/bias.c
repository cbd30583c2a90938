/* SPDX-License-Identifier: Apache-2.0 */
/* Who is alone, and the end of that: see bias.h. */
#include "sync/bias.h"

#include "os/membarrier.h"
#include "os/thread.h"

struct bias bias = {.owner = {BIAS_SHARED}};

void bias_begin(struct cpu *cpu)
{
	if (os_membarrier_register())
		return;
	/* order: bias.begin pairs bias.come, bias.looks, bias.takes: either we see that a
	 * foreign thread has come or it sees the owner */
	aptr_exchange_seq_cst(&bias.owner, cpu);
	/* order: bias.came pairs bias.come: as bias.begin */
	if (a32_load_seq_cst(&bias.foreign))
		bias_end();
}

void bias_end(void)
{
	/* order: bias.end pairs bias.looks: nothing is inside */
	aptr_exchange_seq_cst(&bias.owner, BIAS_SHARED);
}

void bias_forget(void)
{
	/* relaxed: nobody is there */
	a32_store_relaxed(&bias.foreign, 0);
}

void bias_foreign_slow(void)
{
	void *owner;

	/* order: bias.come pairs bias.begin, bias.came: see there */
	a32_exchange_seq_cst(&bias.foreign, 1);
	/* order: bias.looks pairs bias.begin, bias.end: as bias.come */
	owner = aptr_load_seq_cst(&bias.owner);
	while (owner != BIAS_SHARED) {
		if (owner == BIAS_SHARING) {
			os_thread_yield();
			/* order: bias.waits pairs bias.shared: the owner's last
			 * swap */
			owner = aptr_load_acquire(&bias.owner);
			continue;
		}
		/* order: bias.takes pairs bias.begin: one of us shares */
		if (!aptr_cas_acq_rel(&bias.owner, &owner, BIAS_SHARING))
			continue;
		os_membarrier();
		/* order: bias.done pairs bias.swap: the owner's last swap */
		while (a32_load_acquire(&bias.inside))
			os_thread_yield();
		/* order: bias.shared pairs bias.look, bias.waits: what the
		 * owner swapped */
		aptr_exchange_release(&bias.owner, BIAS_SHARED);
		return;
	}
}

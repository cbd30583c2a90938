# src/sched/region.c: the task takes its CPU back without looking whose it is
s/if (unlikely(!a64_cas_seq_cst(&self->cpu->region, &region, 0))) {/if (a64_exchange_seq_cst(\&self->cpu->region, 0) == region + 1) {/

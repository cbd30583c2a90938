# src/conc/workq.c: a thief takes its loot without the swap
s/if (!a64_cas_release(&queue->head, &head, head + count))/a64_store_relaxed(\&queue->head, head + count); if (!count)/

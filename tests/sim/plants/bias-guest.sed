# src/sync/bias.c: a foreign thread swaps while the owner does
/^bool bias_visit(/,/^}/ s/a32_load_acquire(&bias.never)/true/

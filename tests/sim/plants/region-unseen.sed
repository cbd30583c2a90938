# src/sched/region.c: nobody rings the tick for a region
s/		tick_ring();/		(void)0;/

# src/sched/watch.c: nobody asks the tick to look while CPUs are busy
s/tick_cover(watch_due());/(void)0;/

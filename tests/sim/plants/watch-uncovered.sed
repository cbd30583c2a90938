# src/sched/watch.c: nobody asks the tick to look while CPUs are busy
# seeds: 8000
s/tick_cover(watch_due());/(void)0;/

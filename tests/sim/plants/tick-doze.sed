# src/sched/tick.c: the tick sleeps without looking at the timers again
s/if (earliest_timer() >= until)/if (until)/

# src/sched/tick.c: the tick sleeps without looking at the timers again
# seeds: 40000
s/if (wanted_by_timers() >= until)/if (until > 0)/

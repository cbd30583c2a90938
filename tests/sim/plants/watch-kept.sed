# src/sched/watch.c: a look without sleep keeps the watch
s/^	watch_give();$/	if (!found) watch_give();/

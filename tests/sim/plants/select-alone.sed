# src/sync/select.c: a select is claimed as if only one could do so
s/waiter.timed = true;/(void)0;/

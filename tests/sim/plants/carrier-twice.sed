# src/sched/carrier.c: a carrier is called twice at a time
s/		sched.spare = carrier->next;/		(void)0;/

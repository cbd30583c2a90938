# src/acct/press.c: a CPU that runs out of tasks charges the wrong watch
/^static void leave_task(/,/^}/ s/turn(cpu, ACCT_HELD, ACCT_SCHEDULER, now);/turn(cpu, ACCT_HELD, ACCT_POLLING, now);/

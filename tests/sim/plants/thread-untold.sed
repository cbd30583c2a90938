# src/sched/wait.c: a foreign thread sees its wake-up only by chance
# seeds: 1000
s/os_futex_wake(&word->value, 1);/(void)word;/

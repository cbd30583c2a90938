# src/sched/idle.c: a CPU goes to sleep without looking again
# seeds: 10000
s/if (!work_in_sight(cpu)) {/if (cpu) {/

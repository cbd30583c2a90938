# src/sched/idle.c: a CPU goes to sleep without looking again
s/if (!work_in_sight(cpu)) {/if (cpu) {/
